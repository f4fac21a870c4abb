import { currentPublicKey, dispatchDeliveries, issueSignInLink } from "@tocsin/domain"
import { minuteOf } from "@tocsin/domain/codec"
import {
  IndicatorStore,
  redact,
  SigningKeyGenerator,
  SigningKeyStore,
  StatusPageSubscriptionStore,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { expect, it } from "@tocsin/testing/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { basicOf, headersOf } from "../../../../test/http/api-client.ts"
import { runReports } from "../../../../test/report/RunReports.ts"
import { newSignIn, signedIn } from "../../../../test/http/console-server.ts"
import { jsonOf, operationOf, recordedServer, sendExample } from "../../../../test/http/example-server.ts"
import { type Operation, operations, validatorOf } from "../../../../test/http/operations.ts"

/** The example of an operation as data: what is sent, and what the server returned. */
interface Example {
  readonly parameters?: object
  readonly values?: object
  readonly request?: unknown
  readonly response?: unknown
}

const packages = join(import.meta.dirname, "../../..")

const files = ["api/src", "adapters-http/src"].flatMap((folder) =>
  readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("examples.json"))
    .map((file) => join(folder, file)),
)

const examples = new Map(
  files.map((file) => [
    file,
    JSON.parse(readFileSync(join(packages, file), "utf8")) as Readonly<Record<string, Example>>,
  ]),
)

/** What the tests below received, by operation. */
const recorded = new Map<string, Example>()

const successOf = ({ responses }: Operation) => {
  const successful = Object.entries(responses).filter(([status]) => status < "300")
  const [status = "", response = {}] =
    successful.find(([, each]) => jsonOf(each)?.example !== undefined) ?? successful[0] ?? []
  return { status: Number(status), ...jsonOf(response) }
}

const idOf = (text: string, property: string): string => {
  const values = JSON.parse(text) as Readonly<Record<string, string>>
  return values[property] ?? ""
}

const send202 = (operationId: string, headers: Readonly<Record<string, string>>) =>
  Effect.map(sendExample(operationOf(operationId), headers), ({ status, text }) => {
    expect(status, text).toBe(202)
    return text
  })

/** Makes the report of the month of the examples; returns its ID. */
const withReport = (headers: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const monthEnd: Clock.Clock = Object.create(clock, {
      currentTimeMillis: { value: Effect.succeed(Date.UTC(2026, 1, 1, 1)) },
    })
    yield* Effect.provideService(runReports, Clock.Clock, monthEnd)
    const { text } = yield* sendExample(operationOf("listReports"), headers)
    const { data } = JSON.parse(text) as { readonly data: ReadonlyArray<{ readonly id: string }> }
    expect(data).toHaveLength(1)
    return data[0]?.id ?? ""
  })

/** Sends the notification of an alert; returns the ID of its delivery. */
const withAttempt = (headers: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { deliveries } = JSON.parse(yield* send202("receiveAlert", headers)) as {
      readonly deliveries: ReadonlyArray<{ readonly id: string }>
    }
    const id = deliveries[0]?.id ?? ""
    const settled = sendExample(operationOf("findDelivery"), headers, { id }).pipe(
      Effect.repeat({
        until: ({ text }) =>
          (JSON.parse(text) as { readonly attempts: ReadonlyArray<unknown> }).attempts.length > 0,
        schedule: Schedule.spaced("10 millis"),
      }),
    )
    yield* dispatchDeliveries({ baseUrl: "https://slo.example.com", shutdownGraceMs: 0 })
    yield* settled
    return id
  }).pipe(Effect.scoped)

/** Counts of every sixth hour of 28 days, with one incident. */
const history = Array.from({ length: 28 * 4 }, (_, index) => {
  const at = new Date(Date.UTC(2026, 0, 30, 11, 30) - index * 6 * 3_600_000).toISOString()
  const good = at.startsWith("2026-01-27T23") ? 700 : 998
  return { project: "default", slo: "checkout-latency", objective: "fast", at, good, total: 1_000 }
})

/** Has the indicator of the examples read to their time, as backfills read only what was read before. */
const withIndicatorRead = Effect.gen(function* () {
  const store = yield* IndicatorStore
  const slo = { project: "default", name: "checkout-availability" }
  const state = Option.getOrThrow(yield* store.find("acme", slo))
  const readTo = minuteOf(yield* Clock.currentTimeMillis)
  expect(yield* store.settle("acme", slo, state, { readTo, failures: 0, dueAt: readTo })).toBe(true)
})

/** Has the recent minutes of the indicator of the examples read, and a part of those before. */
const withHistoryRead = Effect.gen(function* () {
  const store = yield* IndicatorStore
  const slo = { project: "default", name: "checkout-availability" }
  const state = Option.getOrThrow(yield* store.find("acme", slo))
  const to = minuteOf(yield* Clock.currentTimeMillis)
  const recent = { from: to - 7 * 3_600_000, to, measuredTo: 0, history: { failures: 0 } }
  const settled = { readTo: to - 24 * 86_400_000, recent, failures: 0, succeededAt: to, dueAt: to }
  expect(yield* store.settle("acme", slo, state, settled)).toBe(true)
})

/** Has a review; its ID. */
const withReview: Prepare = (headers) =>
  Effect.map(sendExample(operationOf("createReview"), headers), ({ status, text }) => {
    expect(status, text).toBe(201)
    return { values: { id: idOf(text, "id") } }
  })

/** Has a review whose next one is due. */
const withDueReview: Prepare = (headers) => {
  const example = jsonOf(operationOf("createReview").requestBody)?.example as object
  const body = { ...example, nextReviewAt: "2026-02-02T08:00:00Z" }
  return Effect.as(sendExample(operationOf("createReview"), headers, {}, body), {})
}

const withBackfill: Prepare = (headers) =>
  Effect.as(Effect.andThen(withIndicatorRead, send202("startBackfill", headers)), {})

interface Special {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly values?: Readonly<Record<string, string>>
}

type Prepare = (
  headers: Readonly<Record<string, string>>,
) => Effect.Effect<Special, unknown, Layer.Success<typeof recordedServer>>

const withoutMore: Prepare = () => Effect.succeed({})

const asAdmin: Prepare = () => Effect.map(headersOf("acme", "admin"), (headers) => ({ headers }))

/** Has a confirmed subscription to the status page of a project. */
const withSubscription: Prepare = () =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const id = "019c0ec6-5588-7fd0-bf98-c03a8b8f0000"
    const subscription = {
      id,
      project: "default",
      kind: "email",
      contact: redact("ada@example.com"),
      token: redact("token"),
      createdAt: now,
      confirmedAt: now + 60_000,
    } as const
    yield* (yield* StatusPageSubscriptionStore).put("acme", subscription, "", now)
    return { headers: yield* headersOf("acme", "admin"), values: { id } }
  })

/** An organization cannot revoke a key that it has just created. */
const withOlderKey: Prepare = () =>
  Effect.gen(function* () {
    const pair = yield* (yield* SigningKeyGenerator).generate
    const createdAtMs = (yield* Clock.currentTimeMillis) - 3_600_000
    const key = { ...pair, createdAtMs, activeFromMs: createdAtMs + 600_000 }
    yield* (yield* SigningKeyStore).append("acme", { key, newest: undefined, removedKeyIds: [] })
    return { headers: yield* headersOf("acme", "admin"), values: { keyId: key.keyId } }
  })

const ofNewCredential: Prepare = () =>
  Effect.gen(function* () {
    const { clientId } = yield* newSignIn("acme")
    return { headers: yield* headersOf("acme", "admin"), values: { clientId } }
  })

const ofAttempt: Prepare = (headers) => Effect.map(withAttempt(headers), (id) => ({ values: { id } }))

const afterAttempt: Prepare = (headers) => Effect.as(withAttempt(headers), {})

const after =
  (operationId: string, body?: unknown): Prepare =>
  (headers) =>
    Effect.as(sendExample(operationOf(operationId), headers, {}, body), {})

const withResend: Prepare = (headers) =>
  Effect.map(Effect.andThen(withAttempt(headers), send202("resendDeliveries", headers)), (text) => ({
    values: { id: idOf(text, "id") },
  }))

/** Creates the incident of the examples. */
const withIncident: Prepare = (headers) =>
  Effect.map(sendExample(operationOf("createIncident"), headers), ({ status, text }) => {
    expect(status, text).toBe(201)
    return { values: { id: idOf(text, "id") } }
  })

/** Creates the incident of the examples with a task. */
const withTask: Prepare = (headers) =>
  Effect.gen(function* () {
    const { values } = yield* withIncident(headers)
    const { text } = yield* sendExample(operationOf("addIncidentEntry"), headers, values)
    return { values: { ...values, entryId: idOf(text, "id") } }
  })

/** Creates the incident of the examples, and triggers its alert. */
const withIncidentAlert: Prepare = (headers) =>
  Effect.gen(function* () {
    const example = jsonOf(operationOf("receiveAlert").requestBody)?.example as object
    const body = { ...example, alertId: "checkout-slow" }
    const triggered = yield* sendExample(operationOf("receiveAlert"), headers, {}, body)
    expect(triggered.status, triggered.text).toBe(202)
    return yield* withIncident(headers)
  })

const withGroupedAlert: Prepare = (headers) =>
  Effect.tap(withIncidentAlert(headers), ({ values }) =>
    sendExample(operationOf("addIncidentAlerts"), headers, values),
  )

const unusedService = {
  apiVersion: "tocsin/v1alpha",
  kind: "Service",
  metadata: { name: "old-checkout", project: "default" },
  spec: {},
}

const savedReport = {
  apiVersion: "tocsin/v1alpha",
  kind: "Report",
  metadata: { name: "budgets-now", displayName: "Error budgets now" },
  spec: { filters: { projects: ["default"] }, errorBudgetStatus: {} },
}

/** What an operation needs beside the definitions of the example: other headers, a body, or an ID that the server created. */
const special: Readonly<Record<string, Prepare>> = {
  issueAccessToken: () =>
    Effect.map(basicOf("acme"), ({ authorization }) => ({ headers: { authorization } })),
  receiveAlertmanager: () =>
    Effect.map(basicOf("acme"), ({ authorization }) => ({ headers: { authorization } })),
  openSession: () => Effect.map(newSignIn("acme"), (body) => ({ headers: {}, body })),
  openSessionByLink: () =>
    Effect.gen(function* () {
      const { clientId } = yield* newSignIn("acme")
      return { headers: {}, body: { token: (yield* issueSignInLink("acme", clientId)).token } }
    }),
  listCredentials: asAdmin,
  createCredential: asAdmin,
  rotateCredential: ofNewCredential,
  disableCredential: ofNewCredential,
  deleteCredential: ofNewCredential,
  findSession: () => Effect.map(signedIn("acme"), (headers) => ({ headers })),
  closeSession: () => Effect.map(signedIn("acme"), (headers) => ({ headers })),
  findDelivery: ofAttempt,
  resendDelivery: ofAttempt,
  showDeliveryRequest: ofAttempt,
  listDeliveries: afterAttempt,
  findAlertMethodHealth: afterAttempt,
  listConsoleAlertMethods: afterAttempt,
  acknowledgeAlert: (headers) =>
    Effect.map(send202("receiveAlert", headers), (text) => ({ values: { id: idOf(text, "alertId") } })),
  readEvidence: (headers) =>
    Effect.map(send202("receiveAlert", headers), (text) => ({ values: { id: idOf(text, "alertId") } })),
  listAlerts: (headers) => Effect.as(send202("receiveAlert", headers), {}),
  findConsoleStatus: (headers) => Effect.as(send202("receiveAlert", headers), {}),
  readOverview: (headers) => Effect.as(send202("receiveAlert", headers), {}),
  listIncidents: (headers) => Effect.as(withIncident(headers), {}),
  findIncident: withIncident,
  updateIncident: withIncident,
  deleteIncident: withIncident,
  addIncidentAlerts: withIncidentAlert,
  removeIncidentAlert: withGroupedAlert,
  listIncidentEntries: withTask,
  addIncidentEntry: withIncident,
  updateIncidentTask: withTask,
  findPostmortem: withIncident,
  listStatusPageSubscriptions: (headers) => Effect.andThen(withSubscription(headers), asAdmin(headers)),
  deleteStatusPageSubscription: withSubscription,
  listHeldAlerts: after("recordCounts", [
    { objective: "fast", at: "2026-01-30T11:05:00Z", good: 500, total: 2_000 },
  ]),
  listAnnotations: after("putAnnotation"),
  deleteAnnotation: after("putAnnotation"),
  listWarnings: after("applyDefinitions", {
    apiVersion: "tocsin/v1alpha",
    kind: "AlertPolicy",
    metadata: { name: "fast-burn", project: "default" },
    spec: {
      severity: "High",
      conditions: [{ measurement: "averageBurnRate", value: 14.4, op: "gte", alertingWindow: "1h" }],
      coolDown: "5m",
      alertMethods: [],
    },
  }),
  listUnsupported: after("applyDefinitions", {
    apiVersion: "tocsin/v1alpha",
    kind: "AlertMethod",
    metadata: { name: "team-channel", project: "default" },
    spec: { slack: { url: "https://hooks.example.com/slack" } },
  }),
  listBudgetChanges: after(
    "applyDefinitions",
    jsonOf(operationOf("previewBudgetAdjustments").requestBody)?.example,
  ),
  listDeletedDefinitions: (headers) =>
    Effect.as(
      Effect.andThen(
        sendExample(operationOf("applyDefinitions"), headers, {}, unusedService),
        sendExample(operationOf("deleteDefinitions"), headers, {}, unusedService),
      ),
      {},
    ),
  findIndicator: () => Effect.as(withHistoryRead, {}),
  findRevision: (headers) =>
    Effect.map(sendExample(operationOf("listRevisions"), headers), ({ text }) => {
      const { data } = JSON.parse(text) as { readonly data: ReadonlyArray<{ readonly id: string }> }
      return { values: { id: data[0]?.id ?? "" } }
    }),
  listReports: (headers) => Effect.as(withReport(headers), {}),
  findReport: (headers) => Effect.map(withReport(headers), (id) => ({ values: { id } })),
  findReportSignature: (headers) => Effect.map(withReport(headers), (id) => ({ values: { id } })),
  generateReport: (headers) =>
    Effect.as(sendExample(operationOf("applyDefinitions"), headers, {}, savedReport), {
      values: { name: savedReport.metadata.name },
    }),
  listReviews: after("createReview"),
  findReview: withReview,
  findReviewSignature: withReview,
  findReviewNotes: withReview,
  writeReviewNotes: withReview,
  listReviewReminders: withDueReview,
  deleteReview: withReview,
  startBackfill: () => Effect.as(withIndicatorRead, {}),
  findBackfill: withBackfill,
  cancelBackfill: withBackfill,
  resumeBackfill: (headers) =>
    Effect.andThen(withBackfill(headers), Effect.as(sendExample(operationOf("cancelBackfill"), headers), {})),
  currentPublicKey: after("createSigningKey"),
  publicKeys: after("createSigningKey"),
  publicJwks: after("createSigningKey"),
  findPublicKey: (headers) =>
    Effect.map(sendExample(operationOf("createSigningKey"), headers), ({ text }) => ({
      values: { keyId: idOf(text, "keyId") },
    })),
  rotateSigningKey: after("createSigningKey"),
  deleteSigningKey: after("createSigningKey"),
  revokeSigningKey: withOlderKey,
  resendDeliveries: afterAttempt,
  listResends: (headers) => Effect.as(withResend(headers), {}),
  findResend: withResend,
  cancelResend: withResend,
  listSigningKeys: after("createSigningKey"),
}

it("every operation has a summary of its own and an example of its request and response", () => {
  expect(operations.length).toBeGreaterThan(35)
  for (const operation of operations) {
    const { operationId, requestBody } = operation
    const { status, schema, example } = successOf(operation)
    expect(status, operationId).toBeGreaterThan(199)
    expect([operationId, example !== undefined]).toEqual([operationId, schema !== undefined])
    if (requestBody !== undefined) expect(jsonOf(requestBody)?.example, operationId).toBeDefined()
    for (const { name, required, example: value } of operation.parameters) {
      if (required) expect([operationId, name, value !== undefined]).toEqual([operationId, name, true])
    }
  }
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
})

it.live.each(operations.map(({ operationId }) => operationId))(
  "the example of %s works as documented",
  (operationId) =>
    Effect.gen(function* () {
      const operation = operationOf(operationId)
      const request = jsonOf(operation.requestBody)
      if (request !== undefined) expectValid(request.schema, request.example)
      for (const { schema, example } of operation.parameters) {
        if (example !== undefined) expectValid(schema, example)
      }
      const { status, schema } = successOf(operation)

      const editor = yield* headersOf("acme")
      yield* currentPublicKey(undefined)
      if (operationId !== "applyDefinitions") {
        const applied = yield* sendExample(operationOf("applyDefinitions"), editor)
        expect(applied.status, applied.text).toBe(200)
        yield* sendExample(operationOf("recordCountBatch"), editor, {}, history)
        const counted = yield* sendExample(operationOf("recordCounts"), editor)
        expect(counted.status, counted.text).toBe(204)
      }
      const { headers = editor, values, body } = yield* (special[operationId] ?? withoutMore)(editor)
      const response = yield* sendExample(operation, headers, values, body)

      expect([response.status, response.text]).toEqual([status, expect.anything()])
      // Only the metrics of SLOs are text.
      if (operationId === "exportSloMetrics") {
        return expect(response.text).toMatch(
          /^# HELP tocsin_slo_objective_target .*\n# TYPE .* gauge\ntocsin_/,
        )
      }
      if (operationId === "findPostmortem") {
        recorded.set(operationId, { ...(values !== undefined && { values }) })
        return expect(response.text).toMatch(
          /^# Post-mortem: Checkout is slow\n\n- \*\*Severity:\*\* major\n/,
        )
      }
      const sent = { ...(values !== undefined && { values }), ...(body !== undefined && { request: body }) }
      if (schema === undefined) {
        recorded.set(operationId, sent)
        return expect(response.text).toBe("")
      }
      const json: unknown = JSON.parse(response.text)
      expectValid(schema, json)
      recorded.set(operationId, { ...sent, response: json })
    }).pipe(Effect.provide(recordedServer)),
)

it.each(files)("%s has what the server returns; -u writes it", async (file) => {
  const path = join(packages, file)
  const known = Object.entries(examples.get(file) ?? {})
  const written = Object.fromEntries(
    known.map(([operationId, { parameters, ...example }]) => {
      const { values, ...received } = recorded.get(operationId) ?? {}
      return [
        operationId,
        {
          ...((parameters ?? values) && { parameters: { ...parameters, ...values } }),
          ...example,
          ...received,
        },
      ]
    }),
  )
  const text = await format(JSON.stringify(written), { ...(await resolveConfig(path)), parser: "json" })
  await expect(text).toMatchFileSnapshot(path)
})

const expectValid = (schema: object, value: unknown): void => {
  const validate = validatorOf(schema)
  expect([validate(value), validate.errors]).toEqual([true, null])
}
