import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { send } from "./api-client.ts"
import type { apiPorts } from "./api-ports.ts"
import { consoleServer } from "./console-server.ts"
import { type Operation, operations, type Parameter } from "./operations.ts"

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

/** A server at the time of the examples, over the ports in memory unless others are given. */
export const exampleServerOver = (ports?: Layer.Layer<Layer.Success<typeof apiPorts>>) =>
  consoleServer({}, undefined, ports).pipe(Layer.provideMerge(exampleClock))

export const exampleServer = exampleServerOver()

/** The JSON content of a request or response. */
export const jsonOf = (content: Operation["requestBody"]) => content?.content?.["application/json"]

/** The operation with this ID. */
export const operationOf = (operationId: string): Operation => {
  const found = operations.find((operation) => operation.operationId === operationId)
  if (found === undefined) throw new Error(`no operation ${operationId}`)
  return found
}

/** Sends the example of an operation; `values` replace what only the server knows. */
export const sendExample = (
  operation: Operation,
  headers: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string | ReadonlyArray<string>>> = {},
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
