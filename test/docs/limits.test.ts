import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const file = join(root, "docs/spec/limits.md")

/** A constant with a docstring and a number, or a list of numbers, as its value. */
const constant =
  /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport const (\w+) = ((?:[\d_.]+|\[[\d_., ]+\])(?: \* [\d_.]+)*),?\n/g

/** The same without a docstring. */
const undescribed =
  /(?<!\*\/\n)(?<=\n)export const (\w*(?:Max|Min|Ms|Bytes|Characters|Days|Seconds|Minutes|Bits)\w*) = [\d_.]/g

const packages = readdirSync(join(root, "packages")).filter(
  (name) => name !== "receiver" && name !== "testing",
)

const sources = packages.flatMap((name) => {
  const folder = join(root, "packages", name, "src")
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .toSorted()
    .map((path) => readFileSync(join(folder, path), "utf8"))
})

const limits = sources.flatMap((text) =>
  [...text.matchAll(constant)].map(([, comment = "", name = "", expression = ""]) => ({
    name,
    meaning: comment
      .replaceAll(/^\s*\* ?/gm, " ")
      .replaceAll(/\s+/g, " ")
      .replace(/ Source: .*$/, "")
      .trim(),
    value: expression.startsWith("[")
      ? expression.replaceAll(/[[\]]/g, "").replaceAll("_", ",")
      : expression
          .split("*")
          .reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1)
          .toLocaleString("en-US"),
  })),
)

const units = new Set(["minuteMs", "hourMs", "dayMs"])

const rows = limits
  .filter(({ name }) => !units.has(name))
  .map(({ name, meaning, value }) => `| ${meaning} | ${value} | \`${name}\` |`)

const table = `# Limits

Every limit of the service, with the constant that it has in the code. The name of a constant ends with its unit; one
without a unit is a number of things. \`npx vitest run test/docs/limits.test.ts -u\` writes this page from the constants.

| Limit | Value | Constant |
| --- | --- | --- |
${rows.join("\n")}
`

describe("the page of limits", () => {
  it("has a description of every constant", () => {
    expect(
      sources
        .flatMap((text) => Array.from(text.matchAll(undescribed), ([, name = ""]) => name))
        .filter((name) => !units.has(name)),
    ).toEqual([])
  })

  it("lists every constant with its value", async () => {
    expect(limits.length).toBeGreaterThan(100)
    const options = await resolveConfig(file)
    await expect(await format(table, { ...options, parser: "markdown" })).toMatchFileSnapshot(file)
  })
})
