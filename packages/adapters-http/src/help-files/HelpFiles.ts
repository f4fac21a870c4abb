import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lstat, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { contentTypes } from "../console-files/ConsoleFiles.ts"
import type { ContentCoding } from "../frame/AcceptEncoding.ts"
import { compressOnce } from "../frame/ContentCoding.ts"
import { type HelpBuild, HelpOptions, type HelpSite } from "../frame/HelpOptions.ts"
import { hashOfFile, type ServedFile } from "../frame/ServedFile.ts"

/**
 * Serves the documentation built in a directory. Files are read when they are first requested, so a directory that is built
 * while the server runs is served from then on. Until then, `/help` returns a page that says so, and why: a build writes its
 * state to a file beside the directory, `directory.build`.
 */
export const layer = (directory: string): Layer.Layer<never> =>
  Layer.effect(
    HelpOptions,
    Effect.promise(async () => ({ site: await makeHelpSite(directory) })),
  )

/** What is kept in memory of the files, in bytes. All of them have about half of that. */
const cachedMaxBytes = 32 * 1024 * 1024

/** The documentation in a directory, of which at most `maxBytes` are kept in memory: the files that were requested last. */
export const makeHelpSite = async (directory: string, maxBytes = cachedMaxBytes): Promise<HelpSite> => {
  const read = cachedFiles(directory, maxBytes)
  let isBuilt = (await stateOf(join(directory, documentName))) !== undefined
  return {
    isBuilt: () => isBuilt,
    read: async (path) => {
      const name = path === "" || path.endsWith("/") ? `${path}${documentName}` : path
      if (!isServedName(name)) return undefined
      const file = (await read(name)) ?? (await read(`${name}.html`))
      isBuilt ||= file !== undefined
      return file
    },
    build: () => readBuild(`${directory}.build`),
  }
}

const documentName = "index.html"

/** A file in memory; `state` says which version of it. */
interface CachedFile {
  readonly state: string
  readonly file: Promise<ServedFile>
  bytes: number
}

/**
 * Reads files by their names, and keeps them: each is read, hashed and compressed once until it changes, however many
 * requests there are.
 */
const cachedFiles = (directory: string, maxBytes: number) => {
  /** The first is the one that was not requested for the longest time. */
  const cached = new Map<string, CachedFile>()
  let cachedBytes = 0

  const remove = (name: string, entry: CachedFile): void => {
    if (cached.get(name) !== entry) return
    cached.delete(name)
    cachedBytes -= entry.bytes
  }
  const grow = (name: string, entry: CachedFile, bytes: number): void => {
    if (cached.get(name) !== entry) return
    entry.bytes += bytes
    cachedBytes += bytes
    for (const [oldest, other] of cached) {
      if (cachedBytes <= maxBytes) return
      remove(oldest, other)
    }
  }

  return async (name: string): Promise<ServedFile | undefined> => {
    const contentType = contentTypes[extname(name)]
    if (contentType === undefined) return undefined
    const path = join(directory, name)
    const state = await stateOf(path)
    if (state === undefined) return undefined
    const known = cached.get(name)
    if (known !== undefined) remove(name, known)
    const isCurrent = known?.state === state.version
    const entry: CachedFile = isCurrent
      ? known
      : {
          state: state.version,
          file: readHelpFile(path, contentType, (bytes) => grow(name, entry, bytes)),
          bytes: 0,
        }
    cached.set(name, entry)
    cachedBytes += entry.bytes
    if (!isCurrent) grow(name, entry, state.size)
    try {
      return await entry.file
    } catch (error) {
      remove(name, entry)
      // It was deleted meanwhile.
      if (isMissing(error)) return undefined
      throw error
    }
  }
}

/** Calls `onCompressed` with the size of each compressed form that is kept. */
const readHelpFile = async (
  path: string,
  contentType: string,
  onCompressed: (bytes: number) => void,
): Promise<ServedFile> => {
  const bytes = await readFile(path)
  const compress = compressOnce(bytes)
  const counted = new Set<ContentCoding>()
  return {
    contentType,
    bytes,
    hash: hashOfFile(bytes),
    compressed: async (coding) => {
      const compressed = await compress(coding)
      if (compressed !== undefined && !counted.has(coding)) onCompressed(compressed.length)
      counted.add(coding)
      return compressed
    },
  }
}

/** Changes when a file is replaced; `undefined` if there is no such file. */
const stateOf = async (
  path: string,
): Promise<{ readonly version: string; readonly size: number; readonly modifiedAt: number } | undefined> => {
  try {
    const stats = await lstat(path)
    if (!stats.isFile()) return undefined
    const { ino, mtimeMs, size } = stats
    return { version: `${ino} ${mtimeMs} ${size}`, size, modifiedAt: mtimeMs }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const readBuild = async (path: string): Promise<HelpBuild> => {
  const state = await stateOf(path)
  if (state === undefined) return { state: "none" }
  const [first = "", reason = ""] = (await readFile(path, "utf8")).split("\n")
  if (first === "failed") return { state: "failed", reason }
  const isRunning = first === "building" && Date.now() - state.modifiedAt < buildMaxMs
  return { state: isRunning ? "building" : "none" }
}

/** A build that began before was killed. */
const buildMaxMs = 30 * 60 * 1_000

/** Whether there is no file at a path, or none that the server may read. */
const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "EISDIR", "ENAMETOOLONG", "ELOOP", "EACCES"].includes(
    String((error as NodeJS.ErrnoException).code),
  )

/** Names of the generator: no part begins with a dot, so none leaves the directory. */
const isServedName = (name: string): boolean =>
  name.length <= nameMaxLength && name.split("/").every((part) => servedPart.test(part))

const nameMaxLength = 1_000
const servedPart = /^[\w@-][\w.@-]{0,199}$/
