import { existsSync, readdirSync } from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { filesUnder, read, root } from "../deploy/Files.ts"

const sources = ["packages", "apps", "examples", "scripts", "test"].flatMap((folder) =>
  filesUnder(folder, /\.(?:tsx?|m?js|sql)$/),
)
const isTest = (file: string): boolean => /^(?:(?:apps|packages)\/[a-z-]+\/)?test\//.test(file)
const tests = sources.filter(isTest)
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...["docs/guides", "docs/spec", "docs/decisions"].flatMap((folder) => filesUnder(folder, /\.md$/)),
]

/** The numbers of a page's rules, in the order written. */
const rulesOf = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/^## §(\d+) \S/gm)].map(([, number]) => Number(number))

/** The pages of the specification with rules; the generated list of limits has none. */
const pages = filesUnder("docs/spec", /\.md$/)
  .map((file) => ({ name: path.basename(file, ".md"), text: read(file) }))
  .filter(({ text }) => rulesOf(text).length > 0)
const rules = new Set(
  pages.flatMap(({ name, text }) => rulesOf(text).map((number) => `spec/${name} §${number}`)),
)

/** The rules that a text cites, also where a comment breaks the line between page and number. */
const citedRules = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bspec\/([a-z-]+)[\s*/]+§(\d+)/g)].map(([, page, number]) => `spec/${page} §${number}`)

const decisions = readdirSync(path.join(root, "docs/decisions"))
  .filter((file) => file !== "README.md")
  .map((file) => ({ file, number: file.slice(0, 4), text: read(`docs/decisions/${file}`) }))

/** The numbers after `decision` or `decisions`, also when their list continues in the next line of a comment. */
const citedDecisions = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bdecisions?[\s*/]+(\d{4}(?:(?:,| and| or| to)+[\s*/]+\d{4})*)\b/gi)].flatMap(
    ([, numbers = ""]) => numbers.match(/\d{4}/g) ?? [],
  )

/** The citations that do not exist, as `file: citation`. */
const missing = (
  files: ReadonlyArray<string>,
  citedOf: (text: string) => ReadonlyArray<string>,
  known: ReadonlySet<string>,
): ReadonlyArray<string> =>
  files.flatMap((file) =>
    citedOf(read(file))
      .filter((citation) => !known.has(citation))
      .map((citation) => `${file}: ${citation}`),
  )

describe("the specification", () => {
  it.each(pages)("$name numbers its rules from 1 without a gap", ({ text }) => {
    expect(rulesOf(text)).toEqual(rulesOf(text).map((_, index) => index + 1))
  })

  it("lists every page in its index", () => {
    const index = read("docs/spec/README.md")
    expect(pages.filter(({ name }) => !index.includes(`](${name}.md)`)).map(({ name }) => name)).toEqual([])
  })

  it("has every rule that code, tests and documents cite", () => {
    expect(missing([...sources, ...documents], citedRules, rules)).toEqual([])
  })

  it("has no rule that no test names", () => {
    const named = new Set(
      [...tests, ...filesUnder("packages/testing/src/contract", /\.ts$/)]
        .flatMap((file) => [...read(file).matchAll(/(["'`])(?:\$\{\w+\}:? )?(spec\/[a-z-]+ §[^:]*): /g)])
        .flatMap(([, , tags = ""]) => citedRules(tags)),
    )
    expect([...rules].filter((rule) => !named.has(rule))).toEqual([])
  })

  it("names only codes and properties that the source has", () => {
    const source = sources
      .filter((file) => !isTest(file))
      .map(read)
      .join("\n")
    const unknown = pages.flatMap(({ name, text }) =>
      [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)]
        .filter(([, code = ""]) => !source.includes(code))
        .map(([, code]) => `${name}: ${code}`),
    )
    expect(unknown).toEqual([])
  })
})

describe("the decision records", () => {
  it.each(decisions)("$file has a context, options, a decision and consequences", ({ number, text }) => {
    const [opening = "", ...parts] = text.split(/^## /m)
    expect(opening).toMatch(new RegExp(`^# ${number} \\S.*\n\n$`))
    const titles = parts.map((part) => part.split("\n", 1)[0])
    expect(titles.slice(0, 4)).toEqual(["Context", "Options", "Decision", "Consequences"])
    expect(["Source", undefined]).toContain(titles[4])
    for (const part of parts) expect(part).toMatch(/^\w+\n\n\S/)
  })

  it("are numbered from 0001 without a gap, and all in the index", () => {
    expect(decisions.map(({ number }) => number)).toEqual(
      decisions.map((_, index) => String(index + 1).padStart(4, "0")),
    )
    const listed = [...read("docs/decisions/README.md").matchAll(/^\| \[\d{4}\]\(([^)]*)\)/gm)].map(
      ([, file]) => file,
    )
    expect(listed).toEqual(decisions.map(({ file }) => file))
    expect(listed.filter((file = "") => !existsSync(path.join(root, "docs/decisions", file)))).toEqual([])
  })

  it("exist for every number that code, tests and documents cite", () => {
    const known = new Set(decisions.map(({ number }) => number))
    expect(missing([...sources, ...documents], citedDecisions, known)).toEqual([])
  })
})
