import * as Effect from "effect/Effect"
import type { RunningMac } from "@tocsin/adapters-pg/admin"
import { createHash, createHmac } from "node:crypto"
import { once } from "node:events"
import { createReadStream, createWriteStream } from "node:fs"
import { open, rm } from "node:fs/promises"
import type { Readable } from "node:stream"
import { finished } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import * as Redacted from "effect/Redacted"
import { deriveKey, type MasterKeys } from "@tocsin/adapters-http/server"
import { CommandFailed } from "@tocsin/cli/command/CommandContext"

/**
 * Opens a new file, readable only by its owner, or standard output as `-`. The file is deleted when the scope closes, unless
 * `complete` has run, which writes it to the disk.
 */
export const openExport = (file: string) =>
  file === "-"
    ? Effect.succeed({
        write: (text: string) => attempt(file, () => writeTo(process.stdout, text)),
        complete: Effect.void,
      })
    : Effect.gen(function* () {
        let isComplete = false
        yield* Effect.acquireRelease(
          attempt(file, async () => (await open(file, "wx", 0o600)).close()),
          () => (isComplete ? Effect.void : Effect.promise(() => rm(file, { force: true }))),
        )
        const target = createWriteStream(file, { flags: "r+", flush: true })
        const output = file.endsWith(".gz") ? createGzip() : target
        if (output !== target) output.pipe(target)
        // Each write waits for its own error.
        let failure: Error | undefined
        const onError = (error: Error): void => {
          failure ??= error
        }
        target.on("error", onError)
        if (output !== target) output.on("error", onError)
        return {
          write: (text: string) =>
            attempt(file, async () => {
              if (failure !== undefined) throw failure
              await writeTo(output, text)
            }),
          complete: attempt(file, async () => {
            if (failure !== undefined) throw failure
            output.end()
            await finished(target)
            isComplete = true
          }),
        }
      })

const writeTo = async (output: NodeJS.WritableStream, text: string): Promise<void> => {
  if (!output.write(text)) await once(output, "drain")
}

const attempt = <A>(file: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => {
      const code = (cause as NodeJS.ErrnoException).code
      return new CommandFailed({
        message:
          code === "EEXIST"
            ? `${file} already exists; choose a new name, or delete it`
            : `cannot write ${file} (${code ?? String(cause)})`,
      })
    },
  })

/** The lines of a file, or of standard input as `-`; gzip is recognized by its first bytes. */
export async function* readExportLines(file: string): AsyncGenerator<string> {
  const input = file === "-" ? process.stdin : createReadStream(file)
  let rest = ""
  for await (const text of await decompressed(input)) {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
  if (rest !== "") yield rest
}

const decompressed = async (input: Readable): Promise<Readable> => {
  await once(input, "readable")
  const first = input.read() as Buffer | null
  if (first !== null) input.unshift(first)
  if (first?.[0] !== 0x1f || first[1] !== 0x8b) return input.setEncoding("utf8")
  const output = createGunzip()
  input.on("error", (error) => output.destroy(error))
  return input.pipe(output).setEncoding("utf8")
}

/** The authentication code of an export under master keys. */
export const runningMac = ({ current, previous }: MasterKeys): RunningMac => {
  const hash = createHash("sha256")
  const digestUnder = (masterKey: Redacted.Redacted<Uint8Array>) =>
    createHmac("sha256", Redacted.value(deriveKey(masterKey, "export")))
      .update(hash.copy().digest())
      .digest("hex")
  return {
    update: (text) => void hash.update(text),
    digest: () => digestUnder(current),
    matches: (mac) => [current, ...previous].some((masterKey) => digestUnder(masterKey) === mac),
  }
}
