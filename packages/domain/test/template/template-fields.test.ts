import * as Result from "effect/Result"
import {
  parseTemplate,
  renderTemplate,
  sampleVariableValues,
  templateFieldsToTemplate,
  variables,
} from "@tocsin/domain/template"
import { templateIssuesMax } from "../../src/template/Template.ts"
import { detailsSelectedAtFirst, variableByName, variableField } from "@tocsin/domain/forms"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyValues } from "./templates.ts"

const issuesOf = (fields: ReadonlyArray<string>) => {
  const built = templateFieldsToTemplate(fields)
  if (Result.isSuccess(built)) throw new Error("no issues")
  return built.failure
}

const rendered = (fields: ReadonlyArray<string>, values = sampleVariableValues) => {
  const built = templateFieldsToTemplate(fields)
  if (Result.isFailure(built)) throw new Error(JSON.stringify(built.failure))
  return renderTemplate(built.success, values)
}

describe("the body of template fields", () => {
  it("spec/templates §6: is one flat object, keys in the order listed, named as the variables without []", () => {
    expect(rendered(["slo_name", "alert_policy_conditions[]", "severity"])).toBe(
      '{"slo_name":"checkout-latency",' +
        '"alert_policy_conditions":["Average burn rate is at least 2 over the last 5 minutes","Remaining error budget is 10%"],' +
        '"severity":"high"}',
    )
    expect(rendered(["alert_policy_conditions[]"])).toBe(
      `{"alert_policy_conditions":${JSON.stringify(sampleVariableValues.alert_policy_conditions)}}`,
    )
    expect(rendered([])).toBe("{}")
  })

  it("spec/templates §6: holds exactly the values, for every list and all values", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...variables]), anyValues, (listed, values) => {
        const body = rendered(listed.map(variableField), values)
        expect(JSON.parse(body)).toStrictEqual(
          Object.fromEntries(listed.map(({ name }) => [name, values[name]])),
        )
      }),
    )
  })

  it("spec/templates §6: is the template that a user would write by hand", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...variables]), (listed) => {
        const members = listed.map((variable) =>
          variable.type === "array"
            ? `"${variable.name}":$${variable.name}[]`
            : `"${variable.name}":"$${variable.name}"`,
        )
        expect(templateFieldsToTemplate(listed.map(variableField))).toStrictEqual(
          parseTemplate(`{${members.join(",")}}`),
        )
      }),
    )
  })
})

describe("a list of template fields", () => {
  it("spec/templates §6: a duplicate is rejected", () => {
    expect(issuesOf(["slo_name", "severity", "slo_name"])).toMatchObject([{ code: "duplicate", index: 2 }])
  })

  it("spec/templates §1: an unknown field is rejected with the nearest one, all at once", () => {
    expect(
      issuesOf(["sloname", "$severity", "alert_policy_conditions", "slo_name[]", "", "zzz", "__proto__"]),
    ).toMatchObject([
      { code: "variable_unknown", index: 0, hint: "Did you mean slo_name?" },
      { code: "variable_unknown", index: 1, hint: "Did you mean severity?" },
      { code: "variable_unknown", index: 2, hint: "Did you mean alert_policy_conditions[]?" },
      { code: "variable_unknown", index: 3, hint: "Did you mean slo_name?" },
      { code: "variable_unknown", index: 4, message: 'There is no template field "".' },
      { code: "variable_unknown", index: 5, message: 'There is no template field "zzz".' },
      { code: "variable_unknown", index: 6 },
    ])
  })

  it("a huge list returns 100 issues", () => {
    const huge = Array.from({ length: 100_000 }, (_, i) => `field_${i}`)
    expect(issuesOf(huge)).toHaveLength(templateIssuesMax)
    expect(issuesOf(["x".repeat(1_000_000)])).toHaveLength(1)
  })
})

describe("the catalogue of variables", () => {
  it("spec/templates §1: is the whole catalog", () => {
    const names =
      `alert_policy_conditions alert_policy_conditions_text slo_name slo_labels_text service_labels_text
      alert_policy_labels_text project_name service_name organization alert_policy_name alert_policy_description severity
      slo_details_link objective_name timestamp iso_timestamp alert_id experience_name no_data_alert_after anomaly_type budget_exhausted_at acknowledge_link silence_name silence_ends_at
      alert_status slo_display_name objective_display_name notification_id`.split(/\s+/)
    expect(variables.map(({ name }) => name as string).toSorted()).toStrictEqual(names.toSorted())
    expect(new Set(names).size).toBe(variables.length)
  })

  it("spec/templates §2: names are lower-case words joined by _, and the array is followed by []", () => {
    for (const variable of variables) {
      expect(variable.name).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(variable.description).toMatch(/^[A-Z].*\.$/)
    }
    expect(variables.map(variableField).filter((field) => field.endsWith("[]"))).toStrictEqual([
      "alert_policy_conditions[]",
    ])
  })

  it("spec/templates §7: these details are ticked at first", () => {
    const ticked = detailsSelectedAtFirst.map((name) =>
      variableField(variableByName.get(name) ?? variables[0]),
    )
    expect(ticked).toStrictEqual([
      "project_name",
      "service_name",
      "slo_name",
      "objective_name",
      "alert_policy_name",
      "severity",
      "alert_policy_conditions[]",
      "slo_details_link",
      "iso_timestamp",
      "alert_id",
    ])
  })
})
