import { readDocuments, writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import { decode, list, nearestName, object, optional, string, type TypeOf } from "@tocsin/domain/codec"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { randomUUID } from "node:crypto"
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import type { Environment } from "../config/Environment.ts"
import { type ClientFlags, defaultUrl } from "./ClientConfig.ts"

const text = string({ max: 2_048 })

const context = object({
  name: string({
    max: 63,
    format: {
      pattern: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
      message: "must have only letters, digits, ., _ and -, and begin and end with a letter or digit",
    },
  }),
  url: optional(
    string({
      max: 2_048,
      format: {
        pattern: /^https?:\/\/[^\s/?#]+[^\s?#]*$/i,
        message: "must be a URL that starts with https:// or http://, without query and fragment",
      },
    }),
  ),
  organization: optional(text),
  clientId: optional(text),
  clientSecret: optional(text),
})

const contextFile = object({
  currentContext: optional(text),
  contexts: list(context, { distinct: { by: ({ name }) => name, at: "name" } }),
})

/** A server, and how to authenticate there. */
export type ClientContext = TypeOf<typeof context>

export type ContextFile = TypeOf<typeof contextFile>

/** The context file, or the choice of a context, is wrong. `message` says how to fix it. */
export class ContextIsUnusable extends Data.TaggedError("ContextIsUnusable")<{ readonly message: string }> {}

/** `TOCSIN_CONFIG`, or `tocsin/config.yaml` in `$XDG_CONFIG_HOME` or `~/.config`. */
export const contextFilePath = (environment: Environment): string =>
  environment["TOCSIN_CONFIG"] ||
  join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "tocsin", "config.yaml")

/** Checks a context, with every issue. */
export const decodeContext = (given: object): Result.Result<ClientContext, ContextIsUnusable> =>
  Result.mapError(decode(context, given, {}), (issues) =>
    failed(`invalid context: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}`),
  )

/** The contexts of the file; none if it does not exist. Warns if other users can read it. */
export const readContextFile = (environment: Environment): Effect.Effect<ContextFile, ContextIsUnusable> =>
  Effect.gen(function* () {
    const path = contextFilePath(environment)
    const content = yield* Effect.tryPromise({
      try: () => readIfPresent(path),
      catch: (cause) =>
        failed(
          `cannot read the context file ${path} (${codeOf(cause)}); check its permissions, or set TOCSIN_CONFIG to another file`,
        ),
    })
    if (content === undefined) return { contexts: [] }
    if (process.platform !== "win32" && (content.mode & 0o077) !== 0)
      yield* Console.error(
        `tocsin: warning: other users can access ${path}, which has client secrets; run \`chmod 600 ${path}\``,
      )
    const documents = readDocuments(content.text, "application/yaml")
    if (Result.isFailure(documents)) return yield* failed(`${path}: ${documents.failure.message}`)
    const [document, ...others] = documents.success
    if (document === undefined) return { contexts: [] }
    if (others.length > 0) return yield* failed(`${path}: must have one document`)
    const file = decode(contextFile, document, {})
    if (Result.isSuccess(file)) return file.success
    const issues = file.failure.map(
      ({ path: place, message }) => `${place === "" ? "" : `${place} `}${message}`,
    )
    return yield* failed(
      issues.length === 1 ? `${path}: ${issues.join()}` : [`${path}:`, ...issues].join("\n  "),
    )
  })

/** Replaces the file in one step. Only its owner can read it. */
export const writeContextFile = (
  file: ContextFile,
  environment: Environment,
): Effect.Effect<void, ContextIsUnusable> => {
  const path = contextFilePath(environment)
  return Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      // A link stays a link.
      const target = await realpath(path).catch(() => path)
      const draft = `${target}.${randomUUID()}`
      try {
        await writeFile(draft, yamlOf(file), { mode: 0o600, flag: "wx" })
        await chmod(draft, 0o600)
        await rename(draft, target)
      } finally {
        await rm(draft, { force: true })
      }
    },
    catch: (cause) => failed(`cannot write ${path} (${codeOf(cause)})`),
  })
}

/** A mapping, not the list of one that `writeDocuments` writes. */
const yamlOf = ({ currentContext, contexts }: ContextFile): string =>
  writeDocuments(yamlFormat, [
    { ...(currentContext !== undefined && { currentContext }), contexts },
  ]).replaceAll(/^(?:- | {2})/gm, "")

/** The context of a name; the error suggests the nearest name. */
export const findContext = (
  { contexts }: ContextFile,
  name: string,
  environment: Environment,
): Result.Result<ClientContext, ContextIsUnusable> => {
  const found = contexts.find((each) => each.name === name)
  if (found !== undefined) return Result.succeed(found)
  const names = contexts.map((each) => each.name)
  const nearest = nearestName(name, names)
  const hint =
    nearest !== undefined
      ? `did you mean ${nearest}?`
      : names.length > 0
        ? `contexts are ${names.join(", ")}`
        : `${contextFilePath(environment)} has no contexts; create one with \`tocsin login\``
  return Result.fail(failed(`context not found: ${name}; ${hint}`))
}

/** A context with a name, in the place of the one that had it. */
export const withContextStored = (file: ContextFile, stored: ClientContext): ContextFile => ({
  ...file,
  contexts: [...file.contexts.filter(({ name }) => name !== stored.name), stored].toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  ),
})

/**
 * The environment, completed from the context that `TOCSIN_CONTEXT` names, or else the current one. A variable or flag
 * wins over the context. The credential of a context is sent to no other server than its own, and not mixed with
 * one of the environment.
 */
export const withContext = (
  flags: ClientFlags,
  environment: Environment,
): Effect.Effect<Environment, ContextIsUnusable> =>
  Effect.gen(function* () {
    const { TOCSIN_URL, TOCSIN_ORGANIZATION, TOCSIN_CLIENT_ID, TOCSIN_CLIENT_SECRET, TOCSIN_CONTEXT } =
      environment
    const isComplete = [TOCSIN_URL, TOCSIN_ORGANIZATION, TOCSIN_CLIENT_ID, TOCSIN_CLIENT_SECRET].every(
      Boolean,
    )
    if (isComplete && !TOCSIN_CONTEXT) return environment
    const file = yield* readContextFile(environment)
    const name = TOCSIN_CONTEXT || file.currentContext
    if (name === undefined) return environment
    const chosen = yield* Effect.fromResult(findContext(file, name, environment))
    const ownUrl = normalUrl(chosen.url ?? defaultUrl)
    const url = normalUrl(flags.url ?? (TOCSIN_URL || ownUrl))
    if (url !== ownUrl) return environment
    const hasCredential = Boolean(TOCSIN_CLIENT_ID) || Boolean(TOCSIN_CLIENT_SECRET)
    return {
      ...environment,
      TOCSIN_URL: url,
      TOCSIN_ORGANIZATION: TOCSIN_ORGANIZATION || chosen.organization,
      ...(!hasCredential && {
        TOCSIN_CLIENT_ID: chosen.clientId,
        TOCSIN_CLIENT_SECRET: chosen.clientSecret,
      }),
    }
  })

const normalUrl = (url: string): string => url.replace(/\/+$/, "")

const failed = (message: string): ContextIsUnusable => new ContextIsUnusable({ message })

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? "unknown error"

const readIfPresent = async (path: string): Promise<{ text: string; mode: number } | undefined> => {
  try {
    return { text: await readFile(path, "utf8"), mode: (await stat(path)).mode }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}
