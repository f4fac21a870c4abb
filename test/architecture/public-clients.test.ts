import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

/** What `packages/adapters-clients` alone knows: who the public clients are, what they call, and how they name things. */
const words = [
  /public[- ]clients?\b/i,
  /\b(sloctl|terraform|nobl9|go sdk)\b/i,
  /isPublicClient|foreign(Kind|Method|Document)|KeepForClients|unknownToClients|planIssues/i,
  /^\s*"alert_policy",|\["alert_policy"/,
  /\/api\/(annotations|timetravel|usrmgmt|budgetadjustments|internal)\b|\/oauth2\//,
]

/** The adjustments that the clients know are told by what they are. */
const gone = [/isEventsForm|\bform\b.*"events"/]

const packages = ["domain", "api", "adapters-http", "adapters-pg", "adapters-memory"]

describe("the public clients are translated at the door", () => {
  it.each(packages)("packages/%s does not know them", (name) => {
    const source = join(root, "packages", name, "src")
    const found = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) =>
        readFileSync(join(source, file), "utf8")
          .split("\n")
          .filter((line) => [...words, ...gone].some((word) => word.test(line)))
          .map((line) => `${file}: ${line.trim()}`),
      )
    expect(found).toEqual([])
  })

  it("packages/adapters-clients does", () => {
    const source = join(root, "packages/adapters-clients/src")
    const lines = readdirSync(source)
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => readFileSync(join(source, file), "utf8").split("\n"))
    expect(words.filter((word) => !lines.some((line) => word.test(line)))).toEqual([])
  })
})
