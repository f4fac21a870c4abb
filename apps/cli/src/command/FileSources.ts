import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readdir, readFile, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { text as readStream } from "node:stream/consumers"
import { errorsText } from "../client/ApiClient.ts"
import { CommandFailed } from "./CommandContext.ts"

/** What `-f` names, with `-R`. */
export interface FileFlags {
  /** Files, directories, globs and URLs; `-` is stdin. */
  readonly file: ReadonlyArray<string>
  /** Reads the subdirectories of directories too. */
  readonly recursive?: true | undefined
}

export interface FileText {
  /** As messages name it; `-` is stdin. */
  readonly file: string
  readonly text: string
  readonly isJson: boolean
}

/** Maximum size of the response of a URL, in bytes. */
export const fetchedFileMaxBytes = 4 * 1024 * 1024

/** Timeout of reading a URL, in milliseconds. */
const fetchedFileMaxMs = 30_000

/** Maximum number of redirects that are followed from a URL. */
const fetchedFileRedirectsMax = 5

/** Reads what `-f` names, each file once, in order; of a directory or glob in the order of the names. Fails with all problems. */
export const readFiles = (flags: FileFlags): Effect.Effect<ReadonlyArray<FileText>, CommandFailed> =>
  Effect.gen(function* () {
    const [found, unfound] = yield* Effect.partition(flags.file, (path) => filesOf(path, flags))
    const [texts, unread] = yield* Effect.partition(uniqueFiles(found.flat()), readFileText)
    const problems = [...unfound, ...unread].map(({ message }) => message)
    if (problems.length > 0) return yield* new CommandFailed({ message: errorsText(problems) })
    return texts
  })

class FileIsUnusable extends Data.TaggedError("FileIsUnusable")<{ readonly message: string }> {}

const isUrl = (path: string): boolean => /^https?:\/\//i.test(path)

const uniqueFiles = (files: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Map(files.map((file) => [isUrl(file) || file === "-" ? file : resolve(file), file])).values(),
]

/** The files that an argument names. */
const filesOf = (path: string, flags: FileFlags): Effect.Effect<ReadonlyArray<string>, FileIsUnusable> => {
  if (path === "-" || isUrl(path)) return Effect.succeed([path])
  return Effect.gen(function* () {
    const found = yield* Effect.result(onFile(path, () => stat(path)))
    if (Result.isSuccess(found))
      return found.success.isDirectory() ? yield* filesBelow(path, flags.recursive === true) : [path]
    if (!globPattern.test(path)) return yield* found.failure
    const matches = yield* onFile(path, () => expandGlob(path))
    if (matches.length > 0) return matches
    return yield* new FileIsUnusable({ message: `${path}: matches no file; check the pattern` })
  })
}

const globPattern = /[*?[]/

const onFile = <A>(path: string, read: () => Promise<A>): Effect.Effect<A, FileIsUnusable> =>
  Effect.tryPromise({
    try: read,
    catch: (cause) =>
      new FileIsUnusable({ message: `${path}: ${fileProblem((cause as { readonly code?: string }).code)}` }),
  })

const fileProblem = (code: string | undefined): string => {
  if (code === "ENOENT") return "no such file or directory; relative paths start at the current directory"
  if (code === "EACCES" || code === "EPERM") return "permission denied"
  return `cannot be read (${code ?? "unknown error"})`
}

/** The files of a directory that can have definitions; hidden files and directories have none. */
const filesBelow = (
  directory: string,
  isRecursive: boolean,
): Effect.Effect<ReadonlyArray<string>, FileIsUnusable> =>
  Effect.gen(function* () {
    const files = yield* onFile(directory, () => walk(directory, isRecursive))
    if (files.length > 0) return files
    const hint = isRecursive ? "" : "; add -R to read its subdirectories"
    return yield* new FileIsUnusable({ message: `${directory}: has no .yaml, .yml or .json file${hint}` })
  })

const walk = async (directory: string, isRecursive: boolean): Promise<ReadonlyArray<string>> => {
  const entries = (await readdir(directory, { withFileTypes: true }))
    .filter(({ name }) => !name.startsWith("."))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const found: Array<string> = []
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) found.push(...(isRecursive ? await walk(path, true) : []))
    else if (/\.(ya?ml|json)$/.test(entry.name)) found.push(path)
  }
  return found
}

/** The files that match a pattern with `*`, `?` and `[a-z]`, none of which matches a slash or the dot of a hidden file. */
const expandGlob = async (pattern: string): Promise<ReadonlyArray<string>> => {
  let found = [pattern.startsWith("/") ? "/" : ""]
  const parts = pattern.split("/").filter((part) => part !== "")
  for (const [index, part] of parts.entries()) {
    const next: Array<string> = []
    for (const directory of found) {
      const names = globPattern.test(part) ? await namesLike(directory || ".", part) : [part]
      for (const name of names) {
        const path = join(directory, name)
        const found = await stat(path).catch(() => undefined)
        if (found?.[index === parts.length - 1 ? "isFile" : "isDirectory"]() === true) next.push(path)
      }
    }
    found = next
  }
  return found
}

const namesLike = async (directory: string, part: string): Promise<ReadonlyArray<string>> => {
  const source = part
    .replaceAll(/[\\^$.|+(){}]/g, "\\$&")
    .replaceAll(/\[!/g, "[^")
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
  const names = await readdir(directory)
  try {
    const pattern = new RegExp(`^${source}$`, "su")
    return names
      .filter((name) => pattern.test(name) && (part.startsWith(".") || !name.startsWith(".")))
      .toSorted()
  } catch {
    return []
  }
}

const readFileText = (file: string): Effect.Effect<FileText, FileIsUnusable> => {
  if (isUrl(file)) return fetchText(file)
  const read = onFile(file, () => (file === "-" ? readStream(process.stdin) : readFile(file, "utf8")))
  // JSON gets its own error messages; every other file is read as YAML.
  return Effect.map(read, (text) => ({ file, text, isJson: file.endsWith(".json") }))
}

const fetchText = (url: string): Effect.Effect<FileText, FileIsUnusable> => {
  const file = shownUrl(url)
  const failed = (problem: string) => new FileIsUnusable({ message: `${file}: ${problem}` })
  return Effect.tryPromise({
    try: async (signal) => {
      const response = await follow(url, signal)
      if (!response.ok) throw failed(`cannot be read (status ${response.status})`)
      const text = await readLimited(response, () =>
        failed(`is too large: at most ${fetchedFileMaxBytes / 1024 / 1024} MiB are read`),
      )
      const type = response.headers.get("content-type") ?? ""
      return { file, text, isJson: /\bjson\b/i.test(type) || file.endsWith(".json") }
    },
    catch: (cause) => (cause instanceof FileIsUnusable ? cause : failed(connectionProblem(cause))),
  }).pipe(
    Effect.timeoutOrElse({
      duration: fetchedFileMaxMs,
      orElse: () => Effect.fail(failed(`cannot be read (no response within ${fetchedFileMaxMs / 1_000} s)`)),
    }),
  )
}

/** Without the user, password, query and fragment, which can be secret. */
const shownUrl = (url: string): string => {
  if (!URL.canParse(url)) return "a URL of -f"
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

const connectionProblem = (cause: unknown): string => {
  const { code } = ((cause as { readonly cause?: unknown }).cause ?? {}) as { readonly code?: string }
  return code === undefined
    ? "cannot be read; check the URL, which must not contain a user or password"
    : `cannot be read (${code})`
}

const follow = async (url: string, signal: AbortSignal): Promise<Response> => {
  let current = url
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(current, { signal, redirect: "manual" })
    const location = response.headers.get("location")
    if (response.status < 300 || response.status >= 400 || location === null) return response
    await response.body?.cancel()
    const next = new URL(location, current)
    const failed = (problem: string) => new FileIsUnusable({ message: `${shownUrl(url)}: ${problem}` })
    if (redirects === fetchedFileRedirectsMax)
      throw failed(`has more than ${fetchedFileRedirectsMax} redirects; specify the final URL`)
    if (!isUrl(next.href))
      throw failed(`is redirected to ${next.protocol}//; specify an http:// or https:// URL`)
    if (current.startsWith("https:") && next.protocol === "http:")
      throw failed("is redirected from https:// to http://; specify the final URL")
    current = next.href
  }
}

const readLimited = async (response: Response, tooLarge: () => FileIsUnusable): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > fetchedFileMaxBytes) throw tooLarge()
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}
