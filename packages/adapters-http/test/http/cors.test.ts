import { preflightMaxAgeSeconds } from "../../src/frame/Cors.ts"
import { ApiOptions, makeApiFetchHandler } from "@tocsin/adapters-http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { errorsOf, headersOf, type ReceivedResponse, send } from "../../../../test/http/api-client.ts"
import { apiPorts } from "../../../../test/http/api-ports.ts"
import { consoleServer, newSignIn, signedIn, signIn } from "../../../../test/http/console-server.ts"
import { operations } from "../../../../test/http/operations.ts"

const origin = "https://dashboard.example.com"

const serverWith = (corsOrigins: ReadonlyArray<string>) => consoleServer({ corsOrigins })

const corsOf = ({ headers }: ReceivedResponse) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")))

const preflight = (path: string, from = origin) =>
  send(path, {
    method: "OPTIONS",
    headers: {
      origin: from,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "authorization,content-type,organization",
    },
  })

const paths = ["/api/apply", "/api/v2/slos/checkout", "/openapi.json", "/readyz", "/nothing"]

describe("without origins", () => {
  it.effect("spec/http §2: no response has a CORS header, and preflight requests are not answered", () =>
    Effect.gen(function* () {
      for (const path of paths) {
        const asked = yield* send(path, { headers: { origin } })
        expect([path, corsOf(asked)]).toEqual([path, {}])
        expect(asked.headers.get("vary") ?? "").not.toContain("origin")
        const first = yield* preflight(path)
        expect([path, first.status >= 404, corsOf(first)]).toEqual([path, true, {}])
      }
    }).pipe(Effect.provide(serverWith([]))),
  )
})

describe("with a list of origins", () => {
  const server = serverWith(["https://other.example.com:8443", origin])

  it.effect("spec/http §2: a page of one of them may read every response, errors included", () =>
    Effect.gen(function* () {
      for (const path of paths) {
        const asked = yield* send(path, { headers: { origin } })
        expect(corsOf(asked)).toEqual({
          "access-control-allow-origin": origin,
          "access-control-expose-headers": expect.stringContaining("Trace-Id"),
        })
        expect(asked.headers.get("vary")).toMatch(/^(?:.*, )?origin(?:, .*)?$/)
      }
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/http §2: a preflight request of one of them is answered, for any path", () =>
    Effect.gen(function* () {
      for (const path of paths) {
        const answer = yield* preflight(path)
        expect([answer.status, answer.text]).toEqual([204, ""])
        expect(corsOf(answer)).toMatchObject({
          "access-control-allow-origin": origin,
          "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
          "access-control-max-age": `${preflightMaxAgeSeconds}`,
        })
        expect(answer.headers.get("vary")).toBe(
          "access-control-request-method, access-control-request-headers, origin",
        )
      }
      const plain = yield* send("/api/apply", { method: "OPTIONS", headers: { origin } })
      expect([plain.status, corsOf(plain)["access-control-allow-origin"]]).toEqual([405, origin])
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/http §2: a page of another origin, or of none, reads nothing", () =>
    Effect.gen(function* () {
      for (const other of [
        "null",
        "https://evil.example.com",
        "http://dashboard.example.com",
        "https://dashboard.example.com:443",
        "https://dashboard.example.com.evil.example.com",
        `${origin}/`,
        "*",
      ]) {
        const asked = yield* send("/readyz", { headers: { origin: other } })
        expect([other, corsOf(asked)]).toEqual([other, {}])
        // A cache must not give this response to a page of an allowed origin.
        expect(asked.headers.get("vary")).toBe("origin")
        const first = yield* preflight("/api/apply", other)
        expect([first.status, corsOf(first)]).toEqual([405, {}])
      }
      expect((yield* send("/readyz")).headers.get("vary")).toBe("origin")
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/http §2: the headers that the API reads are allowed, but not the console's own", () =>
    Effect.gen(function* () {
      const allowed = (corsOf(yield* preflight("/api/apply"))["access-control-allow-headers"] ?? "")
        .toLowerCase()
        .split(", ")
      const described = operations.flatMap(({ parameters }) =>
        parameters.filter((each) => each.in === "header").map(({ name }) => name.toLowerCase()),
      )
      for (const name of ["authorization", "content-type", "if-none-match", ...described]) {
        if (name !== "accept" && name !== "x-tocsin-console") expect(allowed).toContain(name)
      }
      expect(allowed).not.toContain("x-tocsin-console")
      expect(allowed).not.toContain("cookie")
    }).pipe(Effect.provide(server)),
  )

  it.effect("spec/http §2: a token works from there, a session does not", () =>
    Effect.gen(function* () {
      const editor = yield* headersOf("acme")
      expect((yield* send("/api/v2/slos", { headers: { ...editor, origin } })).status).toBe(200)
      const session = yield* signedIn("acme")
      const byCookie = yield* send("/api/v2/slos", { headers: { ...session, origin } })
      expect([byCookie.status, errorsOf(byCookie)[0]?.code]).toEqual([403, "cross_site_request"])
      const started = yield* signIn(yield* newSignIn("acme"), { origin })
      expect([started.status, errorsOf(started)[0]?.code]).toEqual([403, "cross_site_request"])
    }).pipe(Effect.provide(server)),
  )
})

describe("with all origins", () => {
  it.effect("spec/http §2: every page may read, never with credentials", () =>
    Effect.gen(function* () {
      for (const from of [origin, "null", "https://evil.example.com"]) {
        const answers = [
          yield* send("/readyz", { headers: { origin: from } }),
          yield* preflight("/api/apply", from),
        ]
        for (const answer of answers) {
          expect(corsOf(answer)["access-control-allow-origin"]).toBe("*")
          expect(corsOf(answer)).not.toHaveProperty("access-control-allow-credentials")
          expect(answer.headers.get("vary") ?? "").not.toMatch(/\borigin\b/)
        }
      }
    }).pipe(Effect.provide(serverWith(["*"]))),
  )

  it("spec/http §2: are an option of the Fetch handler as well", async () => {
    const options = Layer.succeed(ApiOptions, { ...ApiOptions.defaultValue(), corsOrigins: [origin] })
    const api = makeApiFetchHandler(Layer.merge(apiPorts, options))
    const response = await api.handler(new Request("http://localhost/healthz", { headers: { origin } }))
    expect(response.headers.get("access-control-allow-origin")).toBe(origin)
    await api.dispose()
  })
})
