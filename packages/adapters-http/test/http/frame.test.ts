import { accessTokenPolicy } from "@tocsin/domain/rate-limit"
import { RateLimiterMemory } from "@tocsin/adapters-memory"
import type { ApiRequest } from "../../src/frame/ApiRequest.ts"
import { isVersionAcceptable } from "../../src/frame/ApiVersions.ts"
import { ApiOptions, NodeApiServer } from "@tocsin/adapters-http"
import { AccessLog } from "@tocsin/adapters-http/server"
import { jsonResponse } from "../../src/frame/ApiResponse.ts"
import { makeDispatch } from "../../src/frame/ApiDispatch.ts"
import type { ApiRoute } from "../../src/frame/ApiRouter.ts"
import { apiErrors } from "../../src/api/ApiErrors.ts"
import { rateLimitHeaders } from "../../src/frame/RateLimitHeaders.ts"
import { clientAddressOf } from "../../src/frame/ClientAddress.ts"
import { readJson, readText } from "../../src/frame/RequestBody.ts"
import { requestBodyMaxBytes } from "@tocsin/domain/limits"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { errorsOf, send, type ReceivedResponse } from "../../../../test/http/api-client.ts"
import { exchange, rawSocket } from "../../../../test/http/raw-socket.ts"
import { StoreIsUnavailable } from "@tocsin/domain/ports"

const unavailable = { operation: "find", isRetryable: true, cause: new Error("password=hunter2") }

/** Its bodies count toward no limit that was reached. */
const bodyOf = (request: ApiRequest) => Effect.provide(readJson(request), RateLimiterMemory.layer)

type Failure =
  Effect.Error<ReturnType<typeof readText>> | Effect.Error<ReturnType<typeof readJson>> | StoreIsUnavailable

type Route = ApiRoute<Failure, never>

const get = (path: string, handler: Route["handler"]): Route => ({
  method: "GET",
  path,
  handler,
})
const post = (path: string, handler: Route["handler"]): Route => ({
  method: "POST",
  path,
  handler,
})

const routes: ReadonlyArray<Route> = [
  get("/things", (request) => Effect.succeed(jsonResponse(200, JSON.stringify([...request.query])))),
  get("/things/:name", ({ pathParams }) => Effect.succeed(jsonResponse(200, JSON.stringify(pathParams)))),
  get("/things/all", () => Effect.succeed(jsonResponse(200, '"all"'))),
  post("/things", (request) =>
    Effect.map(bodyOf(request), (body) => jsonResponse(200, JSON.stringify(body))),
  ),
  post("/texts", (request) =>
    Effect.map(readText(request, ["application/json", "application/yaml"]), ({ mediaType, text }) =>
      jsonResponse(200, JSON.stringify({ mediaType, length: text.length })),
    ),
  ),
  post("/ignored", () => Effect.succeed(jsonResponse(200, "{}"))),
  get("/defect", () => Effect.die(new Error("internal secret"))),
  get("/thrown", () => {
    throw new Error("internal secret")
  }),
  get("/unavailable", () =>
    Effect.fail(new StoreIsUnavailable({ store: "CredentialStore", ...unavailable })),
  ),
  get("/unsigned", () => Effect.fail(new StoreIsUnavailable({ store: "SigningKeyStore", ...unavailable }))),
  get("/broken", () => Effect.succeed(jsonResponse(200, "{}", { location: "a\r\nb" }))),
  get("/address", (request) =>
    Effect.map(clientAddressOf(request), (address) => jsonResponse(200, `"${address}"`)),
  ),
]

const serverOf = (served: ReadonlyArray<Route>, options: Partial<NodeApiServer.NodeApiServerOptions> = {}) =>
  Layer.effect(
    NodeApiServer.NodeApiServer,
    NodeApiServer.make({ host: "127.0.0.1", port: 0, ...options }, makeDispatch(served, apiErrors)),
  )

const server = serverOf(routes)

const codeOf = (answer: ReceivedResponse) => [answer.status, errorsOf(answer)[0]?.code]

describe("every response", () => {
  it.effect("spec/errors §1: has a Trace-Id of its own, whatever the client sends", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(["/things", "/things", "/nothing", "/defect"], (path) =>
        send(path, { headers: { "trace-id": "mine", traceparent: "mine" } }),
      )
      const ids = answers.map(({ headers }) => headers.get("trace-id") ?? "")
      expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true)
      expect(new Set(ids).size).toBe(ids.length)
    }).pipe(Effect.provide(server)),
  )

  it.effect("is not sniffed, nor stored unless it says so", () =>
    Effect.gen(function* () {
      for (const path of ["/things", "/nothing"]) {
        const { headers } = yield* send(path)
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        expect(headers.get("cache-control")).toBe("no-store")
        expect(headers.get("content-type")).toBe("application/json")
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("HEAD returns the response of GET without the body", () =>
    Effect.gen(function* () {
      const answer = yield* send("/things/all", { method: "HEAD" })
      expect([answer.status, answer.headers.get("content-length"), answer.text]).toEqual([200, "5", ""])
    }).pipe(Effect.provide(server)),
  )
})

describe("paths", () => {
  it.effect("parameters are decoded, a path without them wins, and the query may repeat", () =>
    Effect.gen(function* () {
      expect((yield* send("/things/a%2Fb%20%C3%A9")).text).toBe('{"name":"a/b é"}')
      expect((yield* send("/things/all")).text).toBe('"all"')
      expect((yield* send("/things/:name")).text).toBe('{"name":":name"}')
      expect((yield* send("/things?a=1&b=%26&a=2+3")).text).toBe('[["a","1"],["b","&"],["a","2 3"]]')
    }).pipe(Effect.provide(server)),
  )

  it.effect(
    "a given segment wins over a parameter from left to right, unless the rest of the path then has no route",
    () => {
      const named = (path: string) =>
        get(path, ({ pathParams }) => Effect.succeed(jsonResponse(200, JSON.stringify([path, pathParams]))))
      const routes = ["/a/:x/c", "/a/b/:y", "/a/:x/:y/d", "/a/b/e", "/:z"].map(named)
      const answers = [
        ["/a/b/c", ["/a/b/:y", { y: "c" }]],
        ["/a/1/c", ["/a/:x/c", { x: "1" }]],
        ["/a/b/e", ["/a/b/e", {}]],
        ["/a/b/c/d", ["/a/:x/:y/d", { x: "b", y: "c" }]],
        ["/a", ["/:z", { z: "a" }]],
      ] as const
      return Effect.gen(function* () {
        for (const [path, answer] of answers) expect(JSON.parse((yield* send(path)).text)).toEqual(answer)
        for (const path of ["/a/b", "/a/b/", "/a//c", "/a/1/c/", "/a/1/2/3"])
          expect([path, (yield* send(path)).status]).toEqual([path, 404])
      }).pipe(Effect.provide(serverOf(routes)))
    },
  )

  it.effect("each method of a path names its parameters itself", () => {
    const named = (method: string, path: string): Route => ({
      method,
      path,
      handler: ({ pathParams }) => Effect.succeed(jsonResponse(200, JSON.stringify(pathParams))),
    })
    return Effect.gen(function* () {
      expect((yield* send("/a/1")).text).toBe('{"id":"1"}')
      expect((yield* send("/a/1", { method: "DELETE" })).text).toBe('{"name":"1"}')
    }).pipe(Effect.provide(serverOf([named("GET", "/a/:id"), named("DELETE", "/a/:name")])))
  })

  it.effect("a path that is probably misspelled is 404 with the one that there is", () =>
    Effect.gen(function* () {
      const [error] = errorsOf(yield* send("/thing"))
      expect(error?.detail).toBe("There is no such path; did you mean /things?")
      expect(errorsOf(yield* send(`/thing${"s".repeat(64)}`))).toEqual([
        {
          title: "Not found",
          code: "not_found",
          detail: "There is no such path. All paths are in /openapi.json.",
        },
      ])
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: an unknown path is 404 in the one shape", () =>
    Effect.gen(function* () {
      for (const path of [
        "/",
        "/nowhere",
        "/things/",
        "/things/a/b",
        "//things",
        "/THINGS",
        "/things%2Fall",
      ]) {
        const answer = yield* send(path)
        expect([path, answer.status]).toEqual([path, 404])
        const { detail, ...error } = errorsOf(answer)[0] ?? {}
        expect(error).toEqual({ title: "Not found", code: "not_found" })
        expect(detail).toMatch(/^There is no such path(; did you mean \/[\w/]+\?$|\. )/)
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: a wrong method is 405 with Allow", () =>
    Effect.gen(function* () {
      for (const [method, path, allow] of [
        ["DELETE", "/things", "GET, POST, HEAD"],
        ["OPTIONS", "/things/all", "GET, HEAD"],
        ["GET", "/ignored", "POST"],
        ["HEAD", "/ignored", "POST"],
        ["PATCH", "/things/a", "GET, HEAD"],
      ] as const) {
        const answer = yield* send(path, { method })
        expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow])
        if (method === "HEAD") continue
        expect(codeOf(answer)).toEqual([405, "method_not_allowed"])
        expect(errorsOf(answer)[0]?.detail).toBe(`This path supports the methods ${allow}.`)
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: a path that cannot be decoded is 400", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      for (const path of ["/things/%", "/things/%zz", "/things/%ff", "/nothing/%zz", "/%", "/\xe9", "/a\0"]) {
        const text = yield* exchange(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
        expect([path, text.slice(0, 12)]).toEqual([path, "HTTP/1.1 400"])
        expect(text).toContain('"code":"invalid_path","detail":"Percent-encode the path: each % must be ')
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: a method that the server does not know is 501, whatever the path", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      for (const method of ["BREW", "get", "GETS", "PROPFIND", "QUERY", "CONNECT"])
        for (const path of ["/things", "/nothing"]) {
          const target = method === "CONNECT" ? "a:1" : path
          const first = "GET /things/first HTTP/1.1\r\nHost: a\r\n\r\n"
          const head = `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
          const text = yield* exchange(port, first + head)
          expect([method, text.match(/HTTP\/1\.1 \d+/g)]).toEqual([method, ["HTTP/1.1 200", "HTTP/1.1 501"]])
          expect(text).toContain(
            '"code":"method_unknown","detail":"Use GET, HEAD, POST, PUT or DELETE, in upper',
          )
        }
    }).pipe(Effect.provide(server)),
  )

  it.effect("a whole URL as the target counts by its path", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const head = "HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      expect(yield* exchange(port, `GET http://a:1/things?q=/ ${head}`)).toContain('[["q","/"]]')
      expect(yield* exchange(port, `GET http://a ${head}`)).toContain("404 Not Found")
      expect(yield* exchange(port, `OPTIONS * ${head}`)).toContain("404 Not Found")
    }).pipe(Effect.provide(server)),
  )

  it.effect("a request names one host; of HTTP/1.0 it may name none", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const ask = (rest: string) => exchange(port, `GET /things ${rest}\r\n\r\n`)
      expect(yield* ask("HTTP/1.0")).toContain(" 200 OK")
      const refused = [
        ["HTTP/1.1\r\nAccept: */*", "host_missing"],
        ["HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nhOST: b", "host_duplicated"],
        ["HTTP/1.0\r\nHost: a\r\nHost: a", "host_duplicated"],
      ] as const
      for (const [rest, code] of refused) {
        const text = yield* ask(rest)
        expect(text).toMatch(
          /^HTTP\/1\.1 400 (?=[^]*\r\nconnection: close\r\n)[^]*\r\ntrace-id: [0-9a-f]{32}\r\n/i,
        )
        expect(text).toContain(`"code":"${code}"`)
      }
    }).pipe(Effect.provide(server)),
  )
})

describe("the Accept header", () => {
  it.each([
    [undefined, true],
    ["", true],
    ["*/*", true],
    ["application/json", true],
    ["application/json; version=v1alpha", true],
    ["application/json;version=v1alpha", true],
    ['application/json; charset=utf-8; VERSION="v1alpha"', true],
    ["application/json; version=v2, application/json; version=v1alpha;q=0.5", true],
    ["application/json; version=v2, */*;q=0.1", true],
    ["application/json; version=v2", false],
    ["application/json; version=v1", false],
    ["application/json; version=v1alpha2", false],
    ["application/json; version=", false],
    ["application/json; version=v1, text/plain;version=v2", false],
  ])("spec/errors §2: %j is acceptable: %s", (accept, isAcceptable) => {
    expect(isVersionAcceptable(accept)).toBe(isAcceptable)
  })

  it.effect("spec/errors §2: a version other than v1alpha is 406", () =>
    Effect.gen(function* () {
      const accept = (value: string) => send("/things", { headers: { accept: value } })
      expect((yield* accept("application/json; version=v1alpha")).status).toBe(200)
      expect(codeOf(yield* accept("application/json; version=v2"))).toEqual([406, "version_not_acceptable"])
    }).pipe(Effect.provide(server)),
  )
})

describe("bodies", () => {
  const json = { "content-type": "application/json" }
  const sendBody = (body: RequestInit["body"], headers: Record<string, string> = json, path = "/things") =>
    send(path, { method: "POST", headers, body: body ?? null })
  const quoted = (bytes: number) => `"${"x".repeat(bytes - 2)}"`

  it.effect("spec/errors §2: the largest is read, and one byte more is 413", () =>
    Effect.gen(function* () {
      const largest = yield* sendBody(quoted(requestBodyMaxBytes))
      expect([largest.status, largest.text.length]).toEqual([200, requestBodyMaxBytes])
      expect(codeOf(yield* sendBody(quoted(requestBodyMaxBytes + 1)))).toEqual([413, "body_too_large"])
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: so it is without a Content-Length", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const head =
        "POST /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      const chunk = `10000\r\n${"1".repeat(0x10000)}\r\n`
      const chunks = requestBodyMaxBytes / 0x10000
      const largest = yield* exchange(port, `${head}${chunk.repeat(chunks)}0\r\n\r\n`)
      expect(largest).toContain("HTTP/1.1 200 OK")
      const tooLarge = yield* exchange(port, `${head}${chunk.repeat(chunks)}1\r\n1\r\n0\r\n\r\n`)
      expect(tooLarge).toContain("HTTP/1.1 413 ")
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: 413 comes before the body is sent, and instead of 100 Continue", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const head = (length: number) =>
        `POST /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
      const small = yield* rawSocket(port)
      small.write(head(2))
      yield* small.until("HTTP/1.1 100 Continue")
      small.write("{}")
      expect(yield* small.toEnd).toContain("HTTP/1.1 200 OK")
      const large = yield* rawSocket(port)
      large.write(head(requestBodyMaxBytes + 1))
      expect(yield* large.until("body_too_large")).toMatch(/^HTTP\/1\.1 413 /)
      large.socket.destroy()
    }).pipe(Effect.provide(server)),
  )

  it.effect(
    "RFC 9110: a client that waits for 100 Continue and gets a final response finds the connection closed",
    () =>
      Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        const head = "POST /ignored HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
        const answer = yield* exchange(port, head)
        expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
        expect(answer.toLowerCase()).toContain("connection: close")
      }).pipe(Effect.provide(server)),
  )

  it.effect("a connection continues after a body that nobody read", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const post = `POST /ignored HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345`
      const last = "GET /things/last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      const text = yield* exchange(port, `${post}${post}${last}`)
      expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3)
      expect(text).toContain('{"name":"last"}')
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: a type that the endpoint does not read, a charset or a coding is 415", () =>
    Effect.gen(function* () {
      const answer = (headers: Record<string, string>, path?: string) =>
        Effect.map(sendBody(Buffer.from("{}"), headers, path), ({ status }) => status)
      expect(yield* answer({})).toBe(200)
      expect(yield* answer({ "content-type": "Application/JSON ; Charset=UTF-8" })).toBe(200)
      expect(yield* answer({ "content-type": 'application/json; charset="utf8"' })).toBe(200)
      expect(yield* answer({ ...json, "content-encoding": "identity" })).toBe(200)
      expect(yield* answer({ "content-type": "application/yaml" }, "/texts")).toBe(200)
      expect(yield* answer({ "content-type": "application/yaml" })).toBe(415)
      expect(yield* answer({ "content-type": "text/plain" })).toBe(415)
      expect(yield* answer({ "content-type": "application/json; charset=latin1" })).toBe(415)
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: a compressed body is 415 and names Content-Encoding", () =>
    Effect.gen(function* () {
      for (const coding of ["gzip", "GZIP", "br", "gzip, identity", "unknown"]) {
        const answer = yield* sendBody(Buffer.from("{}"), { ...json, "content-encoding": coding })
        expect(codeOf(answer)).toEqual([415, "unsupported_content_encoding"])
        expect(errorsOf(answer)[0]?.source).toEqual({ propertyName: "Content-Encoding" })
        expect(answer.headers.get("accept-encoding")).toBe("identity")
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: a body that is not JSON, or not UTF-8, is 400", () =>
    Effect.gen(function* () {
      for (const text of ["", "{", "{} {}", "'a'"]) {
        expect(codeOf(yield* sendBody(text))).toEqual([400, "body_not_json"])
      }
      expect(errorsOf(yield* sendBody('{\n  "secret": "x"\n  "b": 1}'))).toEqual([
        {
          title: "Request body is not valid JSON",
          code: "body_not_json",
          detail: "Line 3, column 3: expected a comma or }.",
        },
      ])
      expect(codeOf(yield* sendBody(new Uint8Array([0x22, 0xff, 0x22])))).toEqual([400, "body_not_utf8"])
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/errors §2: a body with a duplicate key is 400 and names the key", () =>
    Effect.gen(function* () {
      expect(codeOf(yield* sendBody('{"a":[{"b":1,"\\u0062":2}]}'))).toEqual([400, "duplicate"])
    }).pipe(Effect.provide(server)),
  )

  it.effect(
    "spec/errors §2: a body that does not arrive whole in time is 408, and the connection is closed",
    () =>
      Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        const slow = yield* rawSocket(port)
        slow.write("POST /texts HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        yield* slow.until("100 Continue")
        slow.write("1234")
        yield* TestClock.adjust("20 seconds")
        const text = yield* slow.toEnd
        expect(text).toContain("HTTP/1.1 408 ")
        expect(text).toContain('"code":"body_timeout"')
      }).pipe(Effect.provide(server)),
  )

  it.effect("a client that goes away in the middle of its body leaves nothing behind", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<void>()
      const route = post("/", (request) =>
        Effect.as(
          Effect.onExit(request.readBody(5), () => Deferred.succeed(stopped, undefined)),
          jsonResponse(200, ""),
        ),
      )
      yield* Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        const client = yield* rawSocket(port)
        client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        yield* client.until("100 Continue")
        client.socket.destroy()
        yield* Deferred.await(stopped)
      }).pipe(Effect.provide(serverOf([route])))
    }),
  )
})

describe("what goes wrong on our side", () => {
  const logged: Array<string> = []
  const recording = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))])

  it.effect.each(["/defect", "/thrown"])(
    "spec/errors §2: a defect at %s is 500, leaks nothing, and is logged",
    (path) =>
      Effect.gen(function* () {
        const answer = yield* send(path)
        expect(codeOf(answer)).toEqual([500, "internal_error"])
        expect(answer.text).not.toContain("internal secret")
        const line = logged.find((text) => text.includes(answer.headers.get("trace-id") ?? "-")) ?? ""
        expect(line).toContain("internal secret")
        expect(line).toContain("level=ERROR")
      }).pipe(Effect.provide(Layer.provide(server, recording))),
  )

  it.effect(
    "spec/errors §2: a store that is unavailable is 503 with Retry-After, leaks nothing, and is logged",
    () =>
      Effect.gen(function* () {
        const answer = yield* send("/unavailable")
        expect(codeOf(answer)).toEqual([503, "unavailable"])
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
        expect(answer.text).not.toContain("hunter2")
        expect(logged.some((text) => text.includes(answer.headers.get("trace-id") ?? "-"))).toBe(true)
      }).pipe(Effect.provide(Layer.provide(server, recording))),
  )

  it.effect("an outage is logged with its first request, and then once a minute", () =>
    Effect.gen(function* () {
      logged.length = 0
      for (let n = 0; n < 5; n++) expect(codeOf(yield* send("/unavailable"))).toEqual([503, "unavailable"])
      expect(logged.filter((line) => line.includes("StoreIsUnavailable"))).toHaveLength(1)
      yield* TestClock.adjust("1 minute")
      yield* send("/unavailable")
      const lines = logged.filter((line) => line.includes("StoreIsUnavailable"))
      expect(lines).toHaveLength(2)
      for (const line of lines) expect(line).toContain("The database is not available")
      expect(lines[1]).toContain("requests=5")
      yield* send("/unsigned")
      const other = logged.filter((line) => line.includes("StoreIsUnavailable")).slice(2)
      expect(other).toEqual([expect.stringContaining("store SigningKeyStore")])
    }).pipe(Effect.provide(Layer.provideMerge(serverOf(routes), recording))),
  )

  it.effect("a response that is no HTTP cuts its own connection and nobody else's", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      expect(yield* exchange(port, "GET /broken HTTP/1.1\r\nHost: a\r\n\r\n")).toBe("")
      expect((yield* send("/things")).status).toBe(200)
    }).pipe(Effect.provide(Layer.provide(server, recording))),
  )
})

describe("connections", () => {
  const shape =
    /\r\n\r\n\{"errors":\[\{"title":"[^"]+","code":"[a-z_]+"(,"detail":"[^"]+\.")?(,"source":\{"propertyName":"[A-Z][A-Za-z-]+"\})?\}\]\}$/

  it.effect.each([
    ["what is no HTTP", "hello\r\n\r\n", "400 Bad Request"],
    ["HTTP/1.1 without Host", "GET /things HTTP/1.1\r\n\r\n", "400 Bad Request"],
    [
      "two lengths",
      "POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "400 ",
    ],
    [
      "a length beside chunks",
      "POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "400 ",
    ],
    [
      "an unknown transfer coding",
      "POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
      "501 Not Implemented",
    ],
    [
      "an unknown transfer coding before chunked",
      "POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      "501 Not Implemented",
    ],
    [
      "an unknown transfer coding after chunked",
      "POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      "501 Not Implemented",
    ],
    [
      "an unknown expectation",
      "POST /things HTTP/1.1\r\nHost: a\r\nExpect: a-cup-of-tea\r\nContent-Length: 2\r\n\r\n{}",
      "417 Expectation Failed",
    ],
    ["a head of 17 KiB", `GET /things HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(17 * 1024)}\r\n\r\n`, "431 "],
  ] as const)(
    "spec/errors §1: %s is rejected in the one shape, and the connection closed",
    ([, text, status]) =>
      Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        const answer = yield* exchange(port, text)
        expect(answer).toContain(`HTTP/1.1 ${status}`)
        expect(answer).toMatch(shape)
        expect(answer).toMatch(/\r\ntrace-id: [0-9a-f]{32}\r\n/i)
        expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
        expect((yield* send("/things")).status).toBe(200)
      }).pipe(Effect.provide(server)),
  )

  it.live("spec/errors §1: a head that does not come to its end is 408 in the one shape", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const slow = yield* rawSocket(port)
      slow.write("GET /things HTTP/1.1\r\nHost: a\r\nX-Drip: ")
      const answer = yield* slow.toEnd
      expect(answer).toContain("HTTP/1.1 408 Request Timeout")
      expect(answer).toMatch(shape)
    }).pipe(Effect.provide(serverOf(routes, { headTimeoutMs: 20 }))),
  )

  it.effect("pipelined requests get their responses in order", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const requests = ["a", "b", "c"].map((name) => `GET /things/${name} HTTP/1.1\r\nHost: a\r\n`)
      const text = yield* exchange(port, `${requests.join("\r\n")}Connection: close\r\n\r\n`)
      expect(text.match(/"name":"\w"/g)).toEqual(['"name":"a"', '"name":"b"', '"name":"c"'])
    }).pipe(Effect.provide(server)),
  )

  it.effect("a client that goes away stops the work for it", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const route = get("/", () =>
        Effect.onInterrupt(Effect.andThen(Deferred.succeed(started, undefined), Effect.never), () =>
          Deferred.succeed(stopped, undefined),
        ),
      )
      yield* Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        const client = yield* rawSocket(port)
        client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        yield* Deferred.await(started)
        client.socket.destroy()
        yield* Deferred.await(stopped)
      }).pipe(Effect.provide(serverOf([route])))
    }),
  )

  it.effect("a port in use is reported with Node's code", () =>
    Effect.gen(function* () {
      const { host, port } = yield* NodeApiServer.NodeApiServer
      const second = Effect.scoped(Layer.build(serverOf(routes, { port })))
      const refused = yield* Effect.flip(second)
      expect(refused).toMatchObject({ _tag: "PortIsNotAvailable", host, port, reason: "EADDRINUSE" })
    }).pipe(Effect.provide(server)),
  )
})

describe("shutting down", () => {
  const openServer = (requestGraceMs: number) =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const mayFinish = yield* Deferred.make<void>()
      const route = get("/slow", () =>
        Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(mayFinish)).pipe(
          Effect.as(jsonResponse(200, '"done"')),
        ),
      )
      const scope = yield* Scope.make()
      const { port } = yield* Scope.provide(
        NodeApiServer.make(
          { host: "127.0.0.1", port: 0, requestGraceMs },
          makeDispatch([route, ...routes], apiErrors),
        ),
        scope,
      )
      return { port, started, mayFinish, close: Scope.close(scope, Exit.void) }
    })

  it.effect("finishes what is in flight, closes idle connections, and takes no new ones", () =>
    Effect.gen(function* () {
      const { port, started, mayFinish, close } = yield* openServer(60_000)
      const idle = yield* rawSocket(port)
      idle.write("GET /things HTTP/1.1\r\nHost: a\r\n\r\n")
      yield* idle.until("[]")
      const unused = yield* rawSocket(port)
      const halfAsked = yield* rawSocket(port)
      halfAsked.write("GET /things HTTP/1.1\r\nHost")
      const busy = yield* rawSocket(port)
      busy.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      yield* Deferred.await(started)
      const closing = yield* Effect.forkChild(close)
      yield* Effect.all([idle.toEnd, unused.toEnd, halfAsked.toEnd])
      const refused = yield* Effect.exit(Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/things`)))
      expect(Exit.isFailure(refused)).toBe(true)
      yield* Deferred.succeed(mayFinish, undefined)
      const answer = yield* busy.toEnd
      expect(answer).toContain('"done"')
      expect(answer.toLowerCase()).toContain("connection: close")
      yield* Fiber.join(closing)
    }),
  )

  it.effect("interrupts unfinished work after the timeout", () =>
    Effect.gen(function* () {
      const { port, started, close } = yield* openServer(5_000)
      const busy = yield* rawSocket(port)
      busy.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
      yield* Deferred.await(started)
      const closing = yield* Effect.forkChild(close)
      yield* TestClock.adjust(5_000)
      yield* Fiber.join(closing)
      expect(yield* busy.toEnd).toBe("")
    }),
  )
})

describe("the client's address", () => {
  const addressWith = (trustedProxies: number, forwarded?: string) =>
    Effect.map(
      send("/address", { headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded } }),
      ({ text }): string => JSON.parse(text),
    ).pipe(
      Effect.provide(
        Layer.provide(
          server,
          Layer.effect(
            ApiOptions,
            Effect.map(ApiOptions, (defaults) => ({ ...defaults, trustedProxies })),
          ),
        ),
      ),
    )

  it.effect(
    "spec/rate-limits §1: is the peer's; X-Forwarded-For is not believed unless proxies are configured",
    () =>
      Effect.gen(function* () {
        expect(yield* addressWith(0)).toBe("127.0.0.1")
        expect(yield* addressWith(0, "192.0.2.1")).toBe("127.0.0.1")
        expect(yield* addressWith(1)).toBe("127.0.0.1")
        expect(yield* addressWith(1, "192.0.2.1")).toBe("192.0.2.1")
        expect(yield* addressWith(1, "198.51.100.9, 192.0.2.1")).toBe("192.0.2.1")
        expect(yield* addressWith(2, "203.0.113.1, 198.51.100.9 , 192.0.2.1")).toBe("198.51.100.9")
        expect(yield* addressWith(5, "203.0.113.1, 192.0.2.1")).toBe("203.0.113.1")
      }),
  )
})

describe("the headers of a rate limit", () => {
  it("spec/errors §2: have policy and remaining requests, and Retry-After in whole seconds when exceeded", () => {
    const status = (isAccepted: boolean, retryAfterMs: number) =>
      rateLimitHeaders({ policy: accessTokenPolicy, decision: { isAccepted, remaining: 0, retryAfterMs } })
    expect(status(true, 3_000)).toEqual({
      "ratelimit-policy": '"access-token";q=1;w=3',
      ratelimit: '"access-token";r=0;t=3',
    })
    expect(status(false, 2_001)["retry-after"]).toBe("3")
    expect(status(false, 2_000)["retry-after"]).toBe("2")
    expect(status(false, 1)).toMatchObject({ "retry-after": "1", ratelimit: '"access-token";r=0;t=1' })
  })
})

describe("the access log", () => {
  const behindOneProxy = Layer.effect(
    ApiOptions,
    Effect.map(ApiOptions, (options) => ({ ...options, trustedProxies: 1 })),
  )

  it.effect(
    "spec/telemetry §6: is written in batches: every second and at the end, without query or headers",
    () =>
      Effect.gen(function* () {
        const batches: Array<string> = []
        const lines = () =>
          batches
            .join("")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        const log = AccessLog.layer((text) => void batches.push(text))
        yield* Effect.gen(function* () {
          yield* TestClock.setTime(1_000)
          const forwarded = { headers: { "x-forwarded-for": "203.0.113.9, 192.0.2.7" } }
          const answer = yield* send("/things?token=abc", forwarded)
          yield* send("/nothing")
          expect(batches).toEqual([])
          yield* TestClock.adjust("1 second")
          expect(batches).toHaveLength(1)
          expect(lines()).toMatchObject([
            {
              at: 1_000,
              traceId: answer.headers.get("trace-id"),
              method: "GET",
              path: "/things",
              clientAddress: "192.0.2.7",
              status: 200,
              durationMs: 0,
            },
            { path: "/nothing", clientAddress: "127.0.0.1", status: 404 },
          ])
          yield* send("/things/last")
        }).pipe(Effect.provide(Layer.provide(server, [log, behindOneProxy])))
        expect(lines()[2]).toMatchObject({ path: "/things/last" })
      }),
  )
})
