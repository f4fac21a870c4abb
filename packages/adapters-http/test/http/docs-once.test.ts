import { ReferencePage } from "@tocsin/adapters-http/server"
import { describe, expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "vitest"
import { DocsPage } from "../../src/api/DocsPage.ts"
import { docsRoutes } from "../../src/api/DocsHandlers.ts"
import { test } from "../../../../test/http/delivery-client.ts"
import { send } from "../../../../test/http/api-client.ts"

describe("documents", () => {
  test(
    "spec/rate-limits §8: are made once, and each request gets the same one",
    Effect.gen(function* () {
      for (const { path, handler } of docsRoutes) {
        const first = yield* handler(undefined as never)
        expect(yield* handler(undefined as never)).toBe(first)
        const { status, text } = yield* send(path)
        expect(status).toBe(200)
        expect(text).toBe(Buffer.from(first.body).toString())
      }
    }),
  )
})

describe("documents that were written to files", () => {
  it("are read by their path, and made if there is no file, or another one", async () => {
    const directory = mkdtempSync(join(tmpdir(), "tocsin-documents-"))
    try {
      const written = { headers: { "content-type": "text/html" }, body: "<p>“written”</p>" }
      writeFileSync(join(directory, "docs.json"), JSON.stringify(written))
      writeFileSync(join(directory, "openapi.json"), "{")
      const reference = await Effect.runPromise(Effect.provide(DocsPage, ReferencePage.layerOf(directory)))
      expect(await reference?.written("/docs")).toEqual({ status: 200, ...written })
      expect(await reference?.written("/openapi.json")).toBeUndefined()
      expect(await reference?.written("/openapi-v1.json")).toBeUndefined()
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
