import { createCredential, currentPublicKey, ensureSigningKey } from "@tocsin/domain"
import { server, tocsin } from "@tocsin/examples/embed-effect"
import type { ServerLimits } from "@tocsin/adapters-http/effect"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { connect } from "node:net"
import { exchange, rawSocket } from "../http/raw-socket.ts"

const keyPath = "/api/notifications/v1/webhook-http-signature/public-key"

const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"

const data = Layer.mergeAll(
  Layer.effectDiscard(ensureSigningKey),
  Layer.effectDiscard(
    createCredential({
      organization: "acme",
      clientId: "me",
      role: "editor",
      clientSecret: Redacted.make(clientSecret),
    }),
  ),
)

const running = (limits?: ServerLimits) =>
  server(0, limits).pipe(
    Layer.provide(data),
    Layer.provide(tocsin("http://127.0.0.1", new Uint8Array(32).fill(1))),
  )

const portOf = Effect.map(HttpServer.HttpServer, ({ address }) => ("port" in address ? address.port : 0))

const get = (path: string, headers = "Host: a\r\nConnection: close\r\n") =>
  `GET ${path} HTTP/1.1\r\n${headers}\r\n`

/** Heads of requests to apply a body of `length` bytes. */
const applyHeads = (port: number) =>
  Effect.gen(function* () {
    const basic = `Authorization: Basic ${btoa(`me:${clientSecret}`)}\r\nOrganization: acme\r\n`
    const issued = yield* exchange(
      port,
      `POST /api/accessToken HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${basic}Content-Length: 0\r\n\r\n`,
    )
    const token = /"access_token":"([^"]+)"/.exec(issued)?.[1]
    return (length: number, header = "") =>
      `PUT /api/apply HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nOrganization: acme\r\nContent-Type: application/json\r\n${header}Content-Length: ${length}\r\n\r\n`
  })

describe("the API in Effect's NodeHttpServer", () => {
  it.live("responds beside the routes of the host, to HEAD and to unknown paths too", () =>
    Effect.gen(function* () {
      const port = yield* portOf
      expect(yield* exchange(port, get("/"))).toMatch(/^HTTP\/1\.1 200 [^]*My app$/)
      expect(yield* exchange(port, get(keyPath))).toMatch(/^HTTP\/1\.1 200 [^]*trace-id: [0-9a-f]{32}/i)
      expect(yield* exchange(port, get(keyPath).replace("GET", "HEAD"))).toMatch(
        /^HTTP\/1\.1 200 [^]*content-length: \d{2,}\r\n[^]*\r\n\r\n$/i,
      )
      expect(yield* exchange(port, get("/api/v2/slos"))).toMatch(/^HTTP\/1\.1 401 [^]*"errors":\[/)
      expect(yield* exchange(port, get("/api/none"))).toMatch(/^HTTP\/1\.1 404 [^]*"not_found"/)
    }).pipe(Effect.provide(running())),
  )

  it.live("has the public key that the library returns without HTTP", () =>
    Effect.gen(function* () {
      const key = yield* currentPublicKey(undefined)
      const served = yield* exchange(yield* portOf, get(keyPath))
      expect(JSON.parse(served.slice(served.indexOf("{")))).toEqual(key)
    }).pipe(
      Effect.provide(
        server(0).pipe(
          Layer.provideMerge(data),
          Layer.provideMerge(tocsin("http://127.0.0.1", new Uint8Array(32).fill(1))),
        ),
      ),
    ),
  )

  it.live.each([
    ["a missing host", get("/", "Connection: close\r\n"), 400, "host_missing"],
    ["two hosts", get("/", "Host: a\r\nHost: b\r\n"), 400, "host_duplicated"],
    ["another expectation", get("/", "Host: a\r\nExpect: miracles\r\n"), 417, "unsupported_expectation"],
    [
      "an upgrade with two hosts",
      get("/", "Host: a\r\nHost: b\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"),
      400,
      "host_duplicated",
    ],
    [
      "headers of 20,000 bytes",
      get("/", `Host: a\r\nX: ${"x".repeat(20_000)}\r\n`),
      431,
      "headers_too_large",
    ],
    ["an unfinished head", "GET / HTTP/1.1\r\nHost: a\r\nX: ", 408, "request_timeout"],
  ] as const)(
    "spec/http §3: rejects %s in the error shape, and closes the connection",
    ([, text, status, code]) =>
      Effect.gen(function* () {
        const rejected = yield* exchange(yield* portOf, text)
        expect(rejected).toMatch(
          new RegExp(`^HTTP/1.1 ${status} [^]*connection: close[^]*"code":"${code}"`, "i"),
        )
      }).pipe(Effect.provide(running({ headTimeoutMs: 200, bodyTimeoutMs: 200 }))),
  )

  it.live("spec/http §3: rejects bodies that are too large or not finished in time", () =>
    Effect.gen(function* () {
      const port = yield* portOf
      const head = yield* applyHeads(port)
      expect(yield* exchange(port, `${head(99_999_999)}[`)).toMatch(
        /^HTTP\/1\.1 413 [^]*connection: close[^]*"body_too_large"/i,
      )
      expect(yield* exchange(port, `${head(99)}[`)).toMatch(
        /^HTTP\/1\.1 408 [^]*connection: close[^]*"body_timeout"/i,
      )
    }).pipe(Effect.provide(running({ bodyTimeoutMs: 200 }))),
  )

  it.live("spec/http §3: closes the connection that waits longest for its client at the limit", () =>
    Effect.gen(function* () {
      const port = yield* portOf
      const idle = yield* rawSocket(port)
      idle.write(get("/", "Host: a\r\n"))
      yield* idle.until("My app")
      expect(yield* exchange(port, get("/"))).toContain("My app")
      yield* idle.toEnd
    }).pipe(Effect.provide(running({ maxConnections: 1 }))),
  )

  it.live("spec/http §3: completes requests in flight when its scope closes, and accepts no more", () =>
    Effect.gen(function* () {
      const listening = yield* Deferred.make<number>()
      const host = yield* Effect.forkChild(
        Effect.andThen(
          Effect.flatMap(portOf, (port) => Deferred.succeed(listening, port)),
          Effect.never,
        ).pipe(Effect.provide(running())),
      )
      const port = yield* Deferred.await(listening)
      const head = yield* applyHeads(port)
      const client = yield* rawSocket(port)
      const unused = yield* rawSocket(port)
      client.write(head(2, "Expect: 100-continue\r\n"))
      yield* client.until("100 Continue")
      const closing = yield* Effect.forkChild(Fiber.interrupt(host))
      yield* unused.toEnd
      expect(yield* isRefused(port)).toBe(true)
      client.write("[]")
      expect(yield* client.toEnd).toMatch(/HTTP\/1\.1 [24]00 [^]*connection: close/i)
      yield* Fiber.join(closing)
    }),
  )
})

const isRefused = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    connect({ host: "127.0.0.1", port })
      .on("connect", () => resume(Effect.succeed(false)))
      .on("error", () => resume(Effect.succeed(true)))
  })
