import { variables, type VariableValues } from "@tocsin/domain/template"
import * as fc from "fast-check"

/** A template's text, and what its rendering says for given values. */
export interface TemplateCase {
  readonly text: string
  readonly said: (values: VariableValues) => unknown
}

/** Any text: quotes, control characters, what looks like a variable, lone surrogates and line separators. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc
    .array(
      fc.constantFrom(
        '"',
        "\\",
        "\n",
        "\u0000",
        "\u2028",
        "$slo_name",
        "$",
        "[]",
        "\ud83d",
        "\ude00",
        "a",
        "/",
        "{",
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join("")),
)

/** Any value for each variable. */
export const anyValues: fc.Arbitrary<VariableValues> = fc.record(
  Object.fromEntries(
    variables.map((variable) => [
      variable.name,
      variable.type === "array" ? fc.array(anyText, { maxLength: 4 }) : anyText,
    ]),
  ),
) as fc.Arbitrary<unknown> as fc.Arbitrary<VariableValues>

const blank = fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\r"), maxLength: 3 })

/** One way of many to write fixed text within a JSON string, such that it names no variable. */
const writtenText = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.nat(3), { minLength: text.length, maxLength: text.length }).map((ways) =>
    text
      .split("")
      .map((char, i) => writtenChar(char, ways[i] ?? 0))
      .join(""),
  )

const writtenChar = (char: string, way: number): string => {
  const escaped = `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
  if (char === "$" || way === 0) return escaped
  if (way === 1) return escaped.replace(/[a-f]/g, (digit) => digit.toUpperCase())
  if (char === "/" && way === 2) return "\\/"
  const isSurrogate = /[\ud800-\udfff]/.test(char)
  return isSurrogate ? char : JSON.stringify(char).slice(1, -1)
}

const literalText = anyText.chain((text) =>
  writtenText(text).map((written) => ({ text: written, said: () => text })),
)

const textVariable = fc
  .constantFrom(...variables.filter((variable) => variable.type === "text"))
  .map(({ name }) => ({ text: `$${name}`, said: (values: VariableValues) => values[name] }))

const oddDollar = fc.constantFrom("$5", "$ ", "$A", "$$1", "$.").map((text) => ({ text, said: () => text }))

/** What ends a variable where it is followed by a character that could be of its name. */
const boundary = { text: ".", said: () => "." }

const stringCase: fc.Arbitrary<TemplateCase> = fc
  .array(fc.oneof(literalText, textVariable, oddDollar), { maxLength: 5 })
  .map((parts) => {
    const all = parts.flatMap((part, i) =>
      /^[^a-z_[]/.test(parts[i + 1]?.text ?? "") ? [part] : [part, boundary],
    )
    return {
      text: `"${all.map((part) => part.text).join("")}"`,
      said: (values: VariableValues) => all.map((part) => part.said(values)).join(""),
    }
  })

const loneVariable: fc.Arbitrary<TemplateCase> = textVariable.map((part) => ({
  ...part,
  text: `"${part.text}"`,
}))

const arrayCase: fc.Arbitrary<TemplateCase> = fc.constant({
  text: "$alert_policy_conditions[]",
  said: (values: VariableValues) => values.alert_policy_conditions,
})

const literalCase: fc.Arbitrary<TemplateCase> = fc
  .oneof(
    fc.constantFrom("true", "false", "null", "0", "-0", "1.50", "1e+3", "-2E-7", "12345678901234567890"),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  )
  .map((text) => ({ text, said: () => JSON.parse(text) as unknown }))

const spaced = (text: fc.Arbitrary<string>) => fc.tuple(blank, text, blank).map((parts) => parts.join(""))

/** A template that parses, and what it says. */
export const anyTemplate: fc.Arbitrary<TemplateCase> = fc.letrec<{ value: TemplateCase }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    stringCase,
    loneVariable,
    arrayCase,
    literalCase,
    fc
      .array(
        tie("value").chain((item) => spaced(fc.constant(item.text)).map((text) => ({ ...item, text }))),
        {
          maxLength: 4,
        },
      )
      .map((items) => ({
        text: `[${items.map((item) => item.text).join(",")}]`,
        said: (values: VariableValues) => items.map((item) => item.said(values)),
      })),
    fc
      .uniqueArray(fc.tuple(literalText, tie("value"), blank, blank), {
        maxLength: 4,
        selector: ([key]) => key.said(),
      })
      .map((members) => ({
        text: `{${members.map(([key, item, a, b]) => `${a}"${key.text}"${b}:${a}${item.text}${b}`).join(",")}}`,
        said: (values: VariableValues) =>
          Object.fromEntries(members.map(([key, item]) => [key.said(), item.said(values)])),
      })),
  ),
})).value
