import { renderedBodyMaxBytes } from "@tocsin/domain/limits"
import { spawn } from "node:child_process"
import { createServer, type IncomingMessage, type Server } from "node:http"
import { connect } from "node:net"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { verifyEffectRequest } from "@tocsin/adapters-http"
import { nodeListener } from "@tocsin/adapters-http/mounts"
import { createNotificationVerifier, NotificationRejected } from "@tocsin/receiver"
import { verifyExpressRequest } from "@tocsin/receiver/express"
import { verifyFastifyRequest } from "@tocsin/receiver/fastify"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { verifyNodeRequest } from "@tocsin/receiver/node"
import { receiverRoute } from "@tocsin/examples/receive-effect"
import { createReceiver as createExpress } from "@tocsin/examples/receive-express"
import { createReceiver as createFastify } from "@tocsin/examples/receive-fastify"
import { createReceiver as createFetch } from "@tocsin/examples/receive-fetch"
import { createReceiver as createHono } from "@tocsin/examples/receive-hono"
import { createReceiver as createNode } from "@tocsin/examples/receive-node"
import * as Effect from "effect/Effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { freePort } from "../FreePort.ts"
import { bundledProgram } from "../BundledProgram.ts"
import { bundlePrograms } from "../Programs.ts"
import { signedRequest, type SignedRequestChange } from "../signature/TestKey.ts"
import { closeServer, type KeyServer, listen, postSigned, startKeyServer } from "./KeyServer.ts"

let keyServer: KeyServer
const closing: Array<() => Promise<unknown>> = []
beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {})
  keyServer = await startKeyServer()
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0)) await close()
  await keyServer.close()
})

const started = async (server: Server): Promise<string> => {
  closing.push(() => closeServer(server))
  return `${await listen(server)}/hooks/tocsin`
}

/** The host of the receivers' webhook URL; the tests reach them, as a proxy would, under another. */
const ownHost = "hooks.example.com"

type Receiver = (baseUrl: string, onBody: (body: unknown) => void) => Promise<string>
const receivers: Record<string, Receiver> = {
  Node: (baseUrl, onBody) =>
    started(createNode(baseUrl, ownHost, (notification) => onBody(notification.json()))),
  Express: (baseUrl, onBody) =>
    started(createServer(createExpress(baseUrl, ownHost, (notification) => onBody(notification.json())))),
  Fastify: async (baseUrl, onBody) => {
    const app = createFastify(baseUrl, ownHost, (notification) => onBody(notification.json()))
    closing.push(() => app.close())
    return `${await app.listen({ port: 0, host: "127.0.0.1" })}/hooks/tocsin`
  },
  Fetch: (baseUrl, onBody) =>
    started(
      createServer(
        nodeListener({
          handle: createFetch(baseUrl, ownHost, (notification) => onBody(notification.json())),
        }),
      ),
    ),
  Hono: (baseUrl, onBody) => {
    const app = createHono(baseUrl, ownHost, (notification) => onBody(notification.json()))
    return started(createServer(nodeListener({ handle: async (request) => app.fetch(request) })))
  },
  Effect: (baseUrl, onBody) => {
    const route = receiverRoute(baseUrl, ownHost, (notification) =>
      Effect.sync(() => onBody(notification.json())),
    )
    const { handler, dispose } = HttpRouter.toWebHandler(route, { disableLogger: true })
    closing.push(dispose)
    return started(createServer(nodeListener({ handle: (request) => handler(request) })))
  },
}

for (const [name, start] of Object.entries(receivers)) {
  describe(`the example of ${name}`, () => {
    it("spec/signatures §9: processes a notification only when both digest and signature are valid", async () => {
      const bodies: Array<unknown> = []
      const url = await start(keyServer.baseUrl, (body) => bodies.push(body))
      const post = async (signed: SignedRequestChange, change?: Parameters<typeof postSigned>[2]) =>
        (await postSigned(url, { authority: ownHost, ...signed }, change)).status
      expect(await post({ body: Buffer.from('{"text": "Zażółć 💥"}') })).toBe(204)
      expect(await post({ body: Buffer.from('{"n": 1}') }, { body: Buffer.from('{"n": 2}') })).toBe(400)
      expect(await post({ body: Buffer.from('{"n": 3}'), path: "/other" })).toBe(401)
      expect(await post({ body: Buffer.from('{"n": 4}'), created: 1 })).toBe(401)
      expect(
        (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }))
          .status,
      ).toBe(400)
      expect(bodies).toEqual([{ text: "Zażółć 💥" }])
    })

    it("spec/signatures §12: rejects a request signed for another host and forwarded with that Host", async () => {
      const bodies: Array<unknown> = []
      const url = await start(keyServer.baseUrl, (body) => bodies.push(body))
      expect((await postSigned(url, { authority: new URL(url).host })).status).toBe(401)
      expect(bodies).toEqual([])
    })

    it("spec/signatures §9: survives requests that nothing should send", async () => {
      const bodies: Array<unknown> = []
      const url = await start(keyServer.baseUrl, (body) => bodies.push(body))
      const { port } = new URL(url)
      const hostile = [
        "POST /hooks/tocsin HTTP/1.1\r\nHost: a b\r\nContent-Length: 2\r\n\r\n{}",
        "TRACE /hooks/tocsin HTTP/1.1\r\nHost: a\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST //[ HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
        "POST http://[/hooks/tocsin HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        "POST /hooks/tocsin?%zz HTTP/1.1\r\nHost: a:0x1\r\nContent-Length: 0\r\n\r\n",
        "POST /hooks/tocsin HTTP/1.0\r\n\r\n",
        "POST /hooks/tocsin HTTP/1.1\r\nHost: \u00e9\u0080\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        `POST /hooks/tocsin HTTP/1.1\r\nHost: a\r\nSignature-Input: ${"(".repeat(5_000)}\r\nContent-Length: 0\r\n\r\n`,
        "GET /hooks/tocsin HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{}",
        "\u0000\u0001\u0002",
      ]
      for (const text of hostile)
        expect(await sendRaw(port, text), text.slice(0, 60)).not.toMatch(/^HTTP\/1.1 2/)
      const post = await postSigned(url, { authority: ownHost, body: Buffer.from('{"n": 1}') })
      expect(post.status).toBe(204)
      expect(bodies).toEqual([{ n: 1 }])
    })

    it("spec/signatures §10: responds to an unsigned request before its body has arrived", async () => {
      const url = await start(keyServer.baseUrl, () => {})
      const head =
        `POST /hooks/tocsin HTTP/1.1\r\nHost: ${ownHost}\r\nContent-Type: application/json\r\n` +
        "Content-Length: 200000\r\n\r\n{"
      expect(await sendRaw(new URL(url).port, head, "hold")).toMatch(/^HTTP\/1.1 400/)
    })

    it("spec/signatures §9: rejects a body that is longer than it reads, and continues", async () => {
      const bodies: Array<unknown> = []
      const url = await start(keyServer.baseUrl, (body) => bodies.push(body))
      const body = Buffer.alloc(renderedBodyMaxBytes + 1, " ")
      expect((await postSigned(url, { authority: ownHost, body })).status).toBe(413)
      const largest = Buffer.from(`"${"x".repeat(renderedBodyMaxBytes - 2)}"`)
      expect((await postSigned(url, { authority: ownHost, body: largest })).status).toBe(204)
      expect(bodies).toHaveLength(1)
    })
  })
}

/** Sends bytes as they are, and gives what comes back until the server ends the connection, or responds to `hold`. */
const sendRaw = (port: string, text: string, then: "end" | "hold" = "end"): Promise<string> =>
  new Promise((resolve) => {
    let received = ""
    const socket = connect(Number(port), "127.0.0.1", () => {
      socket.write(Buffer.from(text, "latin1"))
      if (then === "end") socket.end()
    })
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1")
      if (then === "hold") socket.destroy()
    })
    socket.on("error", () => {})
    socket.on("close", () => resolve(received))
  })

const verifierOf = () => createNotificationVerifier({ baseUrl: keyServer.baseUrl, authority: "as received" })

/** A server on which each request is verified, and the code of each outcome in order. */
const outcomes = async (
  verify: (request: IncomingMessage) => Promise<unknown>,
): Promise<{ readonly url: string; readonly codes: Array<string>; readonly next: () => Promise<void> }> => {
  const codes: Array<string> = []
  let settled = () => {}
  const url = await started(
    createServer(async (request, response) => {
      const code = await verify(request).then(
        () => "verified",
        (error: unknown) => (error instanceof NotificationRejected ? error.code : String(error)),
      )
      codes.push(code)
      settled()
      response.end()
    }),
  )
  const next = () =>
    new Promise<void>((resolve) => {
      settled = resolve
    })
  return { url, codes, next }
}

const never = () => {
  throw new Error("the body is not to be read")
}

describe("the raw body comes first", () => {
  it("Node: a body that was read before is rejected", async () => {
    const verifier = verifierOf()
    const { url, codes } = await outcomes(async (request) => {
      for await (const _chunk of request);
      return verifyNodeRequest(verifier, request)
    })
    await postSigned(url)
    expect(codes).toEqual(["body_already_read"])
  })

  it("Node: a body that ends before its length is rejected", async () => {
    const verifier = verifierOf()
    const { url, codes, next } = await outcomes((request) => verifyNodeRequest(verifier, request))
    const { headers, body } = signedRequest({ created: Math.floor(Date.now() / 1_000) })
    const head = [...headers, ["content-length", `${body.length}`]]
    const settled = next()
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
      socket.write(`POST /hook HTTP/1.1\r\n${head.map((line) => line.join(": ")).join("\r\n")}\r\n\r\n{`)
      socket.end()
    })
    socket.on("error", () => {})
    await settled
    expect(codes).toEqual(["body_incomplete"])
  })

  it("Node: header lines that come twice are seen, though Node's own headers hide them", async () => {
    const verifier = verifierOf()
    const { url, codes, next } = await outcomes((request) => verifyNodeRequest(verifier, request))
    const port = new URL(url).port
    const request = signedRequest({ authority: `127.0.0.1:${port}`, created: Math.floor(Date.now() / 1_000) })
    const settled = next()
    const head = [
      ...request.headers,
      ["content-type", "text/plain"],
      ["content-length", `${request.body.length}`],
    ]
    const socket = connect(Number(port), "127.0.0.1", () => {
      socket.write(`POST /hook HTTP/1.1\r\n${head.map((line) => line.join(": ")).join("\r\n")}\r\n\r\n`)
      socket.write(request.body)
    })
    await settled
    socket.destroy()
    expect(codes).toEqual(["header_duplicated"])
  })

  it("Express: raw bytes that express.raw() read are taken, the path is whole, HTTP/2 names its authority", async () => {
    const request = signedRequest({ created: Math.floor(Date.now() / 1_000) })
    const rawHeaders = request.headers.filter(([name]) => name !== "Host").flat()
    const notification = await verifyExpressRequest(verifierOf(), {
      method: "POST",
      url: "/cut",
      originalUrl: "/hook",
      rawHeaders: [":method", "POST", ":path", "/hook", ":authority", "example.com", ...rawHeaders],
      body: request.body,
      readableDidRead: true,
      iterator: never,
    })
    expect(notification.signature.label).toBe("sig1")
  })

  it("Express: a parsed body is rejected", async () => {
    const parsed = {
      method: "POST",
      url: "/",
      rawHeaders: [],
      body: {},
      readableDidRead: true,
      iterator: never,
    }
    const outcome = verifyExpressRequest(verifierOf(), parsed)
    await expect(outcome).rejects.toMatchObject({ code: "body_already_read", status: 500 })
  })

  it("Fastify: a parsed body is rejected", async () => {
    const raw = { method: "POST", rawHeaders: [], readableDidRead: true, iterator: never }
    const outcome = verifyFastifyRequest(verifierOf(), { body: {}, originalUrl: "/", raw })
    await expect(outcome).rejects.toMatchObject({ code: "body_already_read", statusCode: 500 })
  })

  it("Fetch: a body that was read, or that breaks off, is rejected", async () => {
    const request = new Request("https://example.com/hook", { method: "POST", body: "{}" })
    await request.text()
    await expect(verifyFetchRequest(verifierOf(), request)).rejects.toMatchObject({
      code: "body_already_read",
    })
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("broken off")) })
    const { headers } = signedRequest({ created: Math.floor(Date.now() / 1_000) })
    const lines = headers.map(([name, value]): [string, string] => [name, value])
    const init: RequestInit & { duplex: "half" } = { method: "POST", headers: lines, body, duplex: "half" }
    const broken = new Request("https://example.com/hook", init)
    await expect(verifyFetchRequest(verifierOf(), broken)).rejects.toMatchObject({ code: "body_incomplete" })
    const empty = new Request("https://example.com/hook", { method: "POST" })
    await expect(verifyFetchRequest(verifierOf(), empty)).rejects.toMatchObject({
      code: "content_digest_missing",
    })
  })

  it("Effect: a body that was read is rejected", async () => {
    const route = HttpRouter.add(
      "POST",
      "/hook",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* request.text
        const refused = yield* Effect.flip(verifyEffectRequest(verifierOf()))
        return HttpServerResponse.text(refused.code)
      }),
    )
    const { handler, dispose } = HttpRouter.toWebHandler(route, { disableLogger: true })
    closing.push(dispose)
    const response = await handler(new Request("https://example.com/hook", { method: "POST", body: "{}" }))
    expect(await response.text()).toBe("body_already_read")
  })
})

describe("the examples by themselves", () => {
  const names = ["node", "express", "fastify", "fetch", "hono", "effect"]
  const folder = mkdtempSync(join(tmpdir(), "tocsin-receivers-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeAll(async () => {
    await bundlePrograms(
      names.map((name) => new URL(`../../examples/src/receive-${name}.ts`, import.meta.url)),
      folder,
    )
  })

  for (const name of names) {
    it(`receive-${name}.ts runs and takes a notification`, async () => {
      const port = await freePort()
      const child = spawn(process.execPath, [bundledProgram(`receive-${name}`, folder)], {
        env: {
          ...process.env,
          PORT: port,
          TOCSIN_BASE_URL: keyServer.baseUrl,
          AUTHORITY: `127.0.0.1:${port}`,
        },
        stdio: ["ignore", "pipe", "inherit"],
      })
      const exited = new Promise((resolve) => child.once("exit", resolve))
      closing.push(() => (child.kill(), exited))
      let output = ""
      const until = (text: string) =>
        new Promise<void>((resolve, reject) => {
          const check = () => {
            if (output.includes(text)) resolve()
          }
          child.stdout.on("data", check)
          child.once("exit", () => reject(new Error(`it ended: ${output}`)))
          check()
        })
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
      await until(port)
      const url = `http://127.0.0.1:${port}/hooks/tocsin`
      expect((await postSigned(url, {}, { headers: { "Notification-Id": "id-of-the-test" } })).status).toBe(
        204,
      )
      await until("id-of-the-test")
    })
  }
})
