import { signInBodyMaxBytes } from "@tocsin/domain/access/Session"
import * as NodeApiServer from "@tocsin/adapters-http/server/NodeApiServer"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "../EffectTest.ts"
import { consoleServer } from "./console-server.ts"
import { operations } from "./operations.ts"
import { exchange, rawSocket } from "./raw-socket.ts"

const withBody = operations.filter(({ requestBody }) => requestBody !== undefined)

const headOf = (method: string, path: string, more: string) =>
  `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "x")} HTTP/1.1\r\nHost: a\r\nOrganization: acme\r\nX-Tocsin-Console: 1\r\nContent-Type: application/json\r\n${more}\r\n\r\n`

describe("the body of a request that is not authenticated", () => {
  it.effect("spec/http §4: is not asked for, except to sign in", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      expect(withBody.length).toBeGreaterThan(6)
      for (const { method, path, operationId } of withBody) {
        const client = yield* rawSocket(port)
        client.write(headOf(method, path, "Expect: 100-continue\r\nContent-Length: 10"))
        const isSignIn = operationId === "openSession"
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
