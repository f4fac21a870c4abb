import { type ProgressOutput, withProgress } from "../src/terminal/Progress.ts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const recorder = (width = 40): ProgressOutput & { readonly written: Array<string> } => {
  const written: Array<string> = []
  return { written, width, write: (text) => void written.push(text.replaceAll("\r\u001b[K", "<")) }
}

describe("progress", () => {
  it.effect("is shown after a second, with the latest text, and erased at the end", () =>
    Effect.gen(function* () {
      const output = recorder()
      const work = yield* Effect.forkChild(
        withProgress(output, "Importing", (report) =>
          Effect.gen(function* () {
            yield* Effect.sleep("1100 millis")
            yield* report("Imported 5\n\u001b[31mentries of a file with a long name")
            yield* Effect.sleep("900 millis")
            return 5
          }),
        ),
      )
      yield* TestClock.adjust("999 millis")
      expect(output.written).toEqual([])
      yield* TestClock.adjust("1 millis")
      expect(output.written).toEqual(["<Importing (1 s)"])
      yield* TestClock.adjust("250 millis")
      expect(output.written.at(-1)).toBe("<Imported 5 �[31mentries of a fil… (1 s)")
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(work)).toBe(5)
      expect(output.written.at(-1)).toBe("<")
      expect(output.written).toHaveLength(5)
    }),
  )

  it.effect("is erased when the work fails or is interrupted, and never shown for short work", () =>
    Effect.gen(function* () {
      const [failed, interrupted, short] = [recorder(), recorder(), recorder()]
      const failing = yield* Effect.forkChild(
        Effect.exit(
          withProgress(failed, "Working", () => Effect.andThen(Effect.sleep("2 seconds"), Effect.fail("no"))),
        ),
      )
      const endless = yield* Effect.forkChild(withProgress(interrupted, "Working", () => Effect.never))
      expect(yield* withProgress(short, "Working", () => Effect.succeed(1))).toBe(1)
      yield* TestClock.adjust("3 seconds")
      expect(yield* Fiber.join(failing)).toEqual(Exit.fail("no"))
      expect(interrupted.written.at(-1)).toBe("<Working (3 s)")
      yield* Fiber.interrupt(endless)
      expect([failed, interrupted].map(({ written }) => written.at(-1))).toEqual(["<", "<"])
      expect(short.written).toEqual([])
    }),
  )

  it.effect("is not shown without an output", () =>
    Effect.gen(function* () {
      const reported = yield* withProgress(undefined, "Working", (report) =>
        Effect.as(report("text"), "done"),
      )
      expect(reported).toBe("done")
    }),
  )
})
