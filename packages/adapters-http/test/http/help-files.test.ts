import { NodeApiServer } from "@tocsin/adapters-http"
import { HelpFiles } from "@tocsin/adapters-http/server"
import { HelpOptions } from "../../src/frame/HelpOptions.ts"
import { makeHelpSite } from "../../src/help-files/HelpFiles.ts"
import { describe, describeWith, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { afterAll } from "vitest"
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
write("draft/errors/index.html", "<title>Error codes</title>")
write("draft/404.html", "<title>Page not found</title>")
write("draft/guides/alerting.html", page)
write("draft/guides/alerting.html.gz", page)
write("draft/assets/app.Bx1.js", "export {}")
write("draft/.sources.json", secret)
symlinkSync("../secret.html", join(folder, "draft/link.html"))
symlinkSync("loop", join(folder, "draft/loop"))

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
      const early = Effect.map(send("/help/guides/alerting"), ({ status, headers, text }) => {
        expect([status, text]).toEqual([503, expect.stringContaining("The documentation ")])
        return [headers.get("refresh"), headers.get("retry-after"), text.includes("npm run help")]
      })
      expect(yield* early).toEqual([null, null, true])
      write("help.build", "building\n")
      expect(yield* early).toEqual(["5", "5", false])
      write("help.build", "failed\nA <b>reason</b>.\n")
      expect(yield* early).toEqual([null, null, true])
      expect((yield* send("/help/")).text).toContain("A &#60;b&#62;reason&#60;/b&#62;.")
      expect((yield* send("/api/deliveries")).headers.get("link")).toBeNull()
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
        const index = yield* send("/help/errors", { redirect: "manual" })
        expect([index.status, index.headers.get("location")]).toEqual([308, "/help/errors/"])
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
        `/help/${"a".repeat(300)}`,
        `/help/${"a".repeat(200)}`,
        `/help/${"a/".repeat(600)}`,
        "/help/link",
        "/help/loop/index",
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

describe("the files of the documentation in memory", () => {
  const small = mkdtempSync(join(tmpdir(), "tocsin-help-"))
  const put = (name: string, text: string): void => writeFileSync(join(small, name), text)
  const text = "text ".repeat(400)
  put("one.html", `1 ${text}`)
  put("two.html", `2 ${text}`)

  afterAll(() => rmSync(small, { recursive: true }))

  it("are read once for any number of requests, until they change", async () => {
    const site = await makeHelpSite(small)
    const [first, ...others] = await Promise.all(Array.from({ length: 50 }, () => site.read("one")))
    expect(first?.bytes.toString()).toContain("1 text")
    expect(others.every((each) => each === first)).toBe(true)
    const compressed = await first?.compressed("br")
    expect(brotliDecompressSync(compressed ?? "").equals(first?.bytes ?? Buffer.of())).toBe(true)
    expect(await (await site.read("one"))?.compressed("br")).toBe(compressed)
    put("draft", `3 ${text}`)
    renameSync(join(small, "draft"), join(small, "one.html"))
    const changed = await site.read("one")
    expect(changed?.bytes.toString()).toContain("3 text")
    expect(changed?.hash).not.toBe(first?.hash)
  })

  it("take no more than their limit, for which the file goes that was not requested for the longest time", async () => {
    const site = await makeHelpSite(small, 5_000)
    const one = await site.read("one")
    const two = await site.read("two")
    expect([await site.read("one"), await site.read("two")]).toEqual([one, two])
    expect(await site.read("one")).toBe(one)
    expect(await site.read("two")).toBe(two)
    await site.read("one")
    put("three.html", `3 ${text}`)
    await site.read("three")
    expect(await site.read("one")).toBe(one)
    expect(await site.read("two")).not.toBe(two)
  })
})

const unreadable = NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
  Layer.provide(
    Layer.succeed(HelpOptions, {
      site: {
        isBuilt: () => true,
        read: () =>
          Promise.reject(Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" })),
        build: () => Promise.resolve({ state: "none" }),
      },
    }),
  ),
  Layer.provideMerge(apiPorts),
)

describeWith(unreadable)("documentation that cannot be read", (it) => {
  it.effect("is 503, as what else is unavailable for a time", () =>
    Effect.gen(function* () {
      const response = yield* send("/help/")
      expect([response.status, errorsOf(response)[0]?.code]).toEqual([503, "unavailable"])
      expect(response.headers.get("retry-after")).toBe("5")
    }),
  )
})
