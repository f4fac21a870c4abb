import { issueSignInLink } from "@tocsin/domain"
import { minuteOf } from "@tocsin/domain/codec"
import { IndicatorStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { expect, it } from "@tocsin/testing/vitest"
import { basicOf, headersOf } from "../../../../test/http/api-client.ts"
import { runReports } from "../../../../test/report/RunReports.ts"
import { newSignIn, signedIn } from "../../../../test/http/console-server.ts"
import { exampleServer, jsonOf, operationOf, sendExample } from "../../../../test/http/example-server.ts"
import { type Operation, operations, validatorOf } from "../../../../test/http/operations.ts"

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

/** Has the indicator of the examples read to their time, as replays read only what was read before. */
const withIndicatorRead = Effect.gen(function* () {
  const store = yield* IndicatorStore
  const slo = { project: "default", name: "checkout-availability" }
  const state = Option.getOrThrow(yield* store.find("acme", slo))
  const readTo = minuteOf(yield* Clock.currentTimeMillis)
  expect(yield* store.settle("acme", slo, state, { readTo, failures: 0, dueAt: readTo })).toBe(true)
})

const withReplay: Prepare = (headers) =>
  Effect.as(Effect.andThen(withIndicatorRead, send202("startReplay", headers)), {})

interface Special {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly values?: Readonly<Record<string, string>>
}

type Prepare = (
  headers: Readonly<Record<string, string>>,
) => Effect.Effect<Special, unknown, Layer.Success<typeof exampleServer>>

const withoutMore: Prepare = () => Effect.succeed({})

const asAdmin: Prepare = () => Effect.map(headersOf("acme", "admin"), (headers) => ({ headers }))

const ofNewCredential: Prepare = () =>
  Effect.gen(function* () {
    const { clientId } = yield* newSignIn("acme")
    return { headers: yield* headersOf("acme", "admin"), values: { clientId } }
  })

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
  findDelivery: (headers) =>
    Effect.map(send202("receiveAlert", headers), (text) => {
      const { deliveries } = JSON.parse(text) as {
        readonly deliveries: ReadonlyArray<{ readonly id: string }>
      }
      return { values: { id: deliveries[0]?.id ?? "" } }
    }),
  resendDelivery: (headers) => (special["findDelivery"] ?? withoutMore)(headers),
  showDeliveryRequest: (headers) => (special["findDelivery"] ?? withoutMore)(headers),
  listDeliveries: (headers) => Effect.as(send202("receiveAlert", headers), {}),
  acknowledgeAlert: (headers) =>
    Effect.map(send202("receiveAlert", headers), (text) => ({ values: { id: idOf(text, "alertId") } })),
  listAlerts: (headers) => Effect.as(send202("receiveAlert", headers), {}),
  findSlo: (headers) => Effect.as(sendExample(operationOf("recordCounts"), headers), {}),
  readSeries: (headers) => Effect.as(sendExample(operationOf("recordCounts"), headers), {}),
  readForecast: (headers) => Effect.as(sendExample(operationOf("recordCounts"), headers), {}),
  deleteAnnotation: (headers) => Effect.as(sendExample(operationOf("putAnnotation"), headers), {}),
  findRevision: (headers) =>
    Effect.map(sendExample(operationOf("listRevisions"), headers), ({ text }) => {
      const { data } = JSON.parse(text) as { readonly data: ReadonlyArray<{ readonly id: string }> }
      return { values: { id: data[0]?.id ?? "" } }
    }),
  listReports: (headers) => Effect.as(withReport(headers), {}),
  findReport: (headers) => Effect.map(withReport(headers), (id) => ({ values: { id } })),
  findReportSignature: (headers) => Effect.map(withReport(headers), (id) => ({ values: { id } })),
  startReplay: () => Effect.as(withIndicatorRead, {}),
  findReplay: withReplay,
  cancelReplay: withReplay,
  resumeReplay: (headers) =>
    Effect.andThen(withReplay(headers), Effect.as(sendExample(operationOf("cancelReplay"), headers), {})),
  currentPublicKey: (headers) => Effect.as(sendExample(operationOf("createSigningKey"), headers), {}),
  publicKeys: (headers) => Effect.as(sendExample(operationOf("createSigningKey"), headers), {}),
  publicJwks: (headers) => Effect.as(sendExample(operationOf("createSigningKey"), headers), {}),
  findPublicKey: (headers) =>
    Effect.map(sendExample(operationOf("createSigningKey"), headers), ({ text }) => ({
      values: { keyId: idOf(text, "keyId") },
    })),
  rotateSigningKey: (headers) => Effect.as(sendExample(operationOf("createSigningKey"), headers), {}),
  deleteSigningKey: (headers) => Effect.as(sendExample(operationOf("createSigningKey"), headers), {}),
  listResends: (headers) => Effect.as(send202("resendDeliveries", headers), {}),
  findResend: (headers) =>
    Effect.map(send202("resendDeliveries", headers), (text) => ({ values: { id: idOf(text, "id") } })),
  cancelResend: (headers) =>
    Effect.map(send202("resendDeliveries", headers), (text) => ({ values: { id: idOf(text, "id") } })),
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
      const { status, schema, example } = successOf(operation)

      const editor = yield* headersOf("acme")
      const applied =
        operationId === "applyDefinitions"
          ? undefined
          : yield* sendExample(operationOf("applyDefinitions"), editor)
      expect(applied?.status ?? 200, applied?.text).toBe(200)
      const { headers = editor, values, body } = yield* (special[operationId] ?? withoutMore)(editor)
      const response = yield* sendExample(operation, headers, values, body)

      expect([response.status, response.text]).toEqual([status, expect.anything()])
      // Only the metrics of SLOs are text.
      if (operationId === "exportSloMetrics") {
        return expect(response.text).toMatch(
          /^# HELP tocsin_slo_objective_target .*\n# TYPE .* gauge\ntocsin_/,
        )
      }
      if (schema === undefined) return expect(response.text).toBe("")
      expectValid(schema, JSON.parse(response.text))
      expectValid(schema, example)
    }).pipe(Effect.provide(exampleServer)),
)

const expectValid = (schema: object, value: unknown): void => {
  const validate = validatorOf(schema)
  expect([validate(value), validate.errors]).toEqual([true, null])
}
