import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

export class SecretFileIsUnusable extends Data.TaggedError("SecretFileIsUnusable")<{
  readonly message: string
}> {}

export const masterKeyFile = (dataDirectory: string): string => join(resolve(dataDirectory), "master-key")

/** The 32 bytes that are stored in a file in base64, or `undefined` if it does not exist. */
export const readSecretFile = (
  file: string,
): Effect.Effect<Redacted.Redacted<Uint8Array> | undefined, SecretFileIsUnusable> =>
  Effect.try({
    try: () => {
      const text = readIfThere(file)
      if (text === undefined) return undefined
      const bytes = Buffer.from(text, "base64")
      if (bytes.length !== secretBytes) throw new Error(`it must contain ${secretBytes} bytes in base64`)
      return Redacted.make(new Uint8Array(bytes))
    },
    catch: unusable(file),
  })

/**
 * The 32 bytes that are stored in a file in base64. A missing file is created with random bytes, readable only by its
 * owner, complete and synced to disk. Processes that start at the same time get the same bytes.
 */
export const readOrCreateSecretFile = (
  file: string,
): Effect.Effect<Redacted.Redacted<Uint8Array>, SecretFileIsUnusable> =>
  Effect.filterOrElse(
    readSecretFile(file),
    (secret) => secret !== undefined,
    () =>
      Effect.andThen(
        Effect.try({ try: () => makeFile(file), catch: unusable(file) }),
        Effect.suspend(() => readOrCreateSecretFile(file)),
      ),
  )

const makeFile = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.${randomBytes(8).toString("hex")}`
  try {
    const descriptor = openSync(draft, "wx", 0o600)
    try {
      writeSync(descriptor, `${randomBytes(secretBytes).toString("base64")}\n`)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    linkSync(draft, file)
    const directory = openSync(dirname(file), "r")
    fsyncSync(directory)
    closeSync(directory)
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

const unusable =
  (file: string) =>
  (cause: unknown): SecretFileIsUnusable =>
    new SecretFileIsUnusable({
      message: `cannot use ${file}: ${cause instanceof Error ? cause.message : String(cause)}; TOCSIN_DATA_DIR sets its directory`,
    })

const secretBytes = 32
