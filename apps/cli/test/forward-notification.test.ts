import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { describe, it } from "vitest"
import { freePort } from "../../../test/FreePort.ts"
import { closeServer, listen } from "../../../test/receiver/KeyServer.ts"
import { forwardNotification } from "../src/receiver/ForwardNotification.ts"

const received = {
  method: "POST",
  url: "/hooks/a%20b?team=1",
  headers: { host: "localhost:8443", "content-digest": "sha-256=:abc:", "transfer-encoding": "chunked" },
} as unknown as IncomingMessage

const withReceiver = async <A>(handle: RequestListener, use: (url: URL) => Promise<A>): Promise<A> => {
  const server = createServer(handle)
  try {
    return await use(new URL(await listen(server)))
  } finally {
    await closeServer(server)
  }
}

describe("forwardNotification", () => {
  it("keeps the method, path, query, host and body", async ({ expect }) => {
    let seen: unknown
    const forwarded = await withReceiver(
      (request, response) => {
        let body = ""
        request.on("data", (part: Buffer) => (body += part.toString()))
        request.once("end", () => {
          const { host, "content-digest": digest } = request.headers
          seen = { method: request.method, url: request.url, host, digest, body }
          response.writeHead(503, { "retry-after": "7" }).end("busy")
        })
      },
      (url) => forwardNotification(url, received, Buffer.from("{}")),
    )
    expect(forwarded).toMatchObject({ status: 503, retryAfter: "7" })
    expect(forwarded.url).toMatch(/^http:\/\/[^/]+\/hooks\/a%20b\?team=1$/)
    const head = { method: "POST", url: "/hooks/a%20b?team=1", host: "localhost:8443" }
    expect(seen).toEqual({ ...head, digest: "sha-256=:abc:", body: "{}" })
  })

  it("does not follow redirects", async ({ expect }) => {
    const forwarded = await withReceiver(
      (_, response) => void response.writeHead(302, { location: "/elsewhere" }).end(),
      (url) => forwardNotification(url, received, Buffer.from("{}")),
    )
    expect(forwarded).toMatchObject({ status: 302 })
  })

  it("gives the reason when the receiver does not respond", async ({ expect }) => {
    const refused = await forwardNotification(
      new URL(`http://127.0.0.1:${await freePort()}`),
      received,
      Buffer.from("{}"),
    )
    expect(refused).toMatchObject({ reason: "ECONNREFUSED" })
    const closed = await withReceiver(
      (request) => request.socket.destroy(),
      (url) => forwardNotification(url, received, Buffer.from("{}")),
    )
    expect(closed).toMatchObject({ reason: "ECONNRESET" })
  })
})
