import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ErrorCodeText, errorCodeTexts, warningCodeTexts } from "@tocsin/api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { writePages } from "../../scripts/help-pages.mjs"
import { tocsin } from "../server/child-process.ts"

const root = join(import.meta.dirname, "../..")
const { helpAddress } = (await import(
  new URL("../../apps/console/src/shell/HelpPages.ts", import.meta.url).href
)) as { readonly helpAddress: (path: string) => string }

const folder = mkdtempSync(join(tmpdir(), "tocsin-help-pages-"))
/** The Markdown of each page by its path, such as `guides/alerting`. */
let pages: ReadonlyMap<string, string>

beforeAll(async () => {
  const written = join(folder, "pages")
  await writePages(written, { base: "/help/" })
  pages = new Map(
    readdirSync(written, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => [
        name.slice(0, -".md".length).replace(/(^|\/)index$/, "$1"),
        readFileSync(join(written, name), "utf8"),
      ]),
  )
})

afterAll(() => rmSync(folder, { recursive: true }))

/** The anchors of the headings of a page, as GitHub and the site make them. */
const anchorsOf = (markdown: string): ReadonlyArray<string> =>
  Array.from(markdown.matchAll(/^#+ +(.+)$/gm), ([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )

/** Whether an address below `/help/` names a page, and a heading of it. */
const exists = (address: string): boolean => {
  const [path = "", anchor] = address.slice("/help/".length).split("#")
  const page = pages.get(path)
  return page !== undefined && (anchor === undefined || anchorsOf(page).includes(anchor))
}

describe("the pages of the documentation site", () => {
  it("explain each code of an error and warning, and each code in the source", () => {
    const codes: Readonly<Record<string, ErrorCodeText>> = { ...errorCodeTexts, ...warningCodeTexts }
    for (const [code, { see }] of Object.entries(codes)) {
      expect(pages.get(`errors/${code}`), code).toContain("What to do")
      if (see !== undefined) expect(exists(`/help/${see}`), `${code}: ${see}`).toBe(true)
    }
    const used = readdirSync(join(root, "packages"), { withFileTypes: true }).flatMap(({ name }) =>
      // A receiver has codes of its own.
      name === "receiver" || name === "testing" ? [] : codesIn(join(root, "packages", name, "src")),
    )
    expect(used.length).toBeGreaterThan(100)
    expect(used.filter((code) => !(code in codes))).toEqual([])
  })

  it("are linked from every page of the console, command and topic", async () => {
    const app = readFileSync(join(root, "apps/console/src/App.tsx"), "utf8")
    const paths = Array.from(app.matchAll(/^ {2,4}\[?\s*"(\/[^"]*)"/gm), ([, path = ""]) => path)
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.map(helpAddress).filter((address) => !exists(address))).toEqual([])
    const { stdout } = await tocsin(["help", "help"])
    const topics = /Topics: ([\w, -]+)/.exec(stdout)?.[1]?.split(", ") ?? []
    expect(topics.length).toBeGreaterThan(3)
    for (const topic of topics) {
      const help = await tocsin(["help", topic])
      expect(help.stdout).toContain(`/help/commands/topics#${topic}`)
      expect(exists(`/help/commands/topics#${topic}`), topic).toBe(true)
    }
  })
})

/** The codes that the modules of a folder give errors. */
const codesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) =>
      Array.from(
        readFileSync(join(directory, name), "utf8").matchAll(/\bcode: "(\w+)"/g),
        ([, code = ""]) => code,
      ),
    )
