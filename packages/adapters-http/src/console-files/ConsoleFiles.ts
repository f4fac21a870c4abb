import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"

/** A file of the web console, in memory. */
export interface ConsoleFile {
  readonly contentType: string
  readonly bytes: Uint8Array
  /** Of the bytes, without quotes. */
  readonly hash: string
  /** The same compressed, by the content coding; a coding that gains nothing is left out. */
  readonly compressed: ReadonlyMap<ContentCoding, Uint8Array>
}

/** The content codings that files are kept in, the best first. Source: RFC 9110 section 8.4.1; RFC 7932. */
export const contentCodings = ["br", "gzip"] as const

/** A content coding that files are kept in. */
export type ContentCoding = (typeof contentCodings)[number]

/** The files of the web console by their path on the server, as `/assets/main-Bx1.js`; empty: it was not built. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

/**
 * Reads what a build of the web console has written, all of it; nothing of the disk is looked at later.
 *
 * `name.br` and `name.gz` beside a file are the file compressed. Names that begin with a dot are left out, and so is
 * what has a type that no page uses. A directory that is not there gives no files.
 *
 * Source: spec/console §3.
 */
export const readConsoleFiles = (directory: string): Effect.Effect<ConsoleFiles> =>
  Effect.promise(async () => {
    const names = await namesUnder(directory)
    const files = new Map<string, ConsoleFile>()
    for (const name of names) {
      const contentType = contentTypes[extname(name)]
      if (contentType === undefined) continue
      const bytes = await readFile(join(directory, name))
      const compressed = new Map<ContentCoding, Uint8Array>()
      for (const coding of contentCodings) {
        const coded = `${name}${suffixes[coding]}`
        if (!names.has(coded)) continue
        const codedBytes = await readFile(join(directory, coded))
        if (codedBytes.length < bytes.length) compressed.set(coding, codedBytes)
      }
      const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
      files.set(`/${name.replaceAll(sep, "/")}`, { contentType, bytes, hash, compressed })
    }
    return files
  })

/**
 * The web console that a server serves beside its API; none where nothing is provided, and then nobody can sign in
 * either: cookies are not looked at.
 */
export const ConsoleOptions = Context.Reference<{ readonly files: ConsoleFiles | undefined }>(
  "@tocsin/adapters-http/console-files/ConsoleOptions",
  { defaultValue: () => ({ files: undefined }) },
)

/** Serves the web console built into a directory, or a page that says it is not built. */
export const layer = (directory: string): Layer.Layer<never> =>
  Layer.effect(
    ConsoleOptions,
    Effect.map(readConsoleFiles(directory), (files) => ({ files })),
  )

const namesUnder = async (directory: string): Promise<ReadonlySet<string>> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    },
  )
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
  return new Set(names.filter((name) => !name.split(sep).some((part) => part.startsWith("."))))
}

const suffixes: Readonly<Record<ContentCoding, string>> = { br: ".br", gzip: ".gz" }

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
}
