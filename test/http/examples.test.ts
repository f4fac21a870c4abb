import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "../EffectTest.ts"
import { basicOf, headersOf, send } from "./api-client.ts"
import { consoleServer, newSignIn, signedIn } from "./console-server.ts"
import { type Operation, operations, type Parameter, validatorOf } from "./operations.ts"

const exampleTime = Date.parse("2026-01-30T12:00:05Z")

/** The clock of the process, at the time of the examples. */
const exampleClock = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (clock): Clock.Clock => {
    const aheadMs = exampleTime - clock.currentTimeMillisUnsafe()
    return Object.create(clock, {
      currentTimeMillisUnsafe: { value: () => clock.currentTimeMillisUnsafe() + aheadMs },
      currentTimeMillis: { value: Effect.sync(() => clock.currentTimeMillisUnsafe() + aheadMs) },
    }) as Clock.Clock
  }),
)

const server = consoleServer().pipe(Layer.provideMerge(exampleClock))

const jsonOf = (content: Operation["requestBody"]) => content?.content?.["application/json"]

const successOf = ({ responses }: Operation) => {
  const successful = Object.entries(responses).filter(([status]) => status < "300")
  const [status = "", response = {}] =
    successful.find(([, each]) => jsonOf(each)?.example !== undefined) ?? successful[0] ?? []
  return { status: Number(status), ...jsonOf(response) }
}

const operationOf = (operationId: string): Operation => {
  const found = operations.find((operation) => operation.operationId === operationId)
  if (found === undefined) throw new Error(`no operation ${operationId}`)
  return found
}

/** Sends the example of an operation; `values` replace what only the server knows. */
const sendExample = (
  operation: Operation,
  headers: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>> = {},
  body: unknown = jsonOf(operation.requestBody)?.example,
) => {
  const exampleOf = ({ name, example = [] }: Parameter) => [values[name] ?? example].flat().map(String)
  const placed = (place: Parameter["in"]) =>
    operation.parameters
      .filter((parameter) => parameter.in === place)
      .flatMap((parameter) => exampleOf(parameter).map((value): [string, string] => [parameter.name, value]))
  const path = placed("path").reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, value),
    operation.path,
  )
  return send(`${path}?${new URLSearchParams(placed("query"))}`, {
    method: operation.method.toUpperCase(),
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
      ...Object.fromEntries(placed("header")),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
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

interface Special {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly values?: Readonly<Record<string, string>>
}

type Prepare = (
  headers: Readonly<Record<string, string>>,
) => Effect.Effect<Special, unknown, Layer.Success<typeof server>>

const withoutMore: Prepare = () => Effect.succeed({})

/** What an operation needs beside the definitions of the example: other headers, a body, or an ID that the server created. */
const special: Readonly<Record<string, Prepare>> = {
  issueAccessToken: () =>
    Effect.map(basicOf("acme"), ({ authorization }) => ({ headers: { authorization } })),
  receiveAlertmanager: () =>
    Effect.map(basicOf("acme"), ({ authorization }) => ({ headers: { authorization } })),
  openSession: () => Effect.map(newSignIn("acme"), (body) => ({ headers: {}, body })),
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
  listDeliveries: (headers) => Effect.as(send202("receiveAlert", headers), {}),
  listAlerts: (headers) => Effect.as(send202("receiveAlert", headers), {}),
  findSlo: (headers) => Effect.as(sendExample(operationOf("recordCounts"), headers), {}),
  readSeries: (headers) => Effect.as(sendExample(operationOf("recordCounts"), headers), {}),
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
      if (schema === undefined) return expect(response.text).toBe("")
      expectValid(schema, JSON.parse(response.text))
      expectValid(schema, example)
    }).pipe(Effect.provide(server)),
)

const expectValid = (schema: object, value: unknown): void => {
  const validate = validatorOf(schema)
  expect([validate(value), validate.errors]).toEqual([true, null])
}
