import { checkPromQl, promqlErrorsMax } from "@tocsin/promql"
import { promqlMaxCharacters } from "@tocsin/domain/definitions"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { invalidExpressions, validExpressions } from "../../../../test/indicator/promql-expressions.ts"

const problemOf = (expression: string) =>
  checkPromQl(expression).map((each) => each.replace("is not valid PromQL at line ", ""))

describe("the check of PromQL", () => {
  it.each(validExpressions)("spec/data-sources §1: accepts %s", (expression) => {
    expect(checkPromQl(expression)).toEqual([])
  })

  it.each(invalidExpressions)("spec/data-sources §1: rejects %s", (expression, ...problems) => {
    expect(problemOf(expression)).toEqual(problems)
  })

  it("spec/data-sources §1: names a few errors of an expression, and ends soon, whatever it is", () => {
    expect(checkPromQl("(rate(a)+rate(a)+rate(a)+rate(a)+rate(a)+rate(a)) + ".repeat(5) + "a")).toHaveLength(
      promqlErrorsMax,
    )
    const started = performance.now()
    for (const part of ["a+", "(", "-", "x{", "foo(", '"', "rate(a)+", " ", "a ", "\\", "a[", "#\n"]) {
      expect(checkPromQl(part.repeat(promqlMaxCharacters / part.length)).length).toBeGreaterThan(0)
    }
    for (const name of ["a", "b", "c", "d", "e"]) {
      const text = `${name.repeat(64)}${" ".repeat(9_900)}+ b )`
      expect(problemOf(text)).toEqual([`1, column ${text.length}: unexpected ")"`])
    }
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it("spec/data-sources §1: reports any text with a line and column of it", () => {
    const texts = fc.array(
      fc.constantFrom(
        ..."(){}[]\"'`,+-*/@:=~!#\\ \n",
        "sum",
        "rate",
        "by",
        "a",
        "1m",
        "offset",
        "or",
        "é",
        "😀",
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join("")
        for (const each of checkPromQl(text)) {
          const [, line = "", column = ""] = /at line (\d+), column (\d+): ./.exec(each) ?? []
          const found = text.split("\n")[Number(line) - 1]
          expect(Number(column)).toBeGreaterThan(0)
          expect(Number(column)).toBeLessThanOrEqual(Array.from(found ?? "").length + 1)
        }
      }),
    )
  })
})
