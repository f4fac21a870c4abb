import { WebhookTransportRecording } from "@tocsin/adapters-memory"
import { MetricSource, type SeriesQuery, SigningKeyGenerator } from "@tocsin/domain/ports"
import { publicKeyToKeyId } from "@tocsin/domain/signature"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { createHash, createPrivateKey, createPublicKey } from "node:crypto"
import { send } from "./api-client.ts"
import { type apiPorts, apiPortsWith, serverParticipants } from "./api-ports.ts"
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

const sha256 = (bytes: string | Uint8Array) => new Uint8Array(createHash("sha256").update(bytes).digest())

/** Instead of everything that differs between two servers: the time, randomness, IDs, keys and secrets. */
const sameEachTime = Layer.effectContext(
  Effect.map(Clock.Clock, (clock) => {
    let drawn = 0
    const randomBytes = (size: number) => sha256(`example ${drawn++}`).slice(0, size)
    const words = () => new DataView(randomBytes(4).buffer)
    return Context.empty().pipe(
      Context.add(
        Clock.Clock,
        Object.create(clock, {
          currentTimeMillisUnsafe: { value: () => exampleTime },
          currentTimeMillis: { value: Effect.succeed(exampleTime) },
          currentTimeNanosUnsafe: { value: () => BigInt(exampleTime) * 1_000_000n },
          currentTimeNanos: { value: Effect.succeed(BigInt(exampleTime) * 1_000_000n) },
        }) as Clock.Clock,
      ),
      Context.add(Random.Random, {
        nextIntUnsafe: () => words().getInt32(0),
        nextDoubleUnsafe: () => words().getUint32(0) / 2 ** 32,
      }),
      Context.add(SecureRandom.SecureRandom, SecureRandom.make(randomBytes)),
      Context.add(SigningKeyGenerator, {
        generate: Effect.sync(() => {
          const seed = randomBytes(32)
          // RFC 8410, section 7.
          const key = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed])
          const spki = createPublicKey(createPrivateKey({ key, format: "der", type: "pkcs8" }))
          const publicKey = new Uint8Array(spki.export({ format: "der", type: "spki" }).subarray(12))
          return { keyId: publicKeyToKeyId(publicKey, sha256), publicKey, privateKey: Redacted.make(seed) }
        }),
      }),
    )
  }),
)

/** 120 events each quarter of an hour, of which two are bad, and twenty in the first hour of a day. */
const samples = ({ expression, from, to }: SeriesQuery) =>
  Array.from({ length: Math.ceil((to - from) / 900_000) }, (_, index) => {
    const at = (Math.floor(from / 900_000) + 1 + index) * 900_000
    const bad = at % 86_400_000 < 3_600_000 ? 20 : 2
    return { at, value: expression.includes("!~") ? 120 - bad : 120 }
  }).filter(({ at }) => at <= to)

const metricSource = Layer.succeed(MetricSource, {
  readSeries: (query) => Effect.succeed(samples(query)),
  readGaps: () => Effect.succeed([]),
  readNames: () =>
    Effect.succeed({
      names: ["http_request_duration_seconds_bucket", "http_requests_total"],
      isComplete: true,
    }),
})

/** Accepts tests, and rejects every other notification. */
const transport = WebhookTransportRecording.make(({ headers }) =>
  headers.some(([, value]) => value === "test")
    ? WebhookTransportRecording.responseOf(204)
    : WebhookTransportRecording.responseOf(400, "unknown property slo_name"),
)

/** A server that answers the same requests with the same responses each time. */
export const recordedServer = consoleServer(
  { baseUrl: "https://slo.example.com" },
  undefined,
  Layer.provideMerge(
    Layer.mergeAll(sameEachTime, metricSource, serverParticipants({ allowUnsupported: true })),
    apiPortsWith(transport.layer),
  ),
).pipe(Layer.provideMerge(sameEachTime))

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
