import { NodeApiServer } from "@tocsin/adapters-http"
import type { TlsCertificate } from "@tocsin/adapters-http/server"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { Agent, request } from "node:https"
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls"
import { rawSocket } from "../../../../test/http/raw-socket.ts"
import { makeCertificates } from "../../../../test/egress/certificates.ts"
import { apiErrors } from "../../src/api/ApiErrors.ts"
import { makeDispatch } from "../../src/frame/ApiDispatch.ts"
import { jsonResponse } from "../../src/frame/ApiResponse.ts"

const certificates = await makeCertificates()

const dispatch = makeDispatch(
  [{ method: "GET", path: "/things", handler: () => Effect.succeed(jsonResponse(200, '"thing"')) }],
  apiErrors,
)

const serverWith = (renewals: Stream.Stream<TlsCertificate>, options = {}) =>
  NodeApiServer.make(
    { host: "127.0.0.1", port: 0, tls: { certificate: certificates, renewals }, ...options },
    dispatch,
  )

/** A connection after its handshake; rejects if that fails. */
const secured = (port: number, options: ConnectionOptions = {}): Effect.Effect<TLSSocket, Error> =>
  Effect.callback((resume) => {
    const socket = connect({ host: "127.0.0.1", port, ca: certificates.ca, ...options }, () =>
      resume(Effect.succeed(socket)),
    )
    socket.on("error", (error) => resume(Effect.fail(error)))
  })

const serialOf = (socket: TLSSocket): string => socket.getPeerCertificate().serialNumber

/** The body of a response on a connection that the agent keeps. */
const get = (url: string, agent: Agent): Effect.Effect<string, Error> =>
  Effect.callback((resume) => {
    const sent = request(`${url}/things`, { agent }, (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (part: string) => (body += part))
      response.on("end", () => resume(Effect.succeed(body)))
    })
    sent.on("error", (error) => resume(Effect.fail(error)))
    sent.end()
  })

const agentOf = Effect.acquireRelease(
  Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1, ca: certificates.ca })),
  (agent) => Effect.sync(() => agent.destroy()),
)

describe("a server with a certificate", () => {
  it.live("responds over TLS, on connections that are kept, as HTTP/1.1", () =>
    Effect.gen(function* () {
      const { url, port } = yield* serverWith(Stream.empty)
      expect(url).toBe(`https://127.0.0.1:${port}`)
      const agent = yield* agentOf
      expect(yield* get(url, agent)).toBe('"thing"')
      expect(yield* get(url, agent)).toBe('"thing"')
      const socket = yield* secured(port, { ALPNProtocols: ["h2", "http/1.1"] })
      expect(socket.alpnProtocol).toBe("http/1.1")
      socket.destroy()
    }).pipe(Effect.scoped),
  )

  it.live("rejects TLS 1.1 and connections without TLS", () =>
    Effect.gen(function* () {
      const { port } = yield* serverWith(Stream.empty)
      const old = secured(port, { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" })
      expect(yield* Effect.flip(old)).toMatchObject({
        code: expect.stringMatching(/PROTOCOL_VERSION|ECONNRESET/),
      })
      const plain = yield* rawSocket(port)
      plain.write("GET /things HTTP/1.1\r\nHost: a\r\n\r\n")
      expect(yield* plain.toEnd).not.toContain("HTTP/1.1")
    }).pipe(Effect.scoped),
  )

  it.live("uses a renewed certificate for new connections, and keeps the open ones", () =>
    Effect.gen(function* () {
      const renewals = yield* Queue.unbounded<TlsCertificate>()
      const { url, port } = yield* serverWith(Stream.fromQueue(renewals))
      const agent = yield* agentOf
      yield* get(url, agent)
      const first = yield* secured(port)
      const renewed = yield* Effect.promise(() => makeCertificates())
      yield* Queue.offer(renewals, renewed)
      const untilRenewed = Effect.gen(function* () {
        const socket = yield* secured(port, { ca: renewed.ca })
        const serial = serialOf(socket)
        socket.destroy()
        return serial
      })
      const second = yield* Effect.retry(untilRenewed, { times: 1_000 })
      expect(second).not.toBe(serialOf(first))
      // Its agent does not trust the renewed certificate.
      expect(yield* get(url, agent)).toBe('"thing"')
      first.destroy()
    }).pipe(Effect.scoped),
  )

  it.live("stops beside a connection that never begins its handshake", () =>
    Effect.gen(function* () {
      const idle = yield* Effect.scoped(
        Effect.gen(function* () {
          const { url, port } = yield* serverWith(Stream.empty, { requestGraceMs: 3_600_000 })
          const socket = yield* rawSocket(port)
          // The server has accepted the connections before it.
          yield* get(url, yield* agentOf)
          return socket
        }),
      )
      expect(yield* idle.toEnd).toBe("")
    }),
  )

  it.live("closes the oldest handshakes of an address that begins more than 1,024", () =>
    Effect.gen(function* () {
      const { url, port } = yield* serverWith(Stream.empty)
      const first = yield* rawSocket(port)
      const others = yield* Effect.forEach(Array.from({ length: 1_024 }), () => rawSocket(port))
      expect(yield* first.toEnd).toBe("")
      expect(yield* get(url, yield* agentOf)).toBe('"thing"')
      for (const { socket } of others) socket.destroy()
    }).pipe(Effect.scoped),
  )
})
