import { readConsoleFiles } from "../../src/console-files/ConsoleFiles.ts"
import { NodeApiServer } from "@tocsin/adapters-http"
import { ConsoleFiles } from "@tocsin/adapters-http/server"
import { describe, describeWith, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { apiServer, type ReceivedResponse, errorsOf, send } from "../../../../test/http/api-client.ts"
import { apiPorts } from "../../../../test/http/api-ports.ts"
import { exchange } from "../../../../test/http/raw-socket.ts"

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const document = "<!doctype html><title>Console</title>"
const script = `console.log("${"tocsin ".repeat(200)}")`
const secret = "not for anybody"

/** A console as a build leaves it, in a folder with something beside it that nobody may read. */
const built = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "tocsin-console-"))
    const write = (name: string, content: string | Uint8Array): void => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
    write("secret.txt", secret)
    write("dist/index.html", document)
    write("dist/favicon.svg", "<svg/>")
    write("dist/favicon.svg.gz", gzipSync("<svg/>"))
    write("dist/assets/main-Bx1.js", script)
    write("dist/assets/main-Bx1.js.br", brotliCompressSync(script))
    write("dist/assets/main-Bx1.js.gz", gzipSync(script))
    write("dist/assets/main-Bx1.css", "a{}")
    write("dist/.vite/manifest.txt", secret)
    write("dist/notes.unknown", secret)
    symlinkSync(join(folder, "secret.txt"), join(folder, "dist/assets/link.txt"))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true })),
)

const serverOf = (directory: (folder: string) => string) =>
  NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
    Layer.provide(Layer.unwrap(Effect.map(built, (folder) => ConsoleFiles.layer(directory(folder))))),
    Layer.provideMerge(apiPorts),
  )

const server = serverOf((folder) => join(folder, "dist"))

const codeOf = (answer: ReceivedResponse) => [answer.status, errorsOf(answer)[0]?.code]

/** A raw response: fetch would remove its content coding. */
const raw = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  Effect.flatMap(NodeApiServer.NodeApiServer, ({ port }) =>
    exchange(
      port,
      [
        `${method} ${path} HTTP/1.1`,
        "host: a",
        "connection: close",
        ...Object.entries(headers).map((each) => each.join(": ")),
      ].join("\r\n") + "\r\n\r\n",
    ),
  )

const headerOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)\r$`, "im").exec(text)?.[1]

describeWith(server)("the console's files", (it) => {
  it.effect(
    "spec/console §3: what is under /assets/ may be kept for good, all else is asked for each time",
    () =>
      Effect.gen(function* () {
        const asset = yield* send("/assets/main-Bx1.js")
        expect([asset.status, asset.text]).toEqual([200, script])
        expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
        expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
        const icon = yield* send("/favicon.svg")
        expect([icon.text, icon.headers.get("content-type")]).toEqual(["<svg/>", "image/svg+xml"])
        expect(icon.headers.get("cache-control")).toBe("no-cache")
        for (const answer of [asset, icon]) {
          expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
          expect(answer.headers.get("vary")).toBe("accept-encoding")
        }
      }),
  )

  it.effect("spec/console §3: every page is the one document, for clients that accept HTML", () =>
    Effect.gen(function* () {
      for (const path of [
        "/",
        "/slos",
        "/slos/default/checkout",
        "/sign-in",
        "/slos/?q=a.b",
        "/index.html",
      ]) {
        const page = yield* send(path, { headers: html })
        expect([path, page.status, page.text]).toEqual([path, 200, document])
        expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
        expect(page.headers.get("cache-control")).toBe("no-cache")
        expect(page.headers.get("vary")).toBe("accept, accept-encoding")
      }
      expect((yield* send("/", { headers: { accept: "*/*" } })).text).toBe(document)
    }),
  )

  it.effect("spec/console §3: what is no page is 404 in the one shape", () =>
    Effect.gen(function* () {
      for (const [path, headers] of [
        ["/slos", {}],
        ["/slos", { accept: "application/json" }],
        ["/api", html],
        ["/api/nothing", html],
        ["/api/", html],
        ["/assets/", html],
        ["/assets/main-Bx2.js", html],
        ["/favicon.ico", html],
        ["/.env", html],
        ["/assets/main-Bx1.js.br", html],
      ] as const) {
        const answer = yield* send(path, { headers })
        expect([path, ...codeOf(answer)]).toEqual([path, 404, "not_found"])
        expect(answer.headers.get("cache-control")).toBe("no-store")
        expect(answer.headers.get("content-type")).toBe("application/json")
      }
    }),
  )

  it.effect("spec/console §3: routes of the API come before pages", () =>
    Effect.gen(function* () {
      expect((yield* send("/docs", { headers: html })).text).not.toBe(document)
      expect(codeOf(yield* send("/api/apply", { headers: html }))).toEqual([405, "method_not_allowed"])
      expect((yield* send("/healthz", { headers: html })).text).toContain('{"status":"ok"')
    }),
  )

  it.effect(
    "spec/console §3: a page loads what this server has, is framed by nobody, and holds no script of its own",
    () =>
      Effect.gen(function* () {
        const { headers } = yield* send("/slos", { headers: html })
        const policy = headers.get("content-security-policy") ?? ""
        expect(policy.split("; ")).toEqual([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "img-src 'self' data:",
          "font-src 'self'",
          "connect-src 'self'",
          "base-uri 'none'",
          "form-action 'self'",
          "frame-ancestors 'none'",
        ])
        expect(headers.get("x-frame-options")).toBe("DENY")
        expect(headers.get("referrer-policy")).toBe("same-origin")
        expect(headers.get("cross-origin-opener-policy")).toBe("same-origin")
        expect(headers.get("x-content-type-options")).toBe("nosniff")
      }),
  )

  it.effect("spec/console §3: no path of a request reaches the disk", () =>
    Effect.gen(function* () {
      for (const path of [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/..\\secret.txt",
        "//secret.txt",
        "/secret.txt",
        "/assets/link.txt",
        "/.vite/manifest.txt",
        "/notes.unknown",
        "/assets/main-Bx1.js/",
        "/assets/main-Bx1.js%00",
        "http://a/../secret.txt",
      ]) {
        for (const headers of [{}, html]) {
          const text = yield* raw(path, headers)
          expect(text, path).toMatch(/^HTTP\/1\.1 (404|400) /)
          expect(text).not.toContain(secret)
        }
      }
    }),
  )

  it.effect("spec/console §3: only GET and HEAD are served", () =>
    Effect.gen(function* () {
      for (const path of ["/", "/index.html", "/assets/main-Bx1.js"]) {
        for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
          const answer = yield* send(path, { method, headers: html })
          expect([path, ...codeOf(answer)]).toEqual([path, 405, "method_not_allowed"])
          expect(answer.headers.get("allow")).toBe("GET, HEAD")
        }
      }
      expect(codeOf(yield* send("/slos", { method: "POST", headers: html }))).toEqual([404, "not_found"])
    }),
  )

  it.effect("spec/console §3: HEAD returns the response of GET without the body", () =>
    Effect.gen(function* () {
      for (const path of ["/slos", "/assets/main-Bx1.js"]) {
        const got = yield* raw(path, html)
        const head = yield* raw(path, html, "HEAD")
        expect(headerOf(head, "content-length")).toBe(headerOf(got, "content-length"))
        expect(headerOf(head, "etag")).toBe(headerOf(got, "etag"))
        expect(head.endsWith("\r\n\r\n")).toBe(true)
      }
    }),
  )

  it.effect.each([
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["deflate, zstd", undefined],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP", "gzip"],
    ["br;q=0, gzip;q=0.1", "gzip"],
    ["br; q=0.001", "br"],
    ["*", "br"],
    ["br;q=0, *;q=0.5", "gzip"],
    ["*;q=0", undefined],
    ["br;q=x", undefined],
  ] as const)(
    "spec/console §3: with Accept-Encoding %j a file comes in the coding %j",
    ([accepted, coding]) =>
      Effect.gen(function* () {
        const headers = accepted === undefined ? {} : { "accept-encoding": accepted }
        const text = yield* raw("/assets/main-Bx1.js", headers)
        expect(headerOf(text, "content-encoding")).toBe(coding)
        expect(headerOf(text, "vary")).toBe("accept-encoding")
        const body = Buffer.from(text.slice(text.indexOf("\r\n\r\n") + 4), "latin1")
        const expected = {
          br: brotliCompressSync(script),
          gzip: gzipSync(script),
          identity: Buffer.from(script),
        }
        expect(body.equals(expected[coding ?? "identity"])).toBe(true)
        // What gains nothing by it is not sent in a coding.
        expect(headerOf(yield* raw("/favicon.svg", headers), "content-encoding")).toBeUndefined()
      }),
  )

  it.effect("spec/console §3: a file that the client has is 304, for its own encoding only", () =>
    Effect.gen(function* () {
      for (const path of ["/", "/slos", "/assets/main-Bx1.js"]) {
        const tags = new Set<string>()
        for (const coding of ["br", "gzip", "identity"]) {
          const headers = { ...html, "accept-encoding": coding }
          const etag = headerOf(yield* raw(path, headers), "etag") ?? ""
          tags.add(etag)
          const again = yield* raw(path, { ...headers, "if-none-match": etag })
          expect(again).toMatch(/^HTTP\/1\.1 304 /)
          expect(headerOf(again, "etag")).toBe(etag)
          expect(headerOf(again, "vary")).toContain("accept-encoding")
          expect(headerOf(again, "content-length")).toBeUndefined()
          expect(again.endsWith("\r\n\r\n")).toBe(true)
          expect(yield* raw(path, { ...headers, "if-none-match": '"other"' })).toMatch(/^HTTP\/1\.1 200 /)
        }
        expect(tags.size).toBe(path.startsWith("/assets/") ? 3 : 1)
      }
    }),
  )
})

describe("a console that was not built", () => {
  it.effect("spec/console §3: / explains how to build it, and the API works", () =>
    Effect.gen(function* () {
      for (const path of ["/", "/slos"]) {
        const page = yield* send(path, { headers: html })
        expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
        expect(page.text).toContain("npm run build")
        expect(page.headers.get("cache-control")).toBe("no-store")
        expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
      }
      expect(codeOf(yield* send("/favicon.svg"))).toEqual([404, "not_found"])
      expect((yield* send("/healthz")).status).toBe(200)
    }).pipe(Effect.provide(serverOf((folder) => join(folder, "nowhere")))),
  )

  it.effect("unreadable files are reported when the server starts", () =>
    Effect.gen(function* () {
      const folder = yield* built
      const exit = yield* Effect.exit(readConsoleFiles(join(folder, "secret.txt")))
      expect(String(exit)).toContain("ENOTDIR")
    }).pipe(Effect.scoped),
  )
})

describe("a host without a console", () => {
  it.effect("spec/console §3: has no pages", () =>
    Effect.gen(function* () {
      for (const path of ["/", "/slos", "/index.html"]) {
        expect(codeOf(yield* send(path, { headers: html }))).toEqual([404, "not_found"])
      }
    }).pipe(Effect.provide(apiServer)),
  )
})
