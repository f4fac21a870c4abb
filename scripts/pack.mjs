// `npm run pack`: writes the tarball of every published package to `packed`. TOCSIN_REPOSITORY is the URL of the
// repository that they name. HELP=off leaves out the documentation site.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root, run } from "./run.mjs"

const target = join(root, "packed")
const repository = process.env.TOCSIN_REPOSITORY ?? "https://git.example.com/tocsin/tocsin.git"
const folders = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "apps/server"]

run(process.execPath, [join(root, "node_modules/typescript/lib/tsc.js"), "-b"])
await import("./console.mjs")
await import("./bundle.mjs")
if (process.env.HELP !== "off") await import("./help.mjs")
rmSync(target, { recursive: true, force: true })
for (const folder of folders) {
  const stage = join(target, "stage", folder)
  mkdirSync(stage, { recursive: true })
  const description = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  delete description.private
  delete description.devDependencies
  const isServer = description.bin !== undefined
  const published = {
    ...description,
    repository: { type: "git", url: `git+${repository}`, directory: folder },
    // The server is a program, for which the repository has more entry points than users have.
    ...(isServer ? { exports: { "./package.json": "./package.json" } } : withoutSource(description)),
  }
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`)
  cpSync(join(root, "LICENSE"), join(stage, "LICENSE"))
  cpSync(join(root, folder, "README.md"), join(stage, "README.md"))
  if (isServer) {
    copyServer(join(root, folder), stage)
    writeFileSync(
      join(stage, "npm-shrinkwrap.json"),
      `${JSON.stringify(shrinkwrap(published), undefined, 2)}\n`,
    )
  } else copyModules(join(root, folder), stage)
  run("npm", ["pack", "--silent", "--pack-destination", target], { cwd: stage })
}
rmSync(join(target, "stage"), { recursive: true })
console.log(readdirSync(target).join("\n"))

/** Without the conditions that name sources, which are not published. */
function withoutSource({ imports, exports }) {
  const strip = (value) =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, inner]) => (key === "source" ? [] : [[key, strip(inner)]])),
        )
      : value
  return { ...(imports === undefined ? {} : { imports: strip(imports) }), exports: strip(exports) }
}

/**
 * The packages that the server installs, with their exact versions and checksums as the repository has them, which npm compares when
 * it downloads them: those of the embedded PostgreSQL.
 */
function shrinkwrap({ name, version, optionalDependencies }) {
  const { lockfileVersion, packages: locked } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  )
  const packages = { "": { name, version, optionalDependencies } }
  const add = (names) => {
    for (const dependency of names.sort()) {
      const path = `node_modules/${dependency}`
      if (path in packages) continue
      const { dev: _, ...entry } = locked[path]
      if (entry.integrity === undefined) throw new Error(`package-lock.json has no checksum of ${dependency}`)
      packages[path] = { ...entry, optional: true }
      add(Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }))
    }
  }
  add(Object.keys(optionalDependencies))
  return { name, version, lockfileVersion, requires: true, packages }
}

/** Without source maps, which are twice as large as the code, and without what V8 compiled, which only its version can use. */
function copyServer(folder, stage) {
  for (const name of ["bin/tocsin.mjs", "dist/tocsin.mjs", "dist/lib", "dist/console", "dist/help"]) {
    if (existsSync(join(folder, name)))
      cpSync(join(folder, name), join(stage, name), {
        recursive: true,
        filter: (path) => !/\.(map|cjs\.cache)$/.test(path),
      })
  }
}

/** Declarations, JavaScript and data of modules that still exist: `dist` also has those of deleted ones. */
function copyModules(folder, stage) {
  for (const file of readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".json")) cpSync(join(folder, "dist", file), join(stage, "dist", file))
    if (!file.endsWith(".ts") || file.endsWith(".d.ts")) continue
    const module = join("dist", file.slice(0, -".ts".length))
    for (const extension of [".js", ".js.map", ".d.ts"]) {
      const from = join(folder, module + extension)
      const to = join(stage, module + extension)
      mkdirSync(dirname(to), { recursive: true })
      const text = readFileSync(from, "utf8")
      writeFileSync(to, extension === ".d.ts" ? publishedDeclarations(text) : text)
    }
  }
}

/** With the extensions of the published files, and without the maps to sources, which are not published. */
function publishedDeclarations(text) {
  return text
    .replace(/(\bfrom\s+|\bimport\()"(\.{1,2}\/[^"]*)\.ts"/g, '$1"$2.js"')
    .replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n")
}
