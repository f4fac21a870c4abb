import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer, TestClock } from "effect"
import { anSlo, putDefinitions } from "../contract/slo-definitions.ts"
import { apiServer, headersOf, send } from "./api-client.ts"

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const entry = { objective: "good", at: "2026-01-30T12:00:00Z", good: 9, total: 10 }

type Context = Layer.Layer.Success<typeof apiServer>

const test = (what: string, effect: Effect.Effect<void, unknown, Context>): void =>
  it.effect(what, () =>
    Effect.provide(Effect.zipRight(TestClock.setTime(Date.UTC(2026, 0, 30, 12, 0, 30)), effect), apiServer),
  )

const post = (headers: Record<string, string>, body: unknown, path = "/api/slos/checkout/counts") =>
  send(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })

describe("POST /api/slos/{name}/counts", () => {
  test(
    "6.3: records counts, and the record tells them at once; the same minute again replaces",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization, "editor")), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      for (const [good, reliability] of [
        [9, 0.9],
        [5, 0.5],
      ] as const) {
        const answer = yield* post(headers, [{ ...entry, good }])
        expect([answer.status, answer.text]).toEqual([204, ""])
        const record = JSON.parse((yield* send("/api/v2/slos/checkout", { headers })).text)
        expect(record.objectives[0].reliability).toBe(reliability)
      }
      expect((yield* post(headers, [])).status).toBe(204)
    }),
  )

  test(
    "6.3: every bad entry is told, by its path",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization, "editor")), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      const answer = yield* post(headers, [entry, { ...entry, objective: "other", good: -1 }])
      expect(answer.status).toBe(400)
      const { errors } = JSON.parse(answer.text)
      expect(errors.map(({ code, source }: { code: string; source: unknown }) => [code, source])).toEqual([
        ["out_of_range", { propertyName: "[1].good" }],
        ["not_found", { propertyName: "[1].objective" }],
      ])
      const record = JSON.parse((yield* send("/api/v2/slos/checkout", { headers })).text)
      expect(record.objectives[0]).not.toHaveProperty("reliability")
    }),
  )

  test(
    "6.3: needs the role editor, the header project and an SLO that exists",
    Effect.gen(function* () {
      const headers = yield* headersOf(organization, "editor")
      const viewer = yield* headersOf(organization, "viewer")
      yield* putDefinitions(organization, [anSlo(key)])
      expect((yield* post({ ...viewer, project: "shop" }, [entry])).status).toBe(403)
      expect((yield* post({ organization, project: "shop" }, [entry])).status).toBe(401)
      expect((yield* post(headers, [entry])).status).toBe(400)
      const withProject = { ...headers, project: "shop" }
      expect((yield* post(withProject, [entry], "/api/slos/other/counts")).status).toBe(404)
      expect((yield* post({ ...headers, project: "other" }, [entry])).status).toBe(404)
    }),
  )

  test(
    "5.2: a body that is not JSON is 400, of another type 415, too large 413",
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf(organization, "editor")), project: "shop" }
      yield* putDefinitions(organization, [anSlo(key)])
      expect((yield* post(headers, "[{]")).status).toBe(400)
      expect((yield* post(headers, "{}")).status).toBe(400)
      expect((yield* post({ ...headers, "content-type": "text/plain" }, [entry])).status).toBe(415)
      expect((yield* post(headers, `["${"x".repeat(1024 * 1024)}"]`)).status).toBe(413)
    }),
  )
})
