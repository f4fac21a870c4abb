import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const root = new URL("../../apps/console/src/", import.meta.url).pathname

const tokens = "tokens.css"

const files = (ending: string) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .map((path) => ({ path, lines: readFileSync(root + path, "utf8").split("\n") }))

const sheets = files(".css")
const components = files(".tsx")

/** A size of text, a weight, a space, a radius or a shadow in numbers. A percentage is a share of what surrounds it, or a circle. */
const number =
  /^\s*(font-size|font-weight|border-radius|((row|column)-)?gap|padding[a-z-]*): (?!\d+%;).*[1-9]|^\s*margin[a-z-]*: .*\d(px|rem|em)|^\s*box-shadow: (?!inset)\d/

const color = /#[\da-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i

/** The same in the properties of elements and in objects of styles. */
const inScript =
  /(?<=\s)(gap|[mp][tblrxyse]?|fw|fz|lts)=(\{-?[1-9]|"-?\d+(px|rem| ))|\b(padding|margin|borderRadius|fontSize|fontWeight|gap)[A-Za-z]*: ("-?|`)?[1-9]/

describe("design tokens", () => {
  it("are the only values of sizes, weights, spaces, radii, shadows and colors", () => {
    expect(sheets.length).toBeGreaterThan(30)
    const outside = sheets
      .filter(({ path }) => path !== tokens)
      .flatMap(({ path, lines }) =>
        lines
          .filter((line) => number.test(withoutNames(line)) || color.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )
    expect(outside).toEqual([])
  })

  it("are the only such values in components", () => {
    expect(components.length).toBeGreaterThan(150)
    const outside = components.flatMap(({ path, lines }) =>
      lines
        .filter((line) => inScript.test(line) || color.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    expect(outside).toEqual([])
  })

  it("are all used", () => {
    const all = sheets.flatMap(({ lines }) => lines).join("\n")
    const scale = all.match(/(?<=^ +)--(font|weight|space|radius|shadow)-[\da-z]+(?=:)/gm) ?? []
    expect(scale.length).toBeGreaterThan(20)
    expect([...new Set(scale)].filter((name) => !all.includes(`var(${name})`))).toEqual([])
  })
})

/** A line without the names of tokens and what a hairline or a sign that is calculated from tokens needs. */
const withoutNames = (line: string): string =>
  line.replaceAll(/var\([^)]*\)|calc\(-1 \*|margin: -1px|margin: 14mm|\d+(ch|dvh)/g, "")
