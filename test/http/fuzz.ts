import { NodeApiServer } from "@tocsin/adapters-http"
import { jsonFormat, writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import { requestBodyMaxBytes } from "@tocsin/domain/limits"
import { writeCursor } from "@tocsin/domain/pagination"
import { RateLimiter } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describeWith, expect } from "@tocsin/testing/vitest"
import { basicOf, headersOf } from "./api-client.ts"
import type { apiPorts } from "./api-ports.ts"
import { newSignIn, signedIn } from "./console-server.ts"
import { type exampleServer, exampleServerOver, jsonOf, operationOf, sendExample } from "./example-server.ts"
import { type Operation, operations, type Parameter, validatorOf } from "./operations.ts"
import { exchange } from "./raw-socket.ts"

/**
 * Sends hostile requests to every operation: wrong and missing parameters, headers, credentials and bodies, in JSON, YAML
 * and neither. None is answered with 5xx, and each error is a document as described.
 */
export const fuzzSuite = (
  name: string,
  ports: Layer.Layer<Layer.Success<typeof apiPorts>>,
  runsPerOperation: number,
): void => {
  const server = exampleServerOver(Layer.provideMerge(distinctSubjects, ports))
  const numRuns = Number(process.env["FUZZ_RUNS"] ?? runsPerOperation)
  describeWith(server)(`hostile requests: ${name}`, (it) => {
    for (const operation of operations) {
      it.effect(
        `spec/errors §1: ${operation.operationId} answers each with a document, and none with 5xx`,
        () =>
          Effect.gen(function* () {
            const organization = `fuzz-${operation.operationId}`
            const clients = yield* clientsOf(organization)
            const ids = yield* createObjects(organization, clients.editor)
            const context = yield* Effect.context<Layer.Success<typeof exampleServer>>()
            const property = fc.asyncProperty(requests(withIds(operation, ids)), async (request) => {
              const answer = await Effect.runPromiseWith(context)(sendRaw(request, clients))
              expectDocumented(operation, request, answer)
            })
            yield* Effect.promise(() => fc.assert(property, { numRuns, maxSkipsPerRun: 10 }))
          }),
      )
    }
  })
}

/** Limits that are never reached, though each request is counted. */
const distinctSubjects = Layer.effect(
  RateLimiter,
  Effect.map(RateLimiter, (limiter) => {
    let requests = 0
    return {
      ...limiter,
      take: (organization, policy, subject) => limiter.take(organization, policy, `${subject} ${++requests}`),
    } satisfies typeof limiter
  }),
)

/** Creates the objects that the examples are about; gives the IDs that the server chose, by the path they are in. */
const createObjects = (organization: string, editor: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const created: Array<string> = []
    for (const operationId of ["applyDefinitions", "recordCounts", "receiveAlert", "resendDeliveries"]) {
      const { status, text } = yield* sendExample(operationOf(operationId), editor, { organization })
      expect([operationId, status < 300, text]).toEqual([operationId, true, text])
      created.push(text)
    }
    const [, , alert = "", resend = ""] = created
    const { deliveries } = JSON.parse(alert) as {
      readonly deliveries: ReadonlyArray<{ readonly id: string }>
    }
    return {
      deliveries: deliveries[0]?.id ?? "",
      resends: (JSON.parse(resend) as { readonly id: string }).id,
    }
  })

const withIds = (operation: Operation, ids: Effect.Success<ReturnType<typeof createObjects>>): Operation => ({
  ...operation,
  parameters: operation.parameters.map((parameter) =>
    parameter.in === "path" && parameter.name === "id"
      ? { ...parameter, example: operation.path.includes("/resends/") ? ids.resends : ids.deliveries }
      : parameter,
  ),
})

interface HostileRequest {
  readonly method: string
  readonly target: string
  readonly client: keyof Clients
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer | undefined
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

type Clients = Effect.Success<ReturnType<typeof clientsOf>>

const clientsOf = (organization: string) =>
  Effect.gen(function* () {
    const editor = yield* headersOf(organization)
    const { authorization } = yield* basicOf(organization)
    return {
      editor,
      viewer: yield* headersOf(organization, "viewer"),
      basic: { organization, authorization },
      session: yield* signedIn(organization),
      nobody: { organization },
      garbage: { organization, authorization: "Bearer a.b.c", cookie: "tocsin_session=a.b.c" },
      signIn: { "x-tocsin-console": "1", body: JSON.stringify(yield* newSignIn(organization)) },
    } satisfies Readonly<Record<string, Readonly<Record<string, string>>>>
  })

const expectDocumented = (operation: Operation, request: HostileRequest, answer: Answer): void => {
  const { status, headers, text } = answer
  const sent = `${request.method} ${request.target} → ${status} ${text.slice(0, 500)}`
  expect(status, sent).toBeGreaterThanOrEqual(200)
  expect(status, sent).toBeLessThan(500)
  expect(headers.get("trace-id"), sent).toMatch(/^[0-9a-f]{32}$/)

  const isOther = request.method !== operation.method.toUpperCase()
  const isDocumented = isOther || String(status) in operation.responses || ofEveryServer.has(status)
  expect(isDocumented, `undocumented: ${sent}`).toBe(true)
  if (status < 400 || request.method === "HEAD") return
  expect(headers.get("content-type"), sent).toBe("application/json")
  const document: unknown = JSON.parse(text)
  expect(isError(document), sent).toBe(true)
  expect(text).not.toMatch(/\\n\s+at /)
}

/** Of paths, methods and heads, whatever the operation. */
const ofEveryServer = new Set([400, 404, 405, 406, 431])

const isError = validatorOf({ $ref: "#/components/schemas/Error" })

const sendRaw = ({ method, target, client, headers, body }: HostileRequest, clients: Clients) =>
  Effect.gen(function* () {
    const { port } = yield* NodeApiServer.NodeApiServer
    const { body: signIn, ...own }: Readonly<Record<string, string>> = clients[client]
    const content = body ?? (signIn === undefined ? undefined : Buffer.from(signIn))
    const named = new Set(headers.map(([name]) => name.toLowerCase()))
    const fields = [...Object.entries(own).filter(([name]) => !named.has(name)), ...headers]
    const head = [
      `${method} ${target} HTTP/1.1`,
      "Host: localhost",
      "Connection: close",
      ...fields.map(([name, value]) => `${name}: ${value}`),
      ...(content === undefined ? [] : [`Content-Length: ${content.length}`]),
    ]
    const received = yield* exchange(port, `${head.join("\r\n")}\r\n\r\n${content?.toString("latin1") ?? ""}`)
    const end = received.indexOf("\r\n\r\n")
    const [start = "", ...lines] = received.slice(0, end).split("\r\n")
    const answer: Answer = {
      status: Number(start.split(" ")[1]),
      headers: new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string])),
      text: Buffer.from(received.slice(end + 4), "latin1").toString(),
    }
    return answer
  })

/** Texts that break parsers, formats, limits and queries. */
const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts()) },
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.stringMatching(/^[0-9TZ:.+-]{1,30}$/),
  fc.base64String({ maxLength: 60 }),
)

function hostileTexts(): ReadonlyArray<string> {
  return [
    [
      "",
      " ",
      "\0",
      "a\0b",
      "%",
      "%00",
      "%zz",
      "%ff",
      "\ud800",
      "\udc00a",
      "\ufeff",
      "\u202e",
      "🙈",
      "\t",
      "\x7f",
    ],
    [
      "..",
      "../../etc/passwd",
      "..%2f..",
      "/",
      "//",
      "a/b",
      "?",
      "#",
      "*",
      ",",
      ":",
      ":::",
      "a:b:c",
      "a:,b:",
      ";",
    ],
    [
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "null",
      "undefined",
      "true",
      "NaN",
      "Infinity",
    ],
    ["0", "-0", "-1", "1.5", "1e3", "1e999", "0x10", "2147483648", "9007199254740993", "9".repeat(40)],
    ["2026-01-30T11:00:00Z", "2026-13-45T99:99:99Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"],
    [
      "+275760-09-13T00:00:00.001Z",
      "-271821-04-20T00:00:00Z",
      "2026-02-30T12:00:00+99:99",
      "P1D",
      "5m",
      "-5m",
    ],
    [
      "' OR 1=1 --",
      "\\",
      '"',
      "$1",
      "${a}",
      "{{a}}",
      "{{",
      "}}",
      "<script>",
      "a\u0301",
      "[hidden]",
      "eyJhIjoxfQ",
    ],
    ["x".repeat(254), "x".repeat(3_000), "é".repeat(300), "a,".repeat(500), "a:b,".repeat(300)],
  ].flat()
}

const hostileValues: ReadonlyArray<unknown> = [
  [null, true, false, 0, -0, -1, 0.1, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 53 - 1],
  [
    [],
    {},
    [null],
    [[]],
    [{}],
    { "": "" },
    { "\0": 1 },
    { "\ud800": 1 },
    JSON.parse('{"__proto__": {"a": 1}}'),
  ],
].flat()

/** The list of a cursor and the number of parts that its position has. */
const cursorLists: Readonly<Record<string, ReadonlyArray<readonly [string, number]>>> = {
  listSlos: [["v2/slos", 2]],
  listSlosV1: [["v1/slos", 2]],
  searchSlos: [["console/slos", 2]],
  listConsoleAlertMethods: [["console/alertmethods", 2]],
  listConsoleSilences: [["console/silences", 2]],
  listAlerts: [
    ["alerts", 1],
    ["alerts/newest", 2],
  ],
  listDeliveries: [["deliveries", 1]],
  listResends: [["resends", 1]],
}

const hostileHeaders = [
  ["organization", "project", "accept", "accept-encoding", "if-none-match", "idempotency-key", "origin"],
  ["cookie", "authorization", "content-type", "content-encoding", "x-forwarded-for", "x-unknown", "referer"],
].flat()

const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      ...hostileValues,
      nested(60),
      nested(400),
      Array.from({ length: 3_000 }, () => 0),
      Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`k${index}`, index])),
      "x".repeat(70_000),
    ),
  },
  fc.jsonValue({ maxDepth: 3 }),
)

function nested(depth: number): unknown {
  let value: unknown = []
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

/** A value with something else, or nothing, in one or two places. */
const damaged = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .array(
      fc.tuple(
        fc.array(fc.nat(1_000), { minLength: 1, maxLength: 7 }),
        fc.option(hostileJson, { nil: removed }),
      ),
      {
        maxLength: 2,
      },
    )
    .map((changes) => changes.reduce((result, [route, put]) => replaceAt(result, route, put), value))

const removed = Symbol("removed")

const replaceAt = (value: unknown, [step, ...rest]: ReadonlyArray<number>, put: unknown): unknown => {
  if (step === undefined || typeof value !== "object" || value === null) return put === removed ? null : put
  const keys = Object.keys(value)
  // One step in ten is to the value itself.
  const key = step % 10 === 0 ? undefined : keys[step % Math.max(1, keys.length)]
  if (key === undefined) return put === removed ? null : put
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(value)
  const changed = entries.flatMap(([name, each]) =>
    name !== key
      ? [[name, each] as const]
      : rest.length === 0 && put === removed
        ? []
        : [[name, replaceAt(each, rest, put)] as const],
  )
  return Array.isArray(value) ? changed.map(([, each]) => each) : Object.fromEntries(changed)
}

const damagedText = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(Math.max(0, text.length - 1)),
      fc.nat(20),
      fc.oneof(hostileText, fc.constantFrom(...syntax)),
    )
    .map(([at, length, inserted]) => text.slice(0, at) + inserted + text.slice(at + length))

const syntax = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "- ",
  "? ",
  "&a ",
  "*a",
  "!!binary ",
  "<<: *a",
  "|\n",
  ">-\n",
  "---\n",
  "#",
]

const bodies = (
  operation: Operation,
): fc.Arbitrary<{ readonly type: string; readonly body: Buffer } | undefined> => {
  const example = jsonOf(operation.requestBody)?.example
  if (example === undefined) return fc.constant(undefined)
  const documents = (value: unknown) =>
    [value].flat().filter((each) => typeof each === "object" && each !== null)
  const json = damaged(example).map((value) => JSON.stringify(value) ?? "")
  const yaml = damaged(example).map((value) => writeDocuments(yamlFormat, documents(value)))
  const text = (type: string, body: fc.Arbitrary<string>) =>
    body.map((each) => ({ type, body: Buffer.from(each) }))

  // Otherwise most requests would fail for their type.
  const yamlWeight = "application/yaml" in (operation.requestBody?.content ?? {}) ? 4 : 0
  return fc.oneof(
    { weight: 16, arbitrary: text("application/json", json) },
    { weight: yamlWeight, arbitrary: text("application/yaml", yaml) },
    text("application/yaml", json),
    { weight: 2, arbitrary: text("application/json", damagedText(JSON.stringify(example))) },
    {
      weight: yamlWeight,
      arbitrary: text("application/yaml", damagedText(writeDocuments(yamlFormat, documents(example)))),
    },
    text("application/json", fc.constant(writeDocuments(jsonFormat, documents(example)).repeat(2))),
    text(
      "application/json",
      hostileJson.map((value) => JSON.stringify(value)),
    ),
    fc.record({
      type: fc.constantFrom("application/json", "application/yaml"),
      body: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    }),
    fc.record({
      type: fc.constantFrom("application/json", "application/yaml"),
      body: fc
        .constantFrom("[", '{"a":', "- ", "a: {", "0,", "&a [*a,", " ", '"')
        .map((unit) => Buffer.from(unit.repeat(1_000))),
    }),
    fc.constantFrom(
      { type: "application/json", body: Buffer.alloc(requestBodyMaxBytes + 1, " ") },
      { type: "application/json", body: Buffer.alloc(requestBodyMaxBytes, "[") },
      { type: "application/json", body: Buffer.from(`"${"\\n".repeat(400_000)}`) },
    ),
    fc.constant(undefined),
  )
}

/** A value of a parameter: mostly the valid one, so that what comes after it is reached. */
const valuesOf = (
  { name, in: place, example, schema }: Parameter,
  lists: ReadonlyArray<readonly [string, number]>,
): fc.Arbitrary<ReadonlyArray<string>> => {
  const valid = [example ?? []].flat().map(String)
  return fc.oneof(
    { weight: place === "path" ? 30 : 9, arbitrary: fc.constant(valid) },
    ...(name === "cursor" ? lists : []).map((list) => ({ weight: 9, arbitrary: forgedCursors(list) })),
    { weight: 3, arbitrary: hostileText.map((text) => [text]) },
    fc.array(hostileText, { minLength: 2, maxLength: schema.type === "array" ? 150 : 3 }),
    fc.constant([]),
  )
}

/** Cursors that are well-formed, of a position that no element has. */
const forgedCursors = ([list, parts]: readonly [string, number]) =>
  fc
    .array(fc.oneof(hostileText, fc.constantFrom("\0", "a\0b")), { minLength: parts, maxLength: parts })
    .map((key) => [writeCursor(list, key)])

const percentEncoded = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, "0")}`,
    )
    .join("")

/** Without what would end the request line. */
const raw = (text: string): string => Buffer.from(text.replaceAll(/[\r\n ]/g, "")).toString("latin1")

const headerValue = (text: string): string => Buffer.from(text.replaceAll(/[\r\n]/g, "")).toString("latin1")

const requests = (operation: Operation): fc.Arbitrary<HostileRequest> => {
  const placed = (place: Parameter["in"]) =>
    operation.parameters.filter((parameter) => parameter.in === place)
  const all = (parameters: ReadonlyArray<Parameter>) =>
    fc.tuple(
      ...parameters.map((parameter) =>
        valuesOf(parameter, cursorLists[operation.operationId] ?? []).map((values) => ({
          ...parameter,
          values,
        })),
      ),
    )
  const encoding = fc.oneof({ weight: 9, arbitrary: fc.constant(percentEncoded) }, fc.constant(raw))
  const path = fc
    .tuple(all(placed("path")), encoding)
    .map(([parameters, encode]) =>
      parameters.reduce(
        (filled, { name, values, example }) =>
          filled.replace(`{${name}}`, () => encode(values[0] ?? String(example ?? "x"))),
        operation.path,
      ),
    )
  const unknown = fc.record({ name: hostileText, values: fc.array(hostileText, { maxLength: 2 }) })
  const query = fc
    .tuple(all(placed("query")), fc.option(unknown, { nil: undefined, freq: 8 }), encoding)
    .map(([parameters, other, encode]) =>
      [...parameters, ...(other === undefined ? [] : [other])]
        .flatMap(({ name, values }) => values.map((value) => `${encode(name)}=${encode(value)}`))
        .join("&"),
    )
  const known = all(placed("header").filter(({ name }) => name !== "organization"))
  const more = fc.array(fc.tuple(fc.constantFrom(...hostileHeaders), hostileText), { maxLength: 2 })
  const clients = fc.oneof(
    { weight: 12, arbitrary: fc.constant<keyof Clients>(clientOf[operation.operationId] ?? "editor") },
    fc.constantFrom<keyof Clients>("editor", "viewer", "basic", "session", "nobody", "garbage"),
  )
  const methods = fc.oneof(
    { weight: 20, arbitrary: fc.constant(operation.method.toUpperCase()) },
    fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"),
  )
  return fc
    .tuple(
      methods,
      path,
      query,
      clients,
      known,
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, more),
      bodies(operation),
    )
    .map(([method, filled, search, client, parameters, others, content]): HostileRequest => ({
      method,
      target: (search === "" ? filled : `${filled}?${search}`).slice(0, 15_000),
      client,
      headers: [
        ...parameters.flatMap(({ name, values }) =>
          values.map((value) => [name, headerValue(value)] as const),
        ),
        ...(content === undefined ? [] : [["content-type", content.type] as const]),
        ...others.map(([name, value]) => [name, headerValue(value)] as const),
      ],
      body: content?.body,
    }))
}

/** Who calls an operation that takes no access token. */
const clientOf: Readonly<Record<string, keyof Clients>> = {
  issueAccessToken: "basic",
  receiveAlertmanager: "basic",
  openSession: "signIn",
  findSession: "session",
  closeSession: "session",
}
