import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { blocksOf } from "./GuideShell.ts"

const root = path.resolve(import.meta.dirname, "../..")
const read = (file: string): string => readFileSync(path.join(root, file), "utf8")

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" }).map(
    (file) => `docs/${file}`,
  ),
].filter((file) => file.endsWith(".md"))

/** A document without its fenced blocks and code spans, in which brackets and `#` are not Markdown. */
const prose = (file: string): string =>
  read(file)
    .replaceAll(/^```[^]*?^```$/gm, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()#]/g, ""))

/** The anchors that GitHub gives the headings of a document. */
const anchorsOf = (file: string): ReadonlyArray<string> =>
  [...prose(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )

describe("the documents", () => {
  it("have no comment after a command, which an interactive zsh passes as arguments", () => {
    const commented = [...documents, "apps/server/README.md"].flatMap((document) =>
      blocksOf(read(document))
        .filter(({ language }) => language === "sh")
        .flatMap(({ code }) => code.match(/^.*\S +# .*$/gm) ?? [])
        .map((line) => `${document}: ${line}`),
    )
    expect(commented).toEqual([])
  })

  it("link to files and headings that exist", () => {
    const dead = documents.flatMap((document) =>
      [...prose(document).matchAll(/\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)/g)]
        .filter(([, file, anchor]) => {
          const target = file ? path.posix.join(path.posix.dirname(document), file) : document
          if (!existsSync(path.join(root, target))) return true
          return anchor !== undefined && !anchorsOf(target).includes(anchor)
        })
        .map(([link]) => `${document}: ${link}`),
    )
    expect(dead).toEqual([])
  })
})
