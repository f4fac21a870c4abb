import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { program } from "./CommandProgram.ts"

const root = join(import.meta.dirname, "../../..")

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith(".md"))
    .map(({ name }) => join(folder, name))

const packages = ["apps", "packages"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => join(folder, name)),
)

const files = [
  ".",
  "docs",
  "docs/guides",
  "docs/spec",
  "docs/decisions",
  "deploy/helm/tocsin",
  ...packages,
].flatMap(filesOf)

/** The commands in a text, as it has them: in code within sentences, and on lines of shell blocks. */
const commandsIn = (text: string): ReadonlyArray<string> => {
  const inline = [...text.matchAll(/`(tocsin [a-z][^`]*)`/g)].map(([, code = ""]) => code)
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    block.replaceAll("\\\n", " ").split("\n"),
  )
  const lines = blocks.flatMap((line) =>
    [...line.matchAll(/(?:^|[|(;&"]\s*)(tocsin [a-z][^|;&)#]*)/g)].map(([, code = ""]) => code),
  )
  return [...inline, ...lines]
}

/** Why a documented command does not exist; undefined if it does. */
const issueOf = (text: string): string | undefined => {
  let command = program
  let isPath = true
  const ancestors = [program]
  for (const word of text.trim().split(/\s+/).slice(1)) {
    if (word.startsWith("-")) {
      isPath = false
      const [flag = ""] = word.split("=")
      if (/^--?[a-z][a-z-]*$/.test(flag) && flag !== "--help" && flag !== "-h") {
        const isKnown = ancestors.some(({ options }) =>
          options.some(({ long, short }) => long === flag || short === flag),
        )
        if (!isKnown) return `has no ${flag}`
      }
      continue
    }
    if (!isPath || !/^[a-z][a-z-]*$/.test(word)) {
      isPath = false
      continue
    }
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (next !== undefined) {
      command = next
      ancestors.push(next)
      continue
    }
    if (command.commands.length > 0) return `has no command ${word}`
    isPath = false
  }
  return undefined
}

describe("the commands in the documentation", () => {
  it("exist, with their flags", () => {
    const commands = files.flatMap((file) =>
      commandsIn(readFileSync(join(root, file), "utf8")).map((command) => ({ file, command })),
    )
    expect(commands.length).toBeGreaterThan(100)
    const unknown = commands.flatMap(({ file, command }) => {
      const issue = issueOf(command)
      return issue === undefined ? [] : [`${file}: ${command} (${issue})`]
    })
    expect(unknown).toEqual([])
  })
})
