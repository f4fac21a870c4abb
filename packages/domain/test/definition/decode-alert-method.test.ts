import * as Result from "effect/Result"
import { makeAddressPolicy } from "@tocsin/domain/delivery"
import { templateMaxBytes } from "@tocsin/domain/template"
import { reservedHeaderNames } from "../../src/alert-method/CustomHeader.ts"
import {
  customHeaderNameMaxCharacters,
  customHeadersMax,
  customHeaderValueMaxCharacters,
  customHeadersMaxBytes,
} from "../../src/alert-method/CustomHeaderLimits.ts"
import { descriptionMaxCharacters } from "../../src/metadata/MetadataLimits.ts"
import { describe, expect, it } from "vitest"
import {
  anAlertMethod,
  changed,
  codesOf,
  decodeOptions,
  issuesOf,
  type Plain,
} from "../../../../test/definition/valid-definitions.ts"

const method = anAlertMethod()
const webhook = "spec.webhook"
const withWebhook = (property: string, value: unknown): Plain =>
  changed(method, `${webhook}.${property}`, value)
const withHeader = (header: Plain): Plain => withWebhook("headers", [header])
const withTemplate = (template: unknown): Plain =>
  changed(withWebhook("templateFields", undefined), `${webhook}.template`, template)

describe("an alert method", () => {
  it("is valid with template fields, and with a template", () => {
    expect(issuesOf(method)).toEqual([])
    expect(issuesOf(withTemplate('{"slo": "$slo_name", "why": $alert_policy_conditions[]}'))).toEqual([])
  })

  it("spec/alert-methods §1: needs apiVersion, kind, name, and what it sends where", () => {
    expect(codesOf({})).toEqual([
      ["apiVersion", "required"],
      ["kind", "required"],
      ["metadata", "required"],
    ])
    expect(codesOf({ apiVersion: "tocsin/v1alpha", kind: "AlertMethod" })).toEqual([
      ["metadata", "required"],
      ["spec", "required"],
    ])
    expect(codesOf(changed(method, "metadata.name", undefined))).toEqual([["metadata.name", "required"]])
    expect(codesOf(changed(method, "spec.webhook", undefined))).toEqual([["spec.webhook", "required"]])
  })

  describe("its URL", () => {
    it("spec/alert-methods §2: must start with https://", () => {
      expect(codesOf(withWebhook("url", "http://hooks.example.com/"))).toEqual([
        [`${webhook}.url`, "url_not_https"],
      ])
      expect(codesOf(withWebhook("url", 1))).toEqual([[`${webhook}.url`, "wrong_type"]])
    })

    it("spec/alert-methods §2: is rejected to lead into a private network, unless the operator allows it", () => {
      const inside = withWebhook("url", "https://10.1.2.3:8443/")
      expect(codesOf(inside)).toEqual([[`${webhook}.url`, "url_address_forbidden"]])
      const policy = makeAddressPolicy(["10.0.0.0/8"])
      expect(
        Result.isSuccess(policy) && issuesOf(inside, { ...decodeOptions, addressPolicy: policy.success }),
      ).toEqual([])
    })

    it("spec/definitions §8: may be hidden or omitted when decoded", () => {
      for (const url of ["[hidden]", undefined, "", null])
        expect(issuesOf(withWebhook("url", url))).toEqual([])
    })

    it("spec/definitions §8: never shows itself, or any secret, in an issue", () => {
      const wrong = changed(
        changed(
          withWebhook("url", "http://u:url-secret@example.com/"),
          `${webhook}.headers[1].value`,
          " header-secret",
        ),
        `${webhook}.url: https://url-secret/`,
        null,
      )
      const issues = issuesOf(wrong)
      expect(issues).toHaveLength(3)
      expect(JSON.stringify(issues)).not.toContain("secret@")
      expect(JSON.stringify(issues)).not.toContain("header-secret")
      expect(JSON.stringify(issues)).not.toContain("url-secret")
    })
  })

  describe("what it sends", () => {
    it("spec/alert-methods §3: both template and templateFields is invalid", () => {
      expect(codesOf(withWebhook("template", "{}"))).toEqual([[webhook, "mutually_exclusive"]])
    })

    it("spec/alert-methods §3: neither template nor templateFields is invalid", () => {
      expect(codesOf(withWebhook("templateFields", undefined))).toEqual([[webhook, "required"]])
    })

    it("spec/templates §3: a custom payload that is not JSON is not accepted", () => {
      const [issue, ...more] = issuesOf(withTemplate("{\n  \"a\": 'b'\n}"))
      expect(more).toEqual([])
      expect(issue).toMatchObject({ path: `${webhook}.template`, code: "not_json" })
      expect(issue?.message).toMatch(/^line 2, column 8: /)
    })

    it("spec/alert-methods §3: an empty template counts as present and is not JSON", () => {
      expect(codesOf(withTemplate(""))).toEqual([[`${webhook}.template`, "not_json"]])
      expect(codesOf(withWebhook("template", ""))).toEqual([
        [webhook, "mutually_exclusive"],
        [`${webhook}.template`, "not_json"],
      ])
    })

    it("spec/alert-methods §3: an empty list of template fields is treated as omitted", () => {
      expect(codesOf(withWebhook("templateFields", []))).toEqual([[webhook, "required"]])
      expect(issuesOf(changed(withTemplate("{}"), `${webhook}.templateFields`, []))).toEqual([])
    })

    it("spec/templates §6: a duplicate field is rejected", () => {
      expect(codesOf(withWebhook("templateFields", ["slo_name", "severity", "slo_name"]))).toEqual([
        [`${webhook}.templateFields[2]`, "duplicate"],
      ])
    })

    it("spec/templates §1: an unknown field is rejected with the nearest one", () => {
      const [issue] = issuesOf(withWebhook("templateFields", ["slo_nam"]))
      expect(issue).toMatchObject({ path: `${webhook}.templateFields[0]`, code: "variable_unknown" })
      expect(issue?.message).toContain("Did you mean slo_name?")
    })

    it("spec/templates §10: a template has at most 64 KiB", () => {
      const ofBytes = (bytes: number): string => `"${"x".repeat(bytes - 2)}"`
      expect(issuesOf(withTemplate(ofBytes(templateMaxBytes)))).toEqual([])
      expect(codesOf(withTemplate(ofBytes(templateMaxBytes + 1)))).toEqual([
        [`${webhook}.template`, "too_large"],
      ])
    })

    it("spec/templates §3: all issues of a template are reported, in the order of their positions", () => {
      const messages = issuesOf(withTemplate('{"a": "$nope",\n "b": $slo_name}')).map(
        ({ message }) => message,
      )
      expect(messages).toHaveLength(2)
      expect(messages[0]).toMatch(/^line 1, column 8: /)
      expect(messages[1]).toMatch(/^line 2, column 7: /)
    })

    it("a template that is an object, as YAML easily gives, must be a string", () => {
      expect(codesOf(withTemplate({ a: 1 }))).toEqual([[`${webhook}.template`, "wrong_type"]])
    })

    it("spec/alert-methods §7: sendResolution is true or false", () => {
      expect(issuesOf(withWebhook("sendResolution", true))).toEqual([])
      expect(codesOf(withWebhook("sendResolution", "yes"))).toEqual([
        [`${webhook}.sendResolution`, "wrong_type"],
      ])
    })
  })

  describe("its custom headers", () => {
    const path = `${webhook}.headers`

    it("spec/alert-methods §4: are at most 10, each with name, value and isSecret, which is false at first", () => {
      const headers = Array.from({ length: customHeadersMax }, (_, at) => ({
        name: `X-${at}`,
        value: "v",
      }))
      expect(issuesOf(withWebhook("headers", headers))).toEqual([])
      expect(codesOf(withWebhook("headers", [...headers, { name: "X-10", value: "v" }]))).toEqual([
        [path, "too_many"],
      ])
      expect(codesOf(withHeader({}))).toEqual([
        [`${path}[0].name`, "required"],
        [`${path}[0].value`, "required"],
      ])
      expect(codesOf(withHeader({ name: "X-A", value: "v", isSecret: "true" }))).toEqual([
        [`${path}[0].isSecret`, "wrong_type"],
      ])
    })

    it.each(["X-Team", "x_team", "1", "9-a"])("spec/alert-methods §1: %s is a header name", (name) => {
      expect(issuesOf(withHeader({ name, value: "v" }))).toEqual([])
    })

    it.each(["-a", "_a", "a b", "a:b", "a.b", "é", "a\n"])(
      "spec/alert-methods §1: %j is no header name",
      (name) => {
        expect(codesOf(withHeader({ name, value: "v" }))).toEqual([[`${path}[0].name`, "invalid_format"]])
      },
    )

    it("spec/alert-methods §5: a name has at most 128 characters", () => {
      const longest = "a".repeat(customHeaderNameMaxCharacters)
      expect(issuesOf(withHeader({ name: longest, value: "v" }))).toEqual([])
      const name = `${longest}a`
      expect(codesOf(withHeader({ name, value: "v" }))).toEqual([[`${path}[0].name`, "too_long"]])
    })

    it("spec/alert-methods §5: names are unique, letter case does not count", () => {
      const headers = [
        { name: "X-Team", value: "" },
        { name: "x-team", value: "v" },
      ]
      expect(codesOf(withWebhook("headers", headers))).toEqual([
        [`${path}[0].value`, "required"],
        [`${path}[1].name`, "duplicate"],
      ])
    })

    it.each(reservedHeaderNames.map((name) => name.replace("*", "Anything")))(
      "spec/alert-methods §5: the reserved name %s is rejected in any letter case",
      (name) => {
        for (const each of [name, name.toUpperCase(), name.replaceAll("-", "_")]) {
          expect(codesOf(withHeader({ name: each, value: "v" }))).toEqual([[`${path}[0].name`, "reserved"]])
        }
      },
    )

    it.each(["v", "a\tb c", "!~"])("spec/alert-methods §6: %j is a header value", (value) => {
      expect(issuesOf(withHeader({ name: "X-A", value }))).toEqual([])
    })

    it.each([
      ["  ", "required"],
      ["\t", "required"],
      [" v", "invalid_format"],
      ["v\t", "invalid_format"],
      ["a\r\nX-B: c", "invalid_format"],
      ["a\u0000", "invalid_format"],
      ["a\u007f", "invalid_format"],
      ["é", "invalid_format"],
      [1, "wrong_type"],
    ])("spec/alert-methods §6: %j is no header value: %s", (value, code) => {
      expect(codesOf(withHeader({ name: "X-A", value }))).toEqual([[`${path}[0].value`, code]])
    })

    it("spec/alert-methods §6: a value has at most 4,096 characters", () => {
      const value = "x".repeat(customHeaderValueMaxCharacters)
      expect(issuesOf(withHeader({ name: "X-A", value }))).toEqual([])
      expect(codesOf(withHeader({ name: "X-A", value: `${value}x` }))).toEqual([
        [`${path}[0].value`, "too_long"],
      ])
    })

    it("spec/alert-methods §6: all headers together have at most 16 KiB", () => {
      const perHeader = customHeadersMaxBytes / 8
      const headers = Array.from({ length: 8 }, (_, at) => ({
        name: `X-${at}`,
        value: "v".repeat(perHeader - 3),
      }))
      expect(issuesOf(withWebhook("headers", headers))).toEqual([])
      const tooMuch = [...headers.slice(1), { name: "X-0", value: "v".repeat(perHeader - 2) }]
      expect(codesOf(withWebhook("headers", tooMuch))).toEqual([[path, "too_long"]])
    })
  })

  it("spec/definitions §2: the description has at most 1050 characters, and a character is a code point", () => {
    const describing = (character: string, count: number): Plain =>
      changed(method, "spec.description", character.repeat(count))
    for (const character of ["x", "é", "🔔"]) {
      expect(issuesOf(describing(character, descriptionMaxCharacters))).toEqual([])
      expect(codesOf(describing(character, descriptionMaxCharacters + 1))).toEqual([
        ["spec.description", "too_long"],
      ])
    }
  })

  it("spec/alert-methods §1: another type of method is rejected by its name", () => {
    const issues = issuesOf(changed(method, "spec.slack", { url: "https://slack.example.com" }))
    expect(issues).toMatchObject([{ path: "spec.slack", code: "not_allowed_value" }])
    expect(issues[0]?.message).toMatch(/^is not supported: send a webhook to Slack/)
  })

  it("has no labels", () => {
    expect(codesOf(changed(method, "metadata.labels", { team: ["a"] }))).toEqual([
      ["metadata.labels", "unknown_property"],
    ])
  })

  it("spec/definitions §7: returns every issue, sorted by path", () => {
    const wrong = {
      apiVersion: "other/v1alpha",
      kind: "AlertMethod",
      metadata: { name: "Ops", displayName: "x".repeat(254), anotations: {} },
      spec: {
        description: "x".repeat(1051),
        webhook: {
          url: "http://example.com",
          template: "",
          templateFields: ["nope"],
          headers: Array.from({ length: 10 }, (_, at) => ({
            name: at === 9 ? "Host" : `X-${at}`,
            value: "",
          })),
        },
      },
    }
    const codes = codesOf(wrong)
    expect(codes.slice(0, 9)).toEqual([
      ["apiVersion", "not_allowed_value"],
      ["metadata.anotations", "unknown_property"],
      ["metadata.displayName", "too_long"],
      ["metadata.name", "invalid_format"],
      ["metadata.project", "required"],
      ["spec.description", "too_long"],
      ["spec.webhook", "mutually_exclusive"],
      ["spec.webhook.headers[0].value", "required"],
      ["spec.webhook.headers[1].value", "required"],
    ])
    expect(codes.slice(-5)).toEqual([
      ["spec.webhook.headers[9].name", "reserved"],
      ["spec.webhook.headers[9].value", "required"],
      ["spec.webhook.template", "not_json"],
      ["spec.webhook.templateFields[0]", "variable_unknown"],
      ["spec.webhook.url", "url_not_https"],
    ])
    for (const { code, message } of issuesOf(wrong)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(message).not.toBe("")
    }
  })
})
