import { apiErrors } from "../../src/api/ApiErrors.ts"
import { makeDispatch } from "../../src/frame/ApiDispatch.ts"
import { type ApiResponse, jsonResponse } from "../../src/frame/ApiResponse.ts"
import type { ApiRoute } from "../../src/frame/ApiRouter.ts"
import { withETag } from "../../src/frame/ConditionalResponse.ts"
import { acceptedCodings } from "../../src/frame/AcceptEncoding.ts"
import { compressOnce } from "../../src/frame/ContentCoding.ts"
import { NodeApiServer } from "@tocsin/adapters-http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { apiServer } from "../../../../test/http/api-client.ts"
import { exchange } from "../../../../test/http/raw-socket.ts"

const list = JSON.stringify(Array.from({ length: 200 }, (_, index) => ({ name: `slo-${index}`, é: "ü" })))
const short = JSON.stringify("x".repeat(1_022))

async function* parts(): AsyncGenerator<string> {
  for (let index = 0; index < 200; index++) yield `${"part ".repeat(100)}${index}\n`
}

async function* brokenParts(): AsyncGenerator<string> {
  yield "part ".repeat(50_000)
  throw new Error("the store is gone")
}

const text = (contentType: string, body: string, more: Partial<ApiResponse> = {}): ApiResponse => ({
  status: 200,
  headers: { "content-type": contentType },
  body,
  ...more,
})

const responses: Readonly<Record<string, () => ApiResponse>> = {
  "/list": () => jsonResponse(200, list),
  "/bytes": () => jsonResponse(200, Buffer.from(list)),
  "/short": () => jsonResponse(200, short),
  "/tagged": () => withETag(jsonResponse(200, list)),
  "/error": () => jsonResponse(400, list),
  "/varies": () =>
    text("application/yaml", list, { headers: { "content-type": "application/yaml", vary: "accept" } }),
  "/png": () => text("image/png", list),
  "/parts": () => text("application/json", "first\n", { rest: parts() }),
  "/broken": () => text("application/json", "first\n", { rest: brokenParts() }),
}

const routes = Object.entries(responses).map(([path, make]): ApiRoute<never, never> => ({
  method: "GET",
  path,
  handler: () => Effect.sync(make),
}))

const server = Layer.effect(
  NodeApiServer.NodeApiServer,
  NodeApiServer.make({ host: "127.0.0.1", port: 0 }, makeDispatch(routes, apiErrors)),
)

interface Received {
  readonly status: number
  readonly headers: Headers
  /** Decompressed. */
  readonly text: string
}

const decoders = { br: brotliDecompressSync, gzip: gunzipSync }

/** Reads a response without decompressing it on the way, as fetch would. */
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  Effect.gen(function* () {
    const { port } = yield* NodeApiServer.NodeApiServer
    // Without chunks, which HTTP/1.0 does not have.
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const all = yield* exchange(port, `${method} ${path} HTTP/1.0\r\nHost: a\r\n${lines.join("")}\r\n`)
    const end = all.indexOf("\r\n\r\n")
    const [start = "", ...fields] = all.slice(0, end).split("\r\n")
    const received = new Headers(fields.map((field) => field.split(": ", 2) as [string, string]))
    const coding = received.get("content-encoding") as keyof typeof decoders | null
    const bytes = Buffer.from(all.slice(end + 4), "latin1")
    const body = coding === null || bytes.length === 0 ? bytes : decoders[coding](bytes)
    return {
      status: Number(start.split(" ")[1]),
      headers: received,
      text: body.toString(),
    } satisfies Received
  })

const codingOf = ({ headers }: Received) => headers.get("content-encoding")

describe("the codings that a client accepts", () => {
  it.each([
    [undefined, []],
    ["", []],
    ["identity", []],
    ["gzip", ["gzip"]],
    ["x-gzip", ["gzip"]],
    ["gzip, deflate, br, zstd", ["br", "gzip"]],
    ["gzip;q=1.0, br;q=0.5", ["gzip", "br"]],
    ["GZIP ; Q=0.3,BR ; q=0.2", ["gzip", "br"]],
    ["br;q=0, gzip", ["gzip"]],
    ["*", ["br", "gzip"]],
    ["br;q=0, *;q=0.1", ["gzip"]],
    ["*;q=0, gzip;q=0.001", ["gzip"]],
    ["gzip;q=none", []],
    [",,;q=1", []],
  ])("spec/http §1: of %j are %j, the preferred one first", (header, codings) => {
    expect(acceptedCodings(header)).toEqual(codings)
  })
})

describe("a response", () => {
  it.effect("spec/http §1: of more than 1 KiB is compressed when asked for, with Vary", () =>
    Effect.gen(function* () {
      for (const path of ["/list", "/bytes", "/error", "/varies"]) {
        const plain = yield* get(path)
        expect([codingOf(plain), plain.text]).toEqual([null, list])
        for (const coding of ["br", "gzip"] as const) {
          const coded = yield* get(path, { "accept-encoding": coding })
          expect([coding, codingOf(coded), coded.text]).toEqual([coding, coding, list])
          expect(Number(coded.headers.get("content-length"))).toBeLessThan(list.length / 4)
          const head = yield* get(path, { "accept-encoding": coding }, "HEAD")
          expect([codingOf(head), head.headers.get("content-length")]).toEqual([
            coding,
            coded.headers.get("content-length"),
          ])
          expect(coded.headers.get("vary")).toBe(
            path === "/varies" ? "accept, accept-encoding" : "accept-encoding",
          )
        }
        expect(plain.headers.get("vary")).toContain("accept-encoding")
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/http §1: of at most 1 KiB, or compressed already, is sent as it is", () =>
    Effect.gen(function* () {
      for (const path of ["/short", "/png", "/nothing"]) {
        const answer = yield* get(path, { "accept-encoding": "br, gzip" })
        expect([codingOf(answer), answer.headers.get("vary")]).toEqual([null, null])
        expect(answer.text).not.toBe("")
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/http §1: has an ETag of its own in each coding, and is 304 for that one alone", () =>
    Effect.gen(function* () {
      const tags = new Map<string, string>()
      for (const coding of ["identity", "br", "gzip"]) {
        const { headers } = yield* get("/tagged", { "accept-encoding": coding })
        tags.set(coding, headers.get("etag") ?? "")
      }
      const [plain = "", ...coded] = tags.values()
      expect(plain).toMatch(/^"[\w-]{22}"$/)
      expect(coded).toEqual(["br", "gzip"].map((coding) => `W/${plain.slice(0, -1)}-${coding}"`))
      for (const [coding, own] of tags)
        for (const tag of [...tags.values(), '"other"', "*"]) {
          const answer = yield* get("/tagged", { "accept-encoding": coding, "if-none-match": `"x", ${tag}` })
          const isKnown = tag === own || tag === "*"
          expect([coding, tag, answer.status]).toEqual([coding, tag, isKnown ? 304 : 200])
          expect([answer.headers.get("etag"), answer.headers.get("vary")]).toEqual([own, "accept-encoding"])
        }
      const stripped = coded[0]?.slice("W/".length) ?? ""
      expect((yield* get("/tagged", { "accept-encoding": "br", "if-none-match": stripped })).status).toBe(304)
    }).pipe(Effect.provide(server)),
  )

  it.effect("that is streamed is compressed part by part, and cut off when it fails", () =>
    Effect.gen(function* () {
      const whole = (yield* get("/parts")).text
      expect(whole.startsWith("first\npart ")).toBe(true)
      const { port } = yield* NodeApiServer.NodeApiServer
      for (const coding of ["br", "gzip"]) {
        const answer = yield* get("/parts", { "accept-encoding": coding })
        expect([codingOf(answer), answer.text === whole]).toEqual([coding, true])
        const head = `GET /broken HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${coding}\r\n\r\n`
        const broken = yield* exchange(port, head)
        expect(broken.endsWith("\r\n0\r\n\r\n")).toBe(false)
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/http §1: of the API reference and the OpenAPI document is compressed, too", () =>
    Effect.gen(function* () {
      for (const path of ["/openapi.json", "/openapi-v1.json", "/docs"]) {
        const plain = yield* get(path)
        for (const coding of ["br", "gzip"]) {
          const coded = yield* get(path, { "accept-encoding": coding })
          expect([path, codingOf(coded), coded.text === plain.text]).toEqual([path, coding, true])
          expect(Number(coded.headers.get("content-length"))).toBeLessThan(plain.text.length / 2)
          const known = { "accept-encoding": coding, "if-none-match": coded.headers.get("etag") ?? "" }
          expect((yield* get(path, known)).status).toBe(304)
        }
      }
    }).pipe(Effect.provide(apiServer)),
  )

  it("that does not change is compressed once for each coding, however often it is asked for", async () => {
    const compressed = compressOnce(Buffer.from(list))
    const [first, second] = await Promise.all([compressed("br"), compressed("br")])
    expect(second).toBe(first)
    expect(await compressed("br")).toBe(first)
    expect(await compressed("gzip")).not.toBe(first)
    expect(await compressOnce(Buffer.from("<svg/>"))("gzip")).toBeUndefined()
  })
})
