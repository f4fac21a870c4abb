import { execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { scratch } from "../server/child-process.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const migrationsFolder = "packages/adapters-pg/src/migrations"

/** What a build consists of. */
const sources = ["apps", "packages", "scripts", "package.json", "package-lock.json", "tsconfig.base.json"]

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

/**
 * An earlier commit whose schema the present migrations continue: the last release or, before there is one, the oldest
 * commit with the present schema. Otherwise why there is none.
 */
export const earlierCommit = (): { readonly commit: string } | { readonly missing: string } => {
  try {
    if (git("rev-parse", "--is-shallow-repository") === "true") return { missing: "a shallow clone" }
    const release = git("tag", "--merged", "HEAD~1", "--list", "v*", "--sort=-creatordate").split("\n")[0]
    if (release) return { commit: release }
    const commit = git("log", "-1", "--format=%H", "--", `${migrationsFolder}/Baseline.ts`)
    const isChanged = git("status", "--porcelain", "--", migrationsFolder) !== ""
    return isChanged || commit === git("rev-parse", "HEAD")
      ? { missing: "the schema has just changed" }
      : { commit }
  } catch {
    return { missing: "no git repository" }
  }
}

/** Builds the server of an earlier commit, and returns the path of its program. */
export const buildEarlier = (commit: string): string => {
  const folder = newFolder()
  const archive = execFileSync("git", ["archive", commit, ...sources], { cwd: root, maxBuffer: 2 ** 28 })
  execFileSync("tar", ["-x"], { cwd: folder, input: archive })
  return build(folder)
}

/** Builds the present server with more migrations after its own, and returns the path of its program. */
export const buildWithMigrations = (more: ReadonlyArray<ReadonlyArray<string>>): string => {
  const folder = newFolder()
  for (const name of sources)
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|dist)$/.test(path),
    })
  const file = join(folder, migrationsFolder, "Migrations.ts")
  const text = readFileSync(file, "utf8")
  const own = /(export const migrations: ReadonlyArray<Migration> = \[[^\]]*)\]/
  if (!own.test(text)) throw new Error("the list of migrations is not found")
  const added = more.map((statements) => `, ${JSON.stringify(statements)}`).join("")
  writeFileSync(
    file,
    text.replace(own, (_, list: string) => `${list.replace(/,?\s*$/, "")}${added}]`),
  )
  return build(folder)
}

const newFolder = (): string => mkdtempSync(join(scratch, "build-"))

/**
 * Bundles the sources in a folder with the packages that are installed here, but for those of the project itself. What only
 * an earlier build needs is a development dependency of the tests.
 */
const build = (folder: string): string => {
  const linkAll = (from: string, to: string): void => {
    if (!existsSync(from)) return
    mkdirSync(to)
    for (const name of readdirSync(from))
      if (name !== "@tocsin") symlinkSync(join(from, name), join(to, name))
  }
  linkAll(join(root, "node_modules"), join(folder, "node_modules"))
  const own = join(folder, "node_modules/@tocsin")
  mkdirSync(own)
  for (const name of readdirSync(join(folder, "packages"))) {
    const modules = join(folder, "packages", name, "node_modules")
    linkAll(join(root, "packages", name, "node_modules"), modules)
    for (const moved of movedFrom(join(folder, "packages", name))) {
      mkdirSync(modules, { recursive: true })
      symlinkSync(moved, join(modules, basename(moved)))
    }
    symlinkSync(join(folder, "packages", name), join(own, name))
  }
  symlinkSync(join(folder, "apps/cli"), join(own, "cli"))
  execFileSync(process.execPath, ["scripts/bundle.mjs"], { cwd: folder })
  return join(folder, "apps/server/dist/tocsin.mjs")
}

/** What an earlier package needs and only other packages have today, in the version that they have. */
const movedFrom = (folder: string): ReadonlyArray<string> => {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>
  }
  return Object.keys(dependencies).flatMap((name) => {
    if (name.startsWith("@") || existsSync(join(folder, "node_modules", name))) return []
    const found = readdirSync(join(root, "packages"))
      .map((other) => join(root, "packages", other, "node_modules", name))
      .find((path) => existsSync(path))
    return found === undefined ? [] : [found]
  })
}
