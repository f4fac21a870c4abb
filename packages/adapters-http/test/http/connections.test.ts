import { RateLimiterMemory } from "@tocsin/adapters-memory"
import type { ApiRequest } from "../../src/frame/ApiRequest.ts"
import { apiErrors } from "../../src/api/ApiErrors.ts"
import { makeDispatch } from "../../src/frame/ApiDispatch.ts"
import { jsonResponse } from "../../src/frame/ApiResponse.ts"
import type { ApiRoute } from "../../src/frame/ApiRouter.ts"
import { readJson } from "../../src/frame/RequestBody.ts"
import { rejectedConnectionLingerMs } from "../../src/server/Connections.ts"
import { NodeApiServer } from "@tocsin/adapters-http"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { connect } from "node:net"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { errorsOf, send } from "../../../../test/http/api-client.ts"
import { exchange, rawSocket } from "../../../../test/http/raw-socket.ts"

/** Its bodies count toward no limit that was reached. */
const bodyOf = (request: ApiRequest) => Effect.provide(readJson(request), RateLimiterMemory.layer)

type Route = ApiRoute<Effect.Error<ReturnType<typeof readJson>>, never>

const thing: Route = {
  method: "GET",
  path: "/things",
  handler: () => Effect.succeed(jsonResponse(200, '"thing"')),
}

const posted: Route = {
  method: "POST",
  path: "/things",
  handler: (request) => Effect.as(bodyOf(request), jsonResponse(200, '"read"')),
}

/** A request that is served until `mayFinish`. */
const slowRoute = Effect.gen(function* () {
  const started = yield* Deferred.make<void>()
  const mayFinish = yield* Deferred.make<void>()
  const slow: Route = {
    method: "GET",
    path: "/slow",
    handler: () =>
      Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(mayFinish)).pipe(
        Effect.as(jsonResponse(200, '"done"')),
      ),
  }
  return { slow, started, mayFinish }
})

const logged: Array<string> = []
const recording = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))])

const serverOf = (
  options: Partial<NodeApiServer.NodeApiServerOptions>,
  routes: ReadonlyArray<Route> = [thing, posted],
) =>
  Layer.effect(
    NodeApiServer.NodeApiServer,
    NodeApiServer.make({ host: "127.0.0.1", port: 0, ...options }, makeDispatch(routes, apiErrors)),
  ).pipe(Layer.provide(recording))

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

/** Sends a text on a connection that is never closed from this side; resolves once the server has destroyed it. */
const neverClosing = (port: number, text: string): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true })
    let received = ""
    socket.setEncoding("latin1").on("data", (part: string) => (received += part))
    socket.on("error", () => undefined)
    // Writing fails once the other side is gone, rather than only done with writing.
    socket.on("end", () => {
      const probe = setInterval(() => socket.write("x"), 20)
      socket.on("close", () => clearInterval(probe))
    })
    socket.on("close", () => resume(Effect.succeed(received)))
    socket.write(text, "latin1")
  })

describe("a connection after its rejection", () => {
  const length = 2 * 1024 * 1024
  it.live.each([
    ["malformed", "hello\r\n\r\n", "400"],
    ["missing a host", "GET /things HTTP/1.1\r\n\r\n", "400"],
    ["too large", `GET /things HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, "431"],
    ["not finished in time", "GET /things HTTP/1.1\r\nHost: a\r\nX: ", "408"],
    ["larger than allowed", `POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n{`, "413"],
    [
      "without the rest of its body",
      "POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\n{",
      "408",
    ],
    [
      "of a wrong type, with a long body",
      `POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n`,
      "415",
    ],
  ] as const)(
    "spec/http §3: is destroyed although its client does not close it, when a request is %s",
    ([, text, status]) =>
      Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        const start = performance.now()
        expect(yield* neverClosing(port, text)).toMatch(
          new RegExp(`^HTTP/1.1 ${status} [^]*connection: close`, "i"),
        )
        expect(performance.now() - start).toBeLessThan(10 * rejectedConnectionLingerMs)
      }).pipe(Effect.provide(serverOf({ headTimeoutMs: 200, bodyTimeoutMs: 200 }))),
  )

  it.live("reads on for a while, so that the client sees the response to a body that it still sends", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const body = "x".repeat(2 * 1024 * 1024)
      const text = `POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      for (let attempt = 0; attempt < 10; attempt++)
        expect(yield* exchange(port, text)).toContain('"code":"body_too_large"')
    }).pipe(Effect.provide(serverOf({}))),
  )

  it.effect("gets the responses that are due before the error, and nothing after it", () =>
    Effect.gen(function* () {
      const { slow, started, mayFinish } = yield* slowRoute
      yield* Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        for (const wrong of ["hello\r\n\r\n", "GET /things HTTP/1.1\r\n\r\n"]) {
          const client = yield* rawSocket(port)
          client.write(get("/things") + get("/slow") + wrong + get("/things"))
          yield* Deferred.await(started)
          yield* Effect.yieldNow
          yield* Deferred.succeed(mayFinish, undefined)
          const text = yield* client.toEnd
          expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 400"])
          expect(text.indexOf('"done"')).toBeLessThan(text.indexOf("HTTP/1.1 400"))
        }
      }).pipe(Effect.provide(serverOf({}, [thing, slow])))
    }),
  )
})

describe("the connection limit", () => {
  it.effect("spec/http §3: closes the connection that waits longest for its client, and logs that", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const silent = yield* rawSocket(port)
      const slow = yield* rawSocket(port)
      slow.write("GET /things HTTP/1.1\r\nHost")
      const idle = yield* rawSocket(port)
      for (let request = 1; request <= 2; request++) {
        idle.write(get("/things"))
        yield* idle.until("thing")
      }
      expect(
        yield* exchange(port, get("/things").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")),
      ).toContain("200")
      expect(yield* silent.toEnd).toBe("")
      const further = yield* rawSocket(port)
      const last = yield* rawSocket(port)
      expect(yield* slow.toEnd).toBe("")
      for (const { write, until } of [idle, further, last]) {
        write(get("/things"))
        yield* until('"thing"')
      }
      expect(logged.join("\n")).toMatch(/level=WARN.*Connection limit reached.*maxConnections=3/)
    }).pipe(Effect.provide(serverOf({ maxConnections: 3 }))),
  )

  it.effect("spec/http §3: is 503 while the server works for all connections", () =>
    Effect.gen(function* () {
      const { slow, started, mayFinish } = yield* slowRoute
      yield* Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        const busy = yield* rawSocket(port)
        busy.write(get("/slow"))
        yield* Deferred.await(started)
        const rejected = yield* send("/things")
        expect([rejected.status, errorsOf(rejected)[0]?.code]).toEqual([503, "too_many_connections"])
        expect(rejected.headers.get("retry-after")).toBe("1")
        yield* Deferred.succeed(mayFinish, undefined)
        yield* busy.until('"done"')
        expect((yield* send("/things")).status).toBe(200)
      }).pipe(Effect.provide(serverOf({ maxConnections: 1 }, [thing, slow])))
    }),
  )

  it.live(
    "spec/http §3: keeps no honest client out while many more connections send their requests slowly",
    () =>
      Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        const attack = slowConnections(port, Number(process.env["SLOW_CONNECTIONS"] ?? 600))
        yield* Effect.addFinalizer(() => Effect.sync(attack.stop))
        yield* Effect.promise(() => attack.opened)
        const answers = yield* Effect.forEach(Array.from({ length: 50 }), () =>
          Effect.exit(exchange(port, get("/things").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))),
        )
        expect(
          answers.filter((answer) => Exit.isSuccess(answer) && answer.value.includes(" 200 OK")),
        ).toHaveLength(50)
      }).pipe(Effect.scoped, Effect.provide(serverOf({ maxConnections: 100 }))),
  )
})

/** Connections that send a byte of a header now and then, and are opened again whenever they are closed. */
const slowConnections = (port: number, count: number) => {
  let isStopped = false
  const sockets = new Set<ReturnType<typeof connect>>()
  const open = (): void => {
    if (isStopped) return
    const socket = connect({ host: "127.0.0.1", port })
    sockets.add(socket)
    socket.on("connect", () => socket.write("GET /things HTTP/1.1\r\nHost: a\r\nX: "))
    const drip = setInterval(() => socket.write("x"), 500)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearInterval(drip)
      sockets.delete(socket)
      setTimeout(open, 1_000)
    })
  }
  const opened = (async () => {
    for (let index = 0; index < count; index++) {
      open()
      if (index % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  return {
    opened,
    stop: () => {
      isStopped = true
      for (const socket of sockets) socket.destroy()
    },
  }
}
