import { NodeApiServer } from "@tocsin/adapters-http"
import { issueOperatorToken } from "@tocsin/adapters-http/server"
import { clientsApi } from "@tocsin/adapters-clients"
import { errorCodeTexts, operator, operatorCredentials, resources } from "@tocsin/api"
import { requestBodyMaxBytes } from "@tocsin/domain/limits"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { apiServer, headersOf, type ReceivedResponse, send } from "./api-client.ts"
import { masterKey } from "./api-ports.ts"
import { operations as documented, validatorOf } from "./operations.ts"
import { exchange } from "./raw-socket.ts"

/** Every operation that is declared, also those that are not in the OpenAPI document. */
const declared = [...Object.values(resources), operator, operatorCredentials].flatMap(({ operations }) =>
  Object.values(operations as Readonly<Record<string, DeclaredOperation>>).map(
    ({ method, path, body, role, access }) => ({
      method,
      path: path.replaceAll(/:\w+/g, "any"),
      hasBody: body !== undefined,
      role,
      access,
    }),
  ),
)

interface DeclaredOperation {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly role?: string
  readonly access?: string
}

const isError = validatorOf({ $ref: "#/components/schemas/Error" })

/** The calls with definitions, and those of clients that name one. */
const withDefinitions =
  /^[A-Z]+ \/api\/(apply|delete|get|definitions|[\w-]+\/preview|objects\/v1\/slos\/move|budgetadjustments|timetravel|internal\/agent)\b/

/** The title of an issue of a definition, or of a call without a counterpart, is its message: existing clients show nothing else. */
const hasMessageAsTitle = (target: string, code: string): boolean =>
  code === "not_supported" || withDefinitions.test(target)

/** Checks the one shape that every error of the API has (spec/errors §1). */
const expectError = (sent: string, { status, headers, text }: ReceivedResponse): void => {
  expect(status, sent).toBeGreaterThanOrEqual(400)
  expect([headers.get("content-type"), headers.get("cache-control")], sent).toEqual([
    "application/json",
    "no-store",
  ])
  expect(headers.get("trace-id"), sent).toMatch(/^[0-9a-f]{32}$/)
  const document: unknown = JSON.parse(text)
  expect(isError(document), `${sent}: ${text}`).toBe(true)
  const { errors } = document as { readonly errors: ReadonlyArray<ErrorItem> }
  for (const { code, title } of errors) {
    expect(Object.keys(errorCodeTexts), `${sent}: ${text}`).toContain(code)
    if (!hasMessageAsTitle(sent, code)) expect(title, `${sent}: ${text}`).toMatch(/^[A-Z][A-Za-z- ]{5,60}$/)
  }
}

interface ErrorItem {
  readonly title: string
  readonly code: string
}

describe("errors", () => {
  it("spec/errors §1: every declared error has the same schema", () => {
    const schemas = new Set<string>()
    for (const { operationId, responses } of documented) {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) < 400) continue
        const { content = {} } = resolved(response)
        expect(Object.keys(content), `${operationId} ${status}`).toEqual(["application/json"])
        schemas.add(JSON.stringify(content["application/json"]?.schema))
      }
    }
    expect([...schemas]).toEqual([JSON.stringify({ $ref: "#/components/schemas/Error" })])
  })

  it.effect("spec/errors §1: have one shape for each operation, whatever is wrong with the request", () =>
    Effect.gen(function* () {
      const operatorToken = yield* issueOperatorToken(masterKey)
      const byOperator = { authorization: `Bearer ${operatorToken}`, organization: "acme" }
      const admin = yield* headersOf("acme", "admin")
      const viewer = yield* headersOf("acme", "viewer")
      const large = new Uint8Array(requestBodyMaxBytes + 1)
      const statuses = new Set<number>()
      for (const { method, path, hasBody, role, access } of declared) {
        const allowed = access === "operator" || access === "server" ? byOperator : admin
        const wrong = ["GET", "POST", "PUT", "DELETE", "PATCH"].find((other) =>
          declared.every((each) => each.path !== path || each.method !== other),
        )
        const requests: ReadonlyArray<readonly [string, RequestInit]> = [
          [path, { method: wrong ?? "TRACE", headers: allowed }],
          [path, { method }],
          [path, { method, headers: { ...allowed, authorization: "Bearer a.b.c" } }],
          [`${path}?zz=%zz`, { method, headers: allowed }],
          [`${path}?zz=1&zz=2`, { method, headers: allowed }],
          [path, { method, headers: { ...allowed, accept: "application/json; version=v9" } }],
          ...(role === undefined ? [] : [[path, { method, headers: viewer }] as const]),
          ...(hasBody
            ? [
                ["text/plain", "a"],
                ["application/json", "{"],
                ["application/json", '{"a":1,"a":2}'],
                ["application/json", "7"],
                ["application/json", large],
              ].map(
                ([type, body]) =>
                  [path, { method, headers: { ...allowed, "content-type": type }, body }] as const,
              )
            : []),
        ] as never
        for (const [target, init] of requests) {
          const received = yield* send(target, init)
          statuses.add(received.status)
          if (received.status >= 400) expectError(`${init.method} ${target}`, received)
        }
      }
      expect([...statuses].filter((status) => status >= 400).toSorted()).toEqual(
        expect.arrayContaining([400, 401, 403, 404, 405, 406, 413, 415]),
      )
      expect(statuses).not.toContain(500)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/errors §1: have the same shape for paths that are no operation", () =>
    Effect.gen(function* () {
      const editor = yield* headersOf("acme")
      const post = { method: "POST", headers: { ...editor, "content-type": "application/json" }, body: "{" }
      for (const [target, init] of [
        ["/nothing", {}],
        ["/api", {}],
        ["/api/nothing", { method: "DELETE" }],
        ["/api/v1/nothing", {}],
        ["/api/slos/%ff/counts", {}],
        ["/%zz", {}],
        ["/help", {}],
        ["/status/none", {}],
        ["/status/none/feed.xml", {}],
        ["/status/none", { method: "POST" }],
        ["/metrics", {}],
        ["/readyz", { method: "POST" }],
        ["/docs", { method: "DELETE" }],
        ["/.well-known/none", {}],
        ["/api/otlp/v1/metrics", post],
        ["/api/otlp/v1/metrics", { method: "POST" }],
        ["/api/alertmanager", post],
        ["/api/alertmanager", { method: "POST" }],
        ["/api/mcp", { method: "POST" }],
        ["/api/mcp", {}],
        ["/api/mcp", { ...post, headers: { ...post.headers, "content-type": "text/plain" } }],
        ["/api/mcp", post],
      ] as ReadonlyArray<readonly [string, RequestInit]>)
        expectError(`${init.method ?? "GET"} ${target}`, yield* send(target, init))
      // The calls of public clients, those that have no counterpart included.
      for (const { method, path } of clientsApi.routes.filter(({ path }) => path.startsWith("/api/"))) {
        const target = path.replaceAll(/:\w+/g, "any")
        expectError(`${method} ${target}`, yield* send(target, { method }))
        const received = yield* send(target, { method, headers: editor })
        if (received.status >= 400) expectError(`${method} ${target}`, received)
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/errors §1: have the same shape if the server cannot parse the request", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      for (const [head, status] of [
        ["GET / HTTP/1.1", 400],
        ["GET / HTTP/1.1\r\nHost: a\r\nHost: b", 400],
        ["NONSENSE / HTTP/1.1\r\nHost: a", 501],
        ["GET / HTTP/1.1\r\nHost: a\r\nExpect: none", 417],
        ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: none", 501],
        [`GET / HTTP/1.1\r\nHost: a\r\nCookie: ${"a".repeat(20_000)}`, 431],
      ] as const) {
        const received = yield* exchange(port, `${head}\r\nConnection: close\r\n\r\n`)
        const [start = "", ...lines] = received.slice(0, received.indexOf("\r\n\r\n")).split("\r\n")
        expect(start.split(" ")[1], head).toBe(`${status}`)
        expectError(head.slice(0, 60), {
          status,
          headers: new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string])),
          text: received.slice(received.indexOf("\r\n\r\n") + 4),
        })
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/errors §1: have the form of another standard where one applies", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      const keysOf = ({ text }: ReceivedResponse) => Object.keys(JSON.parse(text) as object)
      expect(keysOf(yield* send("/oauth2/acme/v1/token", { method: "POST" }))).toEqual([
        "error",
        "error_description",
      ])
      expect(keysOf(yield* send("/api/prometheus/api/v1/query?query=(", { headers }))).toEqual([
        "status",
        "errorType",
        "error",
      ])
      const message = {
        headers: { ...headers, "content-type": "application/json" },
        method: "POST",
        body: "[]",
      }
      expect(keysOf(yield* send("/api/mcp", message))).toEqual(["jsonrpc", "id", "error"])
      const page = yield* send("/status/none", { headers: { accept: "text/html" } })
      expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
    }).pipe(Effect.provide(apiServer)),
  )
})

/** A response that may be a reference. */
const resolved = (response: object) =>
  response as { readonly content?: Readonly<Record<string, { readonly schema: unknown }>> }
