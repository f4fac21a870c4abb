import { signInBodyMaxBytes } from "@tocsin/domain/limits"
import { apiErrors } from "../../src/api/ApiErrors.ts"
import { makeDispatch } from "../../src/frame/ApiDispatch.ts"
import type { RequestBodyIsTooLarge, RequestBodyIsUnfinished } from "../../src/frame/ApiRequest.ts"
import { jsonResponse } from "../../src/frame/ApiResponse.ts"
import type { ApiRoute } from "../../src/frame/ApiRouter.ts"
import { NodeApiServer } from "@tocsin/adapters-http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { consoleServer } from "../../../../test/http/console-server.ts"
import { operations } from "../../../../test/http/operations.ts"
import { exchange, rawSocket } from "../../../../test/http/raw-socket.ts"

const withBody = operations.filter(({ requestBody }) => requestBody !== undefined)

const headOf = (method: string, path: string, more: string) =>
  `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "x")} HTTP/1.1\r\nHost: a\r\nOrganization: acme\r\nX-Tocsin-Console: 1\r\nContent-Type: application/json\r\n${more}\r\n\r\n`

/** Reads bodies of anybody, which have at most `arrivingBodiesBytes` together while they arrive. */
const bodyServer = (arrivingBodiesBytes: number) => {
  const read: ApiRoute<RequestBodyIsTooLarge | RequestBodyIsUnfinished, never> = {
    method: "POST",
    path: "/bodies",
    handler: (request) =>
      Effect.map(request.readBody(1_000), ({ length }) => jsonResponse(200, `"${length} bytes"`)),
  }
  const options = { host: "127.0.0.1", port: 0, arrivingBodiesBytes }
  return Layer.effect(
    NodeApiServer.NodeApiServer,
    NodeApiServer.make(options, makeDispatch([read], apiErrors)),
  )
}

describe("the body of a request that is not authenticated", () => {
  it.effect("spec/http §4: is not asked for, except to sign in", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      expect(withBody.length).toBeGreaterThan(6)
      for (const { method, path, operationId } of withBody) {
        const client = yield* rawSocket(port)
        client.write(headOf(method, path, "Expect: 100-continue\r\nContent-Length: 10"))
        const isSignIn = operationId === "openSession" || operationId === "openSessionByLink"
        const text = yield* client.until("\r\n\r\n")
        expect([operationId, text.slice(0, 12)]).toEqual([
          operationId,
          isSignIn ? "HTTP/1.1 100" : "HTTP/1.1 401",
        ])
        if (!isSignIn) expect(yield* client.toEnd).toMatch(/connection: close/i)
        client.socket.destroy()
      }
    }).pipe(Effect.provide(consoleServer())),
  )

  it.effect("spec/http §4: is rejected when all arriving bodies are too large, the oldest first", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      const begin = (bytes: number) =>
        Effect.gen(function* () {
          const client = yield* rawSocket(port)
          client.write(headOf("post", "/bodies", "Expect: 100-continue\r\nContent-Length: 1000"))
          yield* client.until("100 Continue")
          client.write("x".repeat(bytes))
          return client
        })
      const oldest = yield* begin(900)
      const older = yield* begin(600)
      const further = yield* begin(500)
      expect(yield* oldest.toEnd).toMatch(/HTTP\/1\.1 408 [^]*connection: close[^]*body_timeout/i)
      // What the others have is free again once they are read.
      for (const [client, rest] of [
        [older, 400],
        [further, 500],
      ] as const) {
        client.write("x".repeat(rest))
        yield* client.until("1000 bytes")
      }
      const next = yield* begin(999)
      next.write("x")
      expect(yield* next.until("1000 bytes")).toMatch(/HTTP\/1\.1 200 /)
    }).pipe(Effect.provide(bodyServer(1_500))),
  )

  it.effect(
    "spec/http §4: is at most 16 KiB to sign in, and the connection is closed after a longer one",
    () =>
      Effect.gen(function* () {
        const { port } = yield* NodeApiServer.NodeApiServer
        const signIn = (more: string) => headOf("post", "/api/console/session", more)
        const announced = yield* exchange(port, signIn("Content-Length: 1048576"))
        const chunk = `${signInBodyMaxBytes.toString(16)}\r\n${" ".repeat(signInBodyMaxBytes)}\r\n`
        const sent = yield* exchange(port, `${signIn("Transfer-Encoding: chunked")}${chunk}1\r\n \r\n`)
        for (const text of [announced, sent]) {
          expect(text).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i)
          expect(text).toContain(`The body must be at most ${signInBodyMaxBytes} bytes.`)
        }
        const largest = yield* exchange(
          port,
          `${signIn("Connection: close\r\nTransfer-Encoding: chunked")}${chunk}0\r\n\r\n`,
        )
        expect(largest).toMatch(/^HTTP\/1\.1 400 [^]*body_not_json/)
      }).pipe(Effect.provide(consoleServer())),
  )
})
