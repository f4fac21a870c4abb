import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const root = new URL("../../apps/console/src/", import.meta.url).pathname

const tokens = "tokens.css"

const sheets = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".css"))
  .map((path) => ({
    path,
    lines: readFileSync(root + path, "utf8").split("\n"),
  }))

/** A size of text, a weight, a radius or a shadow in numbers. A percentage is a share of what surrounds it, or a circle. */
const number = /^\s*(font-size|font-weight|border-radius): (?!\d+%;).*[1-9]|^\s*box-shadow: (?!inset)\d/

const color = /#[\da-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i

describe("design tokens", () => {
  it("are the only values of sizes, weights, radii, shadows and colors", () => {
    expect(sheets.length).toBeGreaterThan(30)
    const outside = sheets
      .filter(({ path }) => path !== tokens)
      .flatMap(({ path, lines }) =>
        lines
          .filter((line) => number.test(line.replaceAll(/var\([^)]*\)/g, "")) || color.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )
    expect(outside).toEqual([])
  })

  it("are all used", () => {
    const all = sheets.flatMap(({ lines }) => lines).join("\n")
    const scale = all.match(/(?<=^ +)--(font|weight|radius|shadow)-[a-z]+(?=:)/gm) ?? []
    expect(scale.length).toBeGreaterThan(10)
    expect([...new Set(scale)].filter((name) => !all.includes(`var(${name})`))).toEqual([])
  })
})
