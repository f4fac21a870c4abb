import { describe, expect, it } from "vitest"
import { filesUnder, read } from "../deploy/Files.ts"

describe("the messages of the log", () => {
  it("that operations.md lists are those that the sources log", () => {
    const guide = read("docs/guides/operations.md")
    const section = guide.slice(guide.indexOf("\n## The log\n"), guide.indexOf("\n## Metrics\n"))
    const listed = [...section.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, message = ""]) => message),
    )
    expect(listed.length).toBeGreaterThan(20)
    const sources = ["packages", "apps"].flatMap((folder) => filesUnder(folder, /\/src\/.*\.ts$/)).map(read)
    expect(listed.filter((message) => !sources.some((source) => source.includes(`"${message}"`)))).toEqual([])
  })
})
