// `npm run docs`: writes the reference of the published entry points to docs/reference, a page for each, from
// the declarations that `tsc -b` writes. TypeDoc needs the JavaScript API of TypeScript, which TypeScript 7 has not.
import { parseSync } from "oxc-parser"
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/**
 * The page of an entry point in Markdown: each export with its description and its declaration, in the order written.
 * `read` gives the declarations of a module that it exports from, by its path relative to the module. Undefined for a
 * module without exports.
 */
export const referencePage = (specifier, declarations, read = () => "") => {
  const sections = sectionsOf(specifier, declarations, read)
  if (sections.length === 0) return undefined
  const texts = sections.map(({ name, comment, text }) =>
    [`## ${name}`, ...(comment === "" ? [] : [comment]), `\`\`\`ts\n${text}\n\`\`\``].join("\n\n"),
  )
  return `${[`# ${specifier}`, ...texts].join("\n\n")}\n`
}

const sectionsOf = (specifier, declarations, read) => {
  const { program, comments, errors } = parseSync(`${specifier}.d.ts`, declarations)
  if (errors.length > 0) throw new Error(`${specifier} cannot be parsed: ${errors[0].message}`)
  const local = new Map(program.body.flatMap((node) => namesOf(node).map((name) => [name, node])))
  return program.body.flatMap((node) => {
    if (node.source && node.type.startsWith("Export")) return reExportsOf(node, read)
    return exportsOf(node, local).map(({ name, node }) => ({
      name,
      comment: descriptionBefore(node, comments, declarations),
      text: declarations
        .slice(node.start, node.end)
        .replace(/^export (?:declare )?|^declare /, "")
        .trim(),
    }))
  })
}

/** What a statement exports from another module: all of it, all of it within a name, or some names. */
const reExportsOf = (node, read) => {
  const path = node.source.value
  if (!path.startsWith(".")) {
    return node.specifiers.map(({ local, exported }) => ({
      name: exported.name,
      comment: `The same as \`${local.name}\` of \`${path}\`.`,
      text: `export { ${local.name} } from "${path}"`,
    }))
  }
  const sections = sectionsOf(path, read(path), (inner) => read(join(dirname(path), inner)))
  if (node.type === "ExportAllDeclaration") {
    return node.exported
      ? sections.map((section) => ({ ...section, name: `${node.exported.name}.${section.name}` }))
      : sections
  }
  return node.specifiers.flatMap(({ local, exported }) =>
    sections
      .filter(({ name }) => name === local.name)
      .map((section) => ({ ...section, name: exported.name })),
  )
}

/** What a top-level statement declares, without the `export` before it. */
const declarationOf = (node) => (node.type.startsWith("Export") && node.declaration ? node.declaration : node)

const namesOf = (node) => {
  const declaration = declarationOf(node)
  if (declaration.type === "VariableDeclaration") return declaration.declarations.map(({ id }) => id.name)
  return declaration.id?.name === undefined ? [] : [declaration.id.name]
}

/** The exports of a statement that are declared in the module itself. */
const exportsOf = (node, local) => {
  if (!node.type.startsWith("Export") || node.source) return []
  if (node.declaration) return namesOf(node).map((name) => ({ name, node }))
  return (node.specifiers ?? []).flatMap(({ local: { name }, exported }) =>
    local.has(name) ? [{ name: exported.name, node: local.get(name) }] : [],
  )
}

/** The text of the docstring that ends right before a node. */
const descriptionBefore = (node, comments, text) => {
  const comment = comments.find(
    ({ type, value, end }) =>
      type === "Block" &&
      value.startsWith("*") &&
      end <= node.start &&
      text.slice(end, node.start).trim() === "",
  )
  if (comment === undefined) return ""
  return comment.value
    .slice(1)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim()
}

/** The entry points of a package, with the modules that they are, as paths below `dist` without an extension. */
const entryPoints = (packageFolder) => {
  const { name, exports } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"))
  return Object.entries(exports)
    .filter(([path]) => !path.includes("*"))
    .map(([path, { types }]) => ({
      specifier: join(name, path).replaceAll("\\", "/"),
      module: types.slice("./dist/".length, -".d.ts".length),
    }))
}

const main = () => {
  const compiled = spawnSync(process.execPath, [join(root, "node_modules/typescript/lib/tsc.js"), "-b"], {
    cwd: root,
    stdio: "inherit",
  })
  if (compiled.status !== 0) process.exit(compiled.status ?? 1)
  const target = join(root, "docs/reference")
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const index = [
    "# Reference",
    "The published entry points, generated from their declarations by `npm run docs`.",
  ]
  for (const folder of readdirSync(join(root, "packages")).sort()) {
    const packageFolder = join(root, "packages", folder)
    const links = entryPoints(packageFolder).map(({ specifier, module }) => {
      const declarationsOf = (path) => readFileSync(join(packageFolder, "dist", `${path}.d.ts`), "utf8")
      const page = referencePage(specifier, declarationsOf(module), (path) =>
        declarationsOf(join(dirname(module), path.replace(/\.ts$/, ""))),
      )
      if (page === undefined) throw new Error(`${specifier} exports nothing`)
      const file = `${specifier.replace("@tocsin/", "").replaceAll("/", "-")}.md`
      writeFileSync(join(target, file), page)
      return `- [${specifier}](${file})`
    })
    if (links.length === 0) throw new Error(`packages/${folder} publishes no module`)
    index.push(`## ${folder}`, links.join("\n"))
  }
  writeFileSync(join(target, "README.md"), `${index.join("\n\n")}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
