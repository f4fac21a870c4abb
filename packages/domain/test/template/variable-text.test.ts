import { isoTimestampText, sampleVariableValues } from "@tocsin/domain/template"
import {
  conditionsText,
  labelsText,
  severityText,
  sloDetailsLink,
  unixSecondsText,
} from "../../src/template/VariableText.ts"
import { variableValues } from "../../src/template/Variable.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("how values are written", () => {
  it("spec/templates §8: labels are key:value pairs joined with a comma, one pair for each value", () => {
    expect(labelsText({ team: ["payments"], region: ["eu", "us"] })).toBe(
      "team:payments, region:eu, region:us",
    )
    expect(labelsText({})).toBe("")
    expect(labelsText({ team: [""], none: [] })).toBe("team:")
  })

  it("spec/templates §8: conditions are joined with a comma", () => {
    expect(conditionsText(["a", "b"])).toBe("a, b")
    expect(conditionsText([])).toBe("")
  })

  it("spec/templates §8: severity is in lower case", () => {
    expect(severityText("High")).toBe("high")
  })

  it("spec/templates §8: timestamp is Unix seconds as text", () => {
    expect(unixSecondsText(1_755_684_000_999)).toBe("1755684000")
    expect(unixSecondsText(0)).toBe("0")
  })

  it("spec/templates §8: iso_timestamp is RFC 3339 in UTC with seconds", () => {
    expect(isoTimestampText(1_755_684_000_999)).toBe("2025-08-20T10:00:00Z")
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (timeMs) => {
        const text = isoTimestampText(timeMs)
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
        expect(`${Date.parse(text) / 1000}`).toBe(unixSecondsText(timeMs))
      }),
    )
  })

  it("spec/templates §8: slo_details_link is the SLO's page in the console", () => {
    expect(sloDetailsLink("https://tocsin.example.com", "default", "latency")).toBe(
      "https://tocsin.example.com/slos/default/latency",
    )
    expect(sloDetailsLink("https://example.com/tocsin/", "a b/ü", "x?#\ud800")).toBe(
      "https://example.com/tocsin/slos/a%20b%2F%C3%BC/x%3F%23%EF%BF%BD",
    )
  })
})

describe("the values of a notification", () => {
  it("spec/templates §5: what does not apply is empty", () => {
    const values = variableValues({ slo_name: "latency" })
    expect(values).toStrictEqual({
      ...Object.fromEntries(Object.keys(sampleVariableValues).map((name) => [name, ""])),
      alert_policy_conditions: [],
      slo_name: "latency",
    })
  })

  it("spec/templates §1: experience_name is the objective's name", () => {
    expect(variableValues({ objective_name: "p99" }).experience_name).toBe("p99")
    expect(sampleVariableValues.experience_name).toBe(sampleVariableValues.objective_name)
  })

  it("spec/templates §8: the sample values are written as real ones", () => {
    const sample = sampleVariableValues
    expect(isoTimestampText(Number(sample.timestamp) * 1000)).toBe(sample.iso_timestamp)
    expect(conditionsText(sample.alert_policy_conditions)).toBe(sample.alert_policy_conditions_text)
    expect(sloDetailsLink("https://tocsin.example.com", sample.project_name, sample.slo_name)).toBe(
      sample.slo_details_link,
    )
  })
})
