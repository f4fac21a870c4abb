import * as Effect from "effect/Effect"
import { expect, it } from "@tocsin/testing/vitest"
import { type ReceivedResponse, errorsOf, headersOf } from "../../../../test/http/api-client.ts"
import { exampleServer, jsonOf, operationOf, sendExample } from "../../../../test/http/example-server.ts"
import { type JsonSchema, type SchemaLookup, variantsOf } from "../../../../test/http/JsonVariants.ts"
import { operations, type Parameter, resolveSchema, validatorOf } from "../../../../test/http/operations.ts"

const lookup: SchemaLookup = {
  resolve: resolveSchema,
  isValid: (schema, value) => validatorOf(schema)(value),
}

/** Rules that JSON Schema cannot express: the path without indexes and the code of their issues. */
const beyondSchema = new Set([
  "spec.indicator.prometheus.good invalid_format", // PromQL has a grammar.
  "spec.indicator.prometheus.total invalid_format",
  "spec.indicator.prometheus required", // Or otlp; and of a test of an indicator.
  "spec.indicator mutually_exclusive",
  "spec.indicator.otlp required", // Two of good, bad and total.
  "apiVersion not_allowed_value", // The vendor prefix is a setting of the server.
  "good out_of_range", // At most total.
  "spec.prometheus.url url_host_invalid",
  "spec.prometheus.url url_has_forbidden_character",
  "spec.indicator.prometheus.url required", // Or dataSource.
  "spec.indicator.prometheus.good required", // Or metric.
  "spec.indicator.prometheus.total required",
  "spec.objectives.op not_allowed_value", // Only with metric.
  "spec.objectives.value not_allowed_value",
  "alertPolicy required", // Unless alertMethods has some.
  "alerts.labels.tocsin_alert_methods required", // Unless there is an alert policy.
  "metadata.name duplicate",
  "states duplicate",
  "from required", // Of an annotation, with to.
  "from range_incomplete", // fields needs from and to.
  "url invalid_format", // Of a link, the host and port.
  "services duplicate",
  "alerts duplicate",
  "startedAt out_of_range", // Not in the future.
  "range range_invalid", // Instead of from and to.
  "spec.webhook required", // Either template or templateFields.
  "spec.webhook.templateFields variable_unknown",
  "spec.webhook.headers.value invalid_format", // White space at the start or end.
  "spec.objectives.timeSliceTarget required", // With Timeslices only.
  "spec.timeWindows out_of_range", // Depends on unit and count.
  "spec.timeWindows.calendar.timeZone not_allowed_value",
  "spec.indicator.prometheus.url url_host_invalid",
  "spec.indicator.prometheus.url url_has_forbidden_character",
  "spec.conditions.alertingWindow out_of_range", // Durations have units.
  "spec.conditions required", // Or conditionGroups or sreWorkbook.
  "spec.coolDown out_of_range",
  "spec.prometheus.queryDelay out_of_range",
  "previousFor out_of_range",
  "spec.slo required", // Or sloLabels.
  "spec.period required", // Either endTime or duration.
  "spec.period.duration out_of_range",
])

const isBeyondSchema = (response: ReceivedResponse): boolean =>
  errorsOf(response).every(({ code = "", source }) => {
    const path = (source?.propertyName ?? "")
      .replaceAll(/\[\d+\]/g, "")
      .replace(/^\.?(policies\.)?(definition\.)?/, "")
    return code === "not_found" || beyondSchema.has(`${path} ${code}`)
  })

/** Its schema describes what Alertmanager sends; the server reads only a part of that. */
const readsLess = new Set(["receiveAlertmanager"])

/** Every property of their bodies is required, and has a format. */
const hasOneForm = new Set(["startBackfill", "updateIncidentTask"])

/** Their bodies have few properties, or mutations of them are seldom valid. */
const isSmall = new Set([
  "createCredential",
  "rotateCredential",
  "openSessionByLink",
  "createReport",
  "acknowledgeAlert",
  "addIncidentAlerts",
  "addIncidentEntry",
  "updateIncident",
  "updateIncidentTask",
])

/** Their bodies are documents of other programs, which are read as far as they go. */
const isOpen = new Set(["convertDefinitions"])

const withBody = operations.flatMap(({ operationId, requestBody }) =>
  requestBody === undefined ? [] : [operationId],
)

it.live.each(withBody)("the schema of the body of %s is as strict as the server", (operationId) =>
  Effect.gen(function* () {
    const editor = yield* headersOf("acme", "admin")
    yield* sendExample(operationOf("applyDefinitions"), editor)
    const operation = operationOf(operationId)
    const { schema = {}, example } = jsonOf(operation.requestBody) ?? {}
    const validate = validatorOf(schema)
    // A list of definitions is tried one by one: the others need not be sent with each variant.
    const bodies: ReadonlyArray<unknown> =
      operationId === "applyDefinitions" && Array.isArray(example) ? example : [example]
    const disagreements: Array<unknown> = []
    const tried = { valid: 0, invalid: 0 }
    for (const { path, value } of bodies.flatMap((body) => variantsOf(lookup, schema, body))) {
      const isValid = validate(value)
      tried[isValid ? "valid" : "invalid"] += 1
      const response = yield* sendExample(operation, editor, { dry_run: "true" }, value)
      const isAgreed = isValid
        ? response.status !== 400 || isBeyondSchema(response)
        : response.status >= 400 || readsLess.has(operationId)
      if (!isAgreed) disagreements.push({ path, isValid, status: response.status, text: response.text })
    }
    expect(disagreements).toEqual([])
    const few = isSmall.has(operationId)
    expect(tried.valid).toBeGreaterThan(hasOneForm.has(operationId) ? -1 : few ? 0 : 4)
    expect(tried.invalid).toBeGreaterThan(isOpen.has(operationId) ? -1 : few ? 4 : 20)
  }).pipe(Effect.provide(exampleServer)),
)

/** A valid value of a parameter without an example. */
const valueOf = ({ type, format, items, enum: [first] = [] }: JsonSchema): unknown =>
  type === "array" && items !== undefined
    ? [valueOf(items)]
    : (first ?? (type === "integer" ? 1 : format === "date-time" ? "2026-01-30T11:00:00Z" : "checkout"))

const isConstrained = (schema: JsonSchema): boolean =>
  Object.keys(schema).some((key) => !["type", "items", "description"].includes(key)) ||
  (schema.items !== undefined && isConstrained(schema.items))

/** Headers lose white space at their ends, and an empty value is treated as omitted. */
const isSentAsIs = (value: unknown): boolean => value !== "" && String(value).trim() === String(value)

const withParameters = operations.flatMap(({ operationId, parameters }) =>
  parameters.some(({ schema }) => isConstrained(schema)) ? [operationId] : [],
)

it.live.each(withParameters)(
  "the schemas of the parameters of %s are as strict as the server",
  (operationId) =>
    Effect.gen(function* () {
      const editor = yield* headersOf("acme")
      yield* sendExample(operationOf("applyDefinitions"), editor)
      const operation = operationOf(operationId)
      const disagreements: Array<unknown> = []
      const constrained = operation.parameters.filter(({ schema }) => isConstrained(schema))
      for (const { name, schema, example } of constrained) {
        const validate = validatorOf(schema)
        const base = example ?? valueOf(schema)
        const type = typeof [base].flat()[0]
        for (const { value } of variantsOf(lookup, schema, base)) {
          const sent: ReadonlyArray<unknown> = [value].flat()
          if (sent.length === 0 || !sent.every((each) => typeof each === type && isSentAsIs(each))) continue
          const isValid = validate(value)
          const response = yield* sendExample(operation, editor, { [name]: sent.map(String) })
          const isAgreed = isValid
            ? response.status !== 400 || isBeyondSchema(response)
            : response.status >= 400
          if (!isAgreed) disagreements.push({ name, value, isValid, status: response.status })
        }
      }
      expect(disagreements).toEqual([])
    }).pipe(Effect.provide(exampleServer)),
)

/** The status API ignores what it does not know (spec/status-api §6). */
const ignoresParameters = new Set(["listSlos", "findSlo", "listSlosV1", "findSloV1"])

const parametersRejected = operations.flatMap(({ operationId }) =>
  ignoresParameters.has(operationId) ? [] : [operationId],
)

it.live("spec/http §6: every other operation rejects a query parameter that it does not know", () =>
  Effect.gen(function* () {
    const admin = yield* headersOf("acme", "admin")
    for (const operationId of parametersRejected) {
      const operation = operationOf(operationId)
      const parameter: Parameter = {
        name: "dryrun",
        in: "query",
        required: false,
        schema: {},
        example: "true",
      }
      const parameters = [...operation.parameters, parameter]
      const response = yield* sendExample({ ...operation, parameters }, admin)
      const named = errorsOf(response).map(({ source }) => source?.propertyName)
      expect([response.status, named], operationId).toEqual([400, ["dryrun"]])
    }
  }).pipe(Effect.provide(exampleServer)),
)
