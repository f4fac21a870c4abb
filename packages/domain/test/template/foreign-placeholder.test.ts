import { foreignPlaceholders } from "../../src/template/ForeignPlaceholder.ts"
import { templateIsForeign } from "../../src/definition/TemplateIsForeign.ts"
import { decodeDefinition } from "@tocsin/domain"
import { parseTemplate, variables } from "@tocsin/domain/template"
import * as fc from "fast-check"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { anAlertMethod, changed, decodeOptions } from "../../../../test/definition/valid-definitions.ts"

const warningsOf = (template: string) => {
  const body = { url: "https://hooks.example.com/", template }
  const decoded = decodeDefinition(changed(anAlertMethod(), "spec.webhook", body), decodeOptions)
  if (Result.isFailure(decoded)) throw new Error(JSON.stringify(decoded.failure))
  return decoded.success.kind === "AlertMethod" ? templateIsForeign(decoded.success) : []
}

describe("spec/templates §12: placeholders of other tools", () => {
  it.each([
    ["{{ .CommonLabels.alertname }}", "alert_policy_name"],
    ["{{ .Status | toUpper }}", "alert_status"],
    ["{{- .GroupLabels.severity -}}", "severity"],
    ["{{ $labels.service }}", "service_name"],
    ["{{{ slo_name }}}", "slo_name"],
    ["${slo_name}", "slo_name"],
    ["${labels.severity}", "severity"],
    ["<%= status %>", "alert_status"],
    ["[[slo]]", "slo_name"],
    ["%{slo_name}", "slo_name"],
    ["%(severity)s", "severity"],
    ["#{alertName}", "alert_policy_name"],
    ["@{slo_nam}", "slo_name"],
    ["{slo_name}", "slo_name"],
    ["<severity>", "severity"],
    ["$SLO_NAME", "slo_name"],
    ["$sloName".replace("s", "S"), "slo_name"],
    ["{alert_policy_conditions}", "alert_policy_conditions_text"],
    ["{{ range .Alerts }}", undefined],
    ["{{ end }}", undefined],
    ["{% if firing %}", undefined],
    ['{{ index .Labels "x" }}', undefined],
    ["${}", undefined],
  ])("%s: $%s", (text, variable) => {
    const found = foreignPlaceholders(`a ${text} b`)
    expect(found).toEqual([
      { from: 2, to: 2 + text.length, text, ...(variable !== undefined && { variable }) },
    ])
  })

  it.each([
    "$slo_name",
    "$5 or $USD",
    "<https://example.com|text> <!channel> <@U123>",
    "{a} {text} 100% of {x: y}",
    "[link](https://example.com) [[1]]",
    "50% (five)s",
  ])("%s has none", (text) => {
    expect(foreignPlaceholders(text)).toEqual([])
  })

  it("a template of Alertmanager is rewritten as a whole", () => {
    const template = '{"text": "{{ .CommonLabels.alertname }} is {{ .Status }}: ${severity}", "n": [[1]]}'
    const suggestion = '{"text": "$alert_policy_name is $alert_status: $severity", "n": [[1]]}'
    const [warning, ...others] = warningsOf(template)
    expect(others).toEqual([])
    expect(warning).toMatchObject({ path: "spec.webhook.template", code: "foreign_placeholder", suggestion })
    expect(warning?.message).toContain("{{ .Status }} (write $alert_status)")
    expect(warningsOf(suggestion)).toEqual([])
  })

  it("has no suggestion where a placeholder has no variable, or a letter follows it, or it is in a key", () => {
    for (const template of [
      '{"a": "{{ range .Alerts }}{{ .Status }}{{ end }}"}',
      '{"a": "{{ .Status }}s"}',
      '{"{{ .Status }}": 1}',
    ])
      expect(warningsOf(template)).toMatchObject([{ code: "foreign_placeholder" }])
    expect(warningsOf('{"a": "{{ range .Alerts }}"}')[0]).not.toHaveProperty("suggestion")
    expect(warningsOf('{"{{ .Status }}": 1}')[0]).not.toHaveProperty("suggestion")
  })

  it("names at most 5 of them", () => {
    const many = Array.from({ length: 9 }, (_, index) => `\${x${index}}`).join(" ")
    expect(warningsOf(JSON.stringify(many))[0]?.message).toContain("${x4} and 4 others")
  })

  it("every suggestion is a valid template without placeholders", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "{{ .Status }}",
        "${slo}",
        "<%= severity %>",
        "[[alertname]]",
        "{{ end }}",
        "$slo_name",
        '\\"',
        "\\u0024",
        "{{",
        "}}",
      ),
      fc.string({ maxLength: 5 }).map((text) => JSON.stringify(text).slice(1, -1).replaceAll("$", "")),
      fc.constantFrom(...variables.map(({ name }) => `\${${name}}`)),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const template = `{"a": "${pieces.join("")}"}`
        fc.pre(Result.isSuccess(parseTemplate(template)))
        for (const { suggestion } of warningsOf(template)) {
          if (suggestion === undefined) continue
          expect(Result.isSuccess(parseTemplate(suggestion))).toBe(true)
          expect(warningsOf(suggestion)).toEqual([])
        }
      }),
    )
  })
})
