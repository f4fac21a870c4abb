// `npm run docs`: writes the reference of the published entry points to docs/reference, a page for each module, from
// the declarations that `tsc -b` writes. TypeDoc needs the JavaScript API of TypeScript, which TypeScript 7 has not.
import { parseSync } from "oxc-parser"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/**
 * The page of a module in Markdown: each export with its description and its declaration, in the order written.
 * Undefined for a module without exports.
 */
export const referencePage = (specifier, declarations) => {
  const { program, comments, errors } = parseSync(`${specifier}.d.ts`, declarations)
  if (errors.length > 0) throw new Error(`${specifier} cannot be parsed: ${errors[0].message}`)
  const local = new Map(program.body.flatMap((node) => namesOf(node).map((name) => [name, node])))
  const sections = program.body
    .flatMap((node) => exportsOf(node, local))
    .map(({ name, node }) => {
      const comment = descriptionBefore(node, comments, declarations)
      const text = declarations.slice(node.start, node.end).replace(/^export (?:declare )?|^declare /, "")
      const described = comment === "" ? [] : [comment]
      return [`## ${name}`, ...described, `\`\`\`ts\n${text.trim()}\n\`\`\``].join("\n\n")
    })
  const reExports = program.body
    .filter((node) => node.source && node.type.startsWith("Export"))
    .map((node) => `\`\`\`ts\n${declarations.slice(node.start, node.end)}\n\`\`\``)
  if (sections.length + reExports.length === 0) return undefined
  return `${[`# ${specifier}`, ...reExports, ...sections].join("\n\n")}\n`
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

/** The modules that a package publishes, as paths below `dist` without an extension. */
const publishedModules = (packageFolder) => {
  const { name, exports } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"))
  const declared = readdirSync(join(packageFolder, "dist"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".d.ts"))
    .map((file) => file.replaceAll("\\", "/").slice(0, -".d.ts".length))
    // Declarations of modules that are gone stay in `dist`.
    .filter((module) => existsSync(join(packageFolder, "src", `${module}.ts`)))
    .sort()
  const patterns = Object.entries(exports ?? {})
  const specifierOf = (module) => {
    const at = (path) =>
      patterns.find(([, target]) => target !== null && (target.types ?? target) === `./dist/${path}.d.ts`)
    const exact = at(module)
    if (exact) return join(name, exact[0]).replaceAll("\\", "/")
    const isHidden = patterns.some(
      ([pattern, target]) => target === null && module.startsWith(pattern.slice(2).replace(/\*$/, "")),
    )
    return !isHidden && at("*") ? `${name}/${module}` : undefined
  }
  return declared.flatMap((module) => {
    const specifier = specifierOf(module)
    return specifier === undefined ? [] : [{ specifier, module }]
  })
}

const main = () => {
  const compiled = spawnSync(process.execPath, [join(root, "node_modules/typescript/lib/tsc.js"), "-b"], {
    cwd: root,
    stdio: "inherit",
  })
  if (compiled.status !== 0) process.exit(compiled.status ?? 1)
  const target = join(root, "docs/reference")
  rmSync(target, { recursive: true, force: true })
  const index = [
    "# Reference",
    "The published entry points, generated from their declarations by `npm run docs`.",
  ]
  for (const folder of readdirSync(join(root, "packages")).sort()) {
    const packageFolder = join(root, "packages", folder)
    const links = publishedModules(packageFolder).flatMap(({ specifier, module }) => {
      const page = referencePage(
        specifier,
        readFileSync(join(packageFolder, "dist", `${module}.d.ts`), "utf8"),
      )
      if (page === undefined) return []
      const file = join(target, folder, `${module}.md`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, page)
      return [`- [${specifier}](${folder}/${module}.md)`]
    })
    if (links.length === 0) throw new Error(`packages/${folder} publishes no module`)
    index.push(`## ${folder}`, links.join("\n"))
  }
  writeFileSync(join(target, "README.md"), `${index.join("\n\n")}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
