import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import { type ContentCoding, contentCodings } from "../frame/AcceptEncoding.ts"
import { compressOnce } from "../frame/ContentCoding.ts"
import { hashOfFile, type ServedFile } from "../frame/ServedFile.ts"

/** By path, such as `/assets/main-Bx1.js`; empty if the web console was not built. */
export type ConsoleFiles = ReadonlyMap<string, ServedFile>

/** The document of every page, which names the other files. */
export const documentPath = "/index.html"

/**
 * Reads a build of the web console into memory.
 *
 * `name.br` and `name.gz` are the compressed file `name`; without them, it is compressed when first requested. Skips names
 * that begin with a dot, and types that no page uses. A missing directory has no files.
 */
export const readConsoleFiles = (directory: string): Effect.Effect<ConsoleFiles> =>
  Effect.promise(async () => {
    const names = await namesUnder(directory)
    const files = new Map<string, ServedFile>()
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
      const compressNow = compressOnce(bytes)
      files.set(`/${name.replaceAll(sep, "/")}`, {
        contentType,
        bytes,
        hash: hashOfFile(bytes),
        compressed: async (coding) => compressed.get(coding) ?? (await compressNow(coding)),
      })
    }
    return files
  })

/** The web console to serve beside the API; without `files`, sign-in is disabled and session cookies are ignored. */
export const ConsoleOptions = Context.Reference<{ readonly files: ConsoleFiles | undefined }>(
  "@tocsin/adapters-http/internal/console-files/ConsoleOptions",
  { defaultValue: () => ({ files: undefined }) },
)

/** Serves the web console built in a directory, or a page saying that it is not built. */
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

/** What follows the name of a file in the name of its compressed file. */
const suffixes: Readonly<Record<ContentCoding, string>> = { br: ".br", gzip: ".gz" }

/** By the extension of a file; other files are not served. */
export const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
}
