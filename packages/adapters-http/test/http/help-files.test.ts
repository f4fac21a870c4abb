import { NodeApiServer } from "@tocsin/adapters-http"
import { HelpFiles } from "@tocsin/adapters-http/server"
import { describeWith, expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { apiServer, errorsOf, send } from "../../../../test/http/api-client.ts"
import { apiPorts } from "../../../../test/http/api-ports.ts"
import { exchange } from "../../../../test/http/raw-socket.ts"

const page = `<!doctype html><title>Alerting</title>${"<p>Text</p>".repeat(200)}`
const secret = "not for anybody"

const folder = mkdtempSync(join(tmpdir(), "tocsin-help-"))
const write = (name: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}
write("secret.html", secret)
write("draft/index.html", "<title>Documentation</title>")
write("draft/404.html", "<title>Page not found</title>")
write("draft/guides/alerting.html", page)
write("draft/guides/alerting.html.gz", gzipSync(page))
write("draft/assets/app.Bx1.js", "export {}")
write("draft/.sources.json", secret)

const server = NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
  Layer.provide(HelpFiles.layer(join(folder, "help"))),
  Layer.provideMerge(
    Layer.merge(
      apiPorts,
      Layer.effectDiscard(
        Effect.acquireRelease(Effect.void, () => Effect.sync(() => rmSync(folder, { recursive: true }))),
      ),
    ),
  ),
)

describeWith(server)("the documentation at /help", (it) => {
  it.effect("says until it is built that it is not, and is then served without a restart", () =>
    Effect.gen(function* () {
      const early = yield* send("/help/guides/alerting")
      expect([early.status, early.headers.get("refresh"), early.headers.get("retry-after")]).toEqual([
        503,
        "5",
        "5",
      ])
      expect(early.text).toContain("npm run help")
      renameSync(join(folder, "draft"), join(folder, "help"))
      const alerting = yield* send("/help/guides/alerting")
      expect([alerting.status, alerting.text]).toEqual([200, page])
      expect(alerting.headers.get("content-security-policy")).toContain("script-src 'self';")
      expect(alerting.headers.get("content-encoding")).toBe("gzip")
      const known = { "if-none-match": alerting.headers.get("etag") ?? "" }
      expect((yield* send("/help/guides/alerting", { headers: known })).status).toBe(304)
    }),
  )

  it.effect(
    "has its index below a slash, files that may be kept for good, and its own page for what is missing",
    () =>
      Effect.gen(function* () {
        const moved = yield* send("/help", { redirect: "manual" })
        expect([moved.status, moved.headers.get("location")]).toEqual([308, "/help/"])
        expect((yield* send("/help/")).text).toContain("Documentation")
        const asset = yield* send("/help/assets/app.Bx1.js")
        expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
        const missing = yield* send("/help/guides/none")
        expect([missing.status, missing.text]).toEqual([404, expect.stringContaining("Page not found")])
        const written = yield* send("/help/", { method: "POST" })
        expect([written.status, written.headers.get("allow")]).toEqual([405, "GET, HEAD"])
      }),
  )

  it.effect("serves nothing else", () =>
    Effect.gen(function* () {
      const { port } = yield* NodeApiServer.NodeApiServer
      for (const path of [
        "/help/../secret",
        "/help/../secret.html",
        "/help/%2e%2e/secret",
        "/help/guides/../../secret",
        "/help//secret",
        "/help/.sources.json",
        "/help/guides",
        "/help/guides/alerting.html.gz",
        "/help/guides/alerting.html/index",
      ]) {
        const request = [`GET ${path} HTTP/1.1`, "host: a", "connection: close"].join("\r\n")
        const response = yield* exchange(port, `${request}\r\n\r\n`)
        expect([path, response.slice(0, 12)]).toEqual([path, "HTTP/1.1 404"])
        expect(response).not.toContain(secret)
      }
    }),
  )

  it.effect("is linked from errors by their codes", () =>
    Effect.gen(function* () {
      const missing = yield* send("/api/deliveries")
      const [{ code = "" } = {}] = errorsOf(missing)
      expect(code).not.toBe("")
      expect(missing.headers.get("link")).toBe(`</help/errors/${code}>; rel="help"`)
      const old = yield* send("/api/v1/slos")
      expect(old.headers.get("link")).toMatch(
        /^<[^>]+>; rel="successor-version", <\/help\/errors\/\w+>; rel="help"$/,
      )
    }),
  )
})

describeWith(apiServer)("a server without the documentation", (it) => {
  it.effect("links to none", () =>
    Effect.gen(function* () {
      expect((yield* send("/api/deliveries")).headers.get("link")).toBeNull()
      expect((yield* send("/help/")).status).toBe(404)
    }),
  )
})
