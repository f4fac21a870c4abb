import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { cut } from "./Table.ts"
import { terminalText } from "./TerminalText.ts"

/** Where progress is shown. */
export interface ProgressOutput {
  readonly write: (text: string) => void
  /** In columns. */
  readonly width: number
}

/** Standard error, if it is a terminal that can overwrite a line. */
export const progressOutput = (
  environment: Readonly<Record<string, string | undefined>>,
): ProgressOutput | undefined =>
  process.stderr.isTTY && environment["TERM"] !== "dumb"
    ? { write: (text) => void process.stderr.write(text), width: process.stderr.columns || 80 }
    : undefined

/** How long work runs before its progress is shown, in milliseconds. */
const quietMs = 1_000

const frameMs = 250

const eraseLine = "\r\u001b[K"

/** Sets what is shown of running work. */
export type ReportProgress = (text: string) => Effect.Effect<void>

/** Shows a line with what work does and since when, once it has run for a second, and erases the line at its end. */
export const withProgress = <A, E, R>(
  output: ProgressOutput | undefined,
  label: string,
  use: (report: ReportProgress) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  if (output === undefined) return use(() => Effect.void)
  const { write, width } = output
  return Effect.gen(function* () {
    let shown = label
    const startedAt = yield* Clock.currentTimeMillis
    const showing = Effect.gen(function* () {
      yield* Effect.sleep(quietMs)
      return yield* Effect.gen(function* () {
        const seconds = Math.floor(((yield* Clock.currentTimeMillis) - startedAt) / 1_000)
        const suffix = ` (${seconds} s)`
        const line = terminalText(shown).replaceAll(/\s/g, " ")
        write(`${eraseLine}${cut(line, Math.max(1, width - suffix.length - 1))}${suffix}`)
        yield* Effect.sleep(frameMs)
      }).pipe(Effect.forever, Effect.ensuring(Effect.sync(() => write(eraseLine))))
    })
    const line = yield* Effect.forkChild(showing)
    return yield* use((text) => Effect.sync(() => void (shown = text))).pipe(
      Effect.ensuring(Fiber.interrupt(line)),
    )
  })
}
