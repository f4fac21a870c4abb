import { alertRequest, definition, moveRequest } from "@tocsin/domain"
import { decode, object, record, schemaOf, string } from "@tocsin/domain/codec"
import { kinds } from "@tocsin/domain/definitions"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { describe, expect, it } from "vitest"
import {
  aBudgetAdjustment,
  aDataSource,
  anAgent,
  anAlertMethod,
  anAlertPolicy,
  anAlertSilence,
  anSlo,
  aProject,
  aService,
  aSavedView,
  aSourceSlo,
  changed,
} from "../../../../test/definition/valid-definitions.ts"

const context = { addressPolicy: publicAddressesOnly }
const sloSchema = schemaOf(kinds.SLO.codec, context)
const definitionSchema = schemaOf(definition, context)

const issuesOf = (schema: Schema.Codec<unknown, unknown>, input: unknown) => {
  const decoded = Schema.decodeUnknownResult(schema)(input)
  return Result.isFailure(decoded)
    ? SchemaIssue.makeFormatterStandardSchemaV1()(decoded.failure.issue).issues
    : []
}

const documents = [
  aProject(),
  aService(),
  anSlo(),
  aSourceSlo(),
  anAlertPolicy(),
  anAlertMethod(),
  anAlertSilence(),
  aDataSource(),
  aBudgetAdjustment(),
  anAgent(),
  { ...anAgent(), kind: "Direct" },
  {
    apiVersion: "tocsin/v1alpha",
    kind: "Report",
    metadata: { name: "weekly" },
    spec: { filters: { projects: ["shop"] }, errorBudgetStatus: {} },
  },
  aSavedView(),
]

describe("a codec as a schema", () => {
  it("is tried with every kind", () => {
    expect(new Set(documents.map(({ kind }) => kind))).toEqual(new Set(Object.keys(kinds)))
  })

  it.each(documents)("decodes and encodes a definition as the codec does: %#", (document) => {
    const { apiVersion: _, ...json } = document
    const value = Schema.decodeUnknownSync(definitionSchema)(json)
    expect(value).toEqual(Result.getOrThrow(decode(definition, json, context)))
    const encoded = Schema.encodeSync(definitionSchema)(value)
    expect(Schema.decodeUnknownSync(definitionSchema)(encoded)).toMatchObject({ kind: json["kind"] })
  })

  it("hides secrets when it encodes", () => {
    const { apiVersion: _, ...json } = anAlertMethod()
    const value = Schema.decodeUnknownSync(definitionSchema)(json)
    expect(JSON.stringify(Schema.encodeSync(definitionSchema)(value))).not.toMatch(/url-secret|header-secret/)
  })

  it("reports every issue of the codec, with its path and without values", () => {
    const bad = changed(changed(anSlo(), "spec.objectives[0].target", 2), "spec.budgetingMethod", "Secret7")
    const { apiVersion: _, ...json } = bad
    const expected = decode(definition, json, context)
    const issues = issuesOf(definitionSchema, json)
    expect(issues.map(({ message }) => message)).toEqual(
      Result.isFailure(expected) ? expected.failure.map(({ message }) => message) : [],
    )
    expect(issues.map(({ path }) => path)).toEqual([
      ["spec", "budgetingMethod"],
      ["spec", "objectives", 0, "target"],
    ])
    expect(JSON.stringify(issues)).not.toContain("Secret7")
  })

  it("reports a name that is no identifier as one key of the path", () => {
    const schema = schemaOf(object({ labels: record(string({ max: 9 }), string({ max: 1 })) }), {})
    expect(issuesOf(schema, { labels: { "a.b[0]": "long" } }).map(({ path }) => path)).toEqual([
      ["labels", "a.b[0]"],
    ])
  })

  it("is a field of a struct of a host, whose paths it continues", () => {
    const own = Schema.Struct({ note: Schema.String, slo: sloSchema })
    const { apiVersion: _, ...json } = anSlo()
    const value = Schema.decodeUnknownSync(own)({ note: "n", slo: json })
    expect(value.slo.spec.objectives.map(({ name }) => name)).toEqual(["good", "great"])
    const wrong = { note: "n", slo: { ...json, spec: { service: "web" } } }
    expect(issuesOf(own, wrong)[0]?.path).toEqual(["slo", "spec", "budgetingMethod"])
  })

  it("is a payload of an HttpApi of a host, whose document describes it", () => {
    const api = HttpApi.make("own").add(
      HttpApiGroup.make("slos").add(
        HttpApiEndpoint.post("createSlo", "/slos", { payload: sloSchema, success: Schema.Void }),
      ),
    )
    const { paths, components } = OpenApi.fromApi(api) as unknown as {
      readonly paths: Record<string, { post: { requestBody: unknown } }>
      readonly components: { readonly schemas: Record<string, { readonly required: ReadonlyArray<string> }> }
    }
    expect(JSON.stringify(paths["/slos"]?.post.requestBody)).toContain("#/components/schemas/SloDefinition")
    expect(components.schemas["SloDefinition"]?.required).toContain("spec")
  })

  it("has a derived codec for JSON, as HttpApi uses", () => {
    const json = Schema.toCodecJson(sloSchema)
    const { apiVersion, ...document } = anSlo()
    const value = Schema.decodeUnknownSync(json)({ apiVersion, ...document })
    expect(value).toEqual(Schema.decodeUnknownSync(sloSchema)(document))
    expect(Result.isFailure(Schema.decodeUnknownResult(json)({ apiVersion, kind: "SLO" }))).toBe(true)
  })

  it("is there for requests, too", () => {
    expect(issuesOf(schemaOf(moveRequest, undefined), {}).map(({ path }) => path)).toContainEqual([
      "oldProject",
    ])
    expect(issuesOf(schemaOf(alertRequest, { now: 0 }), {}).map(({ path }) => path)).toContainEqual([
      "status",
    ])
  })

  it("keeps a value that was decoded", () => {
    const text = Schema.decodeUnknownSync(definitionSchema)(anAlertMethod())
    expect(text.kind === "AlertMethod" && Redacted.isRedacted(text.spec.webhook.url)).toBe(true)
  })
})
