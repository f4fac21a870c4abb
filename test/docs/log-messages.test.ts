import { describe, expect, it } from "vitest"
import { filesUnder, read } from "../deploy/Files.ts"

const section = (() => {
  const guide = read("docs/guides/operations.md")
  return guide.slice(guide.indexOf("\n## The log\n"), guide.indexOf("\n## Metrics\n"))
})()

const listed = [...section.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell = ""]) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, message = ""]) => message),
)

const sources = ["packages", "apps"]
  .flatMap((folder) => filesUnder(folder, /\/src\/.*\.ts$/))
  .map((file) => ({ file, source: read(file) }))

/** Messages that need no operator, and why. */
const notListed = new Map([
  ["Recovered", "the text below the table explains it"],
  ["Recording demo counts failed", "only `tocsin demo` logs it"],
  [
    "Ports are replaced, but not those that share their data",
    "only with stores of your own (`TOCSIN_STORES`)",
  ],
])

/** Where a variable is the message, and which. */
const variables = new Map([
  ["logError(cause)", "an internal error, whose text is the message"],
  ["logError(message", "what `logOutages` or `forkLoop` is given, which is found where they are called"],
  ["logWarning(message", "one of two messages in the same file, which are listed"],
])

describe("the messages of the log", () => {
  it("that operations.md lists are those that the sources log", () => {
    expect(listed.length).toBeGreaterThan(20)
    expect(
      listed.filter((message) => !sources.some(({ source }) => source.includes(`"${message}"`))),
    ).toEqual([])
  })

  it("at warning or error are all listed by operations.md", () => {
    const found = sources.flatMap(({ file, source }) =>
      [...source.matchAll(/\b(?:log(?:Warning|Error|Fatal)|logOutages|forkLoop)\(\s*("[^"]+"|\w+)/g)]
        .filter(([call]) => ![...variables.keys()].some((each) => `${call})`.startsWith(each)))
        .map(([, given = ""]) => {
          const constant = new RegExp(`const ${given} = ("[^"]+")`).exec(source)?.[1]
          const literal = given.startsWith('"') ? given : constant
          return literal === undefined ? `${file}: ${given}` : literal.slice(1, -1)
        }),
    )
    expect(found.length).toBeGreaterThan(50)
    const isExplained = (message: string) =>
      listed.includes(message) || notListed.has(message) || message.endsWith(" ended")
    expect([...new Set(found)].filter((message) => !isExplained(message))).toEqual([])
    expect([...notListed.keys()].filter((message) => !found.includes(message))).toEqual([])
  })
})
