// Writes the pages of the documentation site: the documents of the repository, with links between pages, and those that
// are generated from the code.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** Files that documents link to are pages too, if they are text of these kinds. */
const shownFile = /\.(?:ts|py|go|java|rs|ya?ml|json)$/

/**
 * Writes the pages to `folder` and the configuration that the generator reads to `site.json`. Returns the paths of the files that
 * they were made of, relative to the repository.
 */
export async function writePages(folder, base) {
  const documents = documentsOf()
  const sources = new Set(documents.keys())
  const pages = new Map()
  const shown = new Map()

  const pageOf = (file) => {
    const page = documents.get(file)
    if (page !== undefined) return page
    if (!shownFile.test(file) || !existsSync(join(root, file))) return undefined
    const name = `files/${file.replaceAll(/[/.]/g, "-")}`
    shown.set(file, name)
    return name
  }
  for (const [file, page] of documents) {
    const text = readFileSync(join(root, file), "utf8")
    pages.set(page, withLinks(text, file, pageOf, (image) => sources.add(image)))
  }
  for (const [file, page] of shown) {
    sources.add(file)
    pages.set(page, `---\nsearch: false\n---\n\n# ${posix.basename(file)}\n\n\`${file}\` of the repository:\n\n${fenced(readFileSync(join(root, file), "utf8"))}\n`)
  }

  for (const [page, text] of pages) write(folder, `${page}.md`, text)
  for (const source of sources) if (source.endsWith(".png")) copy(source, folder, `public/images/${posix.basename(source)}`)
  copy("apps/console/public/favicon.svg", folder, "public/favicon.svg")
  sources.add("apps/console/public/favicon.svg").add("package.json")
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  write(folder, "site.json", JSON.stringify({ base, version, versions: [{ text: "Changelog", link: "/changelog" }], sidebar: [], keywords: {} }))
  return { sources: [...sources] }
}

/** The page of each document, by its path in the repository. */
function documentsOf() {
  const listed = (folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => [`${folder}/${name}`, `${folder.slice("docs/".length)}/${name === "README.md" ? "index" : name.slice(0, -3)}`])
  const packages = readdirSync(join(root, "packages")).map((name) => [`packages/${name}/README.md`, `packages/${name}`])
  return new Map([
    ["docs/README.md", "index"],
    ["README.md", "start"],
    ["CHANGELOG.md", "changelog"],
    ["docs/comparison.md", "comparison"],
    ["docs/benchmarks.md", "benchmarks"],
    ...listed("docs/guides"),
    ...listed("docs/spec"),
    ...packages,
    ["apps/server/README.md", "packages/server"],
  ])
}

/** A document with links to pages in place of files, and without links to what is no page. */
function withLinks(text, file, pageOf, onImage) {
  return outsideCode(text, (prose) =>
    prose.replaceAll(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)]*)?\)/g, (_, image, label, target, anchor = "") => {
      const path = posix.join(posix.dirname(file), target)
      if (image === "!") {
        onImage(path)
        return `![${label}](/images/${posix.basename(path)})`
      }
      const page = pageOf(path)
      return page === undefined ? label : `[${label}](/${page.replace(/(^|\/)index$/, "$1")}${anchor})`
    }),
  )
}

/** Changes what is not in fenced blocks; code spans are left as they are by patterns that do not match in them. */
function outsideCode(text, change) {
  return text
    .split(/(^```[^]*?^```$)/m)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join("")
}

function fenced(code) {
  return `\`\`\`\`\n${code.trimEnd()}\n\`\`\`\``
}

function write(folder, name, text) {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function copy(source, folder, name) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  copyFileSync(join(root, source), join(folder, name))
}
