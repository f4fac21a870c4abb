import { listedWarnings } from "@tocsin/domain"
import { decode, warning } from "@tocsin/domain/codec"
import { warningsMax } from "@tocsin/domain/limits"
import { sortedWarnings, type Warning } from "../../src/codec/Warning.ts"
import * as Result from "effect/Result"
import { expect, it } from "vitest"

const at = (path: string): Warning => ({ path, code: "notifies_nobody", message: "is empty" })

it("spec/definitions §14: at most 1,000 warnings are returned, after one that says so", () => {
  const warnings = Array.from({ length: warningsMax + 1 }, (_, index) => at(`spec.then[${index}]`))
  expect(sortedWarnings(warnings.slice(1))).toEqual(warnings.slice(1))
  const cut = sortedWarnings(warnings.toReversed())
  expect(cut.slice(1)).toEqual(warnings.slice(0, warningsMax))
  expect(cut[0]).toMatchObject({ path: "", code: "more_warnings" })
})

it("spec/definitions §14: paths begin with the position in a list of several definitions", () => {
  expect(listedWarnings([{ warnings: [at("spec.a")] }])).toEqual([at("spec.a")])
  const several = [{ warnings: [at("spec.a")] }, { warnings: [] }, { warnings: [at("")] }]
  expect(listedWarnings(several)).toEqual([at("[0].spec.a"), at("[2]")])
})

it("a warning is one shape", () => {
  const given = { ...at("spec"), suggestion: "x" }
  expect(decode(warning, given, {})).toEqual(Result.succeed(given))
  expect(Result.isFailure(decode(warning, { ...given, code: "other" }, {}))).toBe(true)
})
