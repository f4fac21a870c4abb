import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { contentTypes, suffixes } from "../console-files/ConsoleFiles.ts"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { HelpOptions } from "../frame/HelpOptions.ts"

/** A file of the documentation. */
export interface HelpFile {
  /** The value of the `Content-Type` header. */
  readonly contentType: string
  readonly bytes: Uint8Array
  /** The hash of the bytes, from which the ETag is made. */
  readonly hash: string
  /** The compressed bytes, where a file has them. */
  readonly compressed: NonNullable<ApiResponse["precompressed"]>
}

/**
 * Serves the documentation built in a directory. Files are read when they are requested, so a directory that is built while
 * the server runs is served from then on. Until then, `/help` returns a page that says so.
 */
export const layer = (directory: string): Layer.Layer<never> => Layer.succeed(HelpOptions, { directory })

/**
 * The file of a path below `/help/`, such as `guides/alerting` for `guides/alerting.html`; `undefined` if there is none.
 * Names that begin with a dot are not served.
 */
export const readHelpFile = async (directory: string, path: string): Promise<HelpFile | undefined> => {
  const name = path === "" || path.endsWith("/") ? `${path}index.html` : path
  if (!servedName.test(name)) return undefined
  return (await readServed(directory, name)) ?? (await readServed(directory, `${name}.html`))
}

const readServed = async (directory: string, name: string): Promise<HelpFile | undefined> => {
  const contentType = contentTypes[extname(name)]
  if (contentType === undefined) return undefined
  const bytes = await readExisting(join(directory, name))
  return (
    bytes && {
      contentType,
      bytes,
      hash: createHash("sha256").update(bytes).digest("base64url").slice(0, 22),
      compressed: (coding) => readExisting(join(directory, `${name}${suffixes[coding]}`)),
    }
  )
}

const readExisting = async (file: string): Promise<Uint8Array | undefined> => {
  try {
    return await readFile(file)
  } catch (error) {
    // A part of the path is missing, is a file or is a directory.
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(String((error as NodeJS.ErrnoException).code)))
      return undefined
    throw error
  }
}

/** Names of the generator: no part begins with a dot, so none leaves the directory. */
const servedName = /^(?:[\w@-][\w.@-]*\/)*[\w@-][\w.@-]*$/
