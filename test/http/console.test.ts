import { DeliveryQueue } from "@tocsin/domain/notification/DeliveryQueue"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { apiServer, errorsOf, headersOf, send } from "./api-client.ts"

const apply = (headers: Readonly<Record<string, string>>, definitions: ReadonlyArray<object>) =>
  Effect.map(
    send("/api/apply", {
      method: "PUT",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(
        definitions.map((definition) => ({ apiVersion: "tocsin/v1alpha", ...definition })),
      ),
    }),
    (answer) => expect([answer.status, answer.text]).toEqual([200, answer.text]),
  )

const aMethod = (name: string, project = "default") => ({
  kind: "AlertMethod",
  metadata: { name, project, displayName: name.toUpperCase() },
  spec: { webhook: { url: "https://hooks.example.com/s3cr3t", templateFields: ["slo_name"] } },
})

const aProject = (name: string) => ({ kind: "Project", metadata: { name } })

interface MethodPage {
  readonly data: ReadonlyArray<{
    readonly definition: { readonly metadata: { readonly name: string; readonly project: string } }
    readonly state: string
    readonly health: object
    readonly latestDelivery?: object
  }>
  readonly links: { readonly self: string; readonly next?: string }
}

const methodsAt = (path: string, headers: Readonly<Record<string, string>>) =>
  Effect.map(send(path, { headers }), (answer) => JSON.parse(answer.text) as MethodPage)

const namesOf = ({ data }: MethodPage) =>
  data.map(({ definition: { metadata } }) => `${metadata.project}/${metadata.name}`)

describe("the alert methods of the console", () => {
  it.effect("7.7: tell how each is, with its latest delivery, and no secret", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
      const headers = yield* headersOf("acme")
      const slo = {
        kind: "SLO",
        metadata: { name: "checkout", project: "default" },
        spec: {
          service: "web",
          budgetingMethod: "Occurrences",
          timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
          objectives: [{ name: "fast", target: 0.9 }],
        },
      }
      const service = { kind: "Service", metadata: { name: "web", project: "default" } }
      yield* apply(headers, [service, slo, aMethod("gone"), aMethod("rung"), aMethod("unused")])
      yield* apply(headers, [aMethod("waiting")])
      const rung = yield* send("/api/alerts", {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          status: "triggered",
          slo: { name: "checkout", project: "default" },
          objective: "fast",
          alertMethods: ["gone", "rung", "waiting"].map((name) => ({ name, project: "default" })),
        }),
      })
      expect(rung.status).toBe(202)
      const queue = yield* DeliveryQueue
      const { claims } = yield* queue.claim({ limit: 10, leaseMs: 30_000 })
      yield* queue.settle(
        claims.map(({ claimId, delivery: { alertMethod, attempt } }) => ({
          claimId,
          attempt: { number: attempt, startedAt: Date.UTC(2026, 0, 30, 12), durationMs: 3 },
          outcome: ({ gone: { kind: "gone" }, rung: { kind: "delivered" } } as const)[
            alertMethod.name as "gone" | "rung"
          ] ?? { kind: "failed" },
          random: 0.5,
        })),
      )
      const viewer = yield* headersOf("acme", "viewer")
      const page = yield* methodsAt("/api/console/alertmethods", viewer)
      expect(
        page.data.map(({ definition, state, latestDelivery }) => [
          definition.metadata.name,
          state,
          latestDelivery,
        ]),
      ).toMatchObject([
        ["gone", "disabled", { state: "failed", attempt: 1 }],
        ["rung", "healthy", { state: "delivered", settledAt: "2026-01-30T12:00:00.000Z" }],
        ["unused", "unused", undefined],
        ["waiting", "failing", { state: "pending", attempt: 1 }],
      ])
      expect(page.data[0]).toMatchObject({
        definition: {
          apiVersion: "tocsin/v1alpha",
          kind: "AlertMethod",
          metadata: { displayName: "GONE" },
          spec: { webhook: { url: "[hidden]", templateFields: ["slo_name"] } },
        },
        health: { isDisabled: true, disabledBecause: "gone", failures: 1, isPaused: false, sending: 0 },
      })
      expect(JSON.stringify(page)).not.toContain("s3cr3t")
      const paused = yield* send("/api/alertmethods/unused/pause", { method: "POST", headers })
      expect(paused.status).toBe(200)
      const states = Effect.map(methodsAt("/api/console/alertmethods", viewer), ({ data }) =>
        data.map(({ state }) => state),
      )
      expect(yield* states).toEqual(["disabled", "healthy", "paused", "failing"])
      yield* queue.setPaused("all", true)
      expect(yield* states).toEqual(["disabled", "paused", "paused", "paused"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("7.7: come in pages, of all projects or of one", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      yield* apply(headers, [aProject("a"), aProject("b")])
      yield* apply(headers, [aMethod("y", "b"), aMethod("x", "b"), aMethod("x", "a"), aMethod("z")])
      const path = "/api/console/alertmethods"
      const first = yield* methodsAt(`${path}?limit=2`, headers)
      expect(namesOf(first)).toEqual(["a/x", "b/x"])
      expect(first.links.self).toBe(`${path}?limit=2&cursor=`)
      const second = yield* methodsAt(first.links.next ?? "", headers)
      expect(namesOf(second)).toEqual(["b/y", "default/z"])
      expect(second.links.next).toBeUndefined()
      const ofProject = yield* methodsAt(`${path}?project=b&limit=1&cursor=`, headers)
      expect([namesOf(ofProject), ofProject.links.self]).toEqual([
        ["b/x"],
        `${path}?limit=1&cursor=&project=b`,
      ])
      expect(namesOf(yield* methodsAt(ofProject.links.next ?? "", headers))).toEqual(["b/y"])
      expect((yield* methodsAt(path, yield* headersOf("other"))).data).toEqual([])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("7.7: are refused without access, and with a page that is none", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      expect((yield* send("/api/console/alertmethods")).status).toBe(401)
      for (const [query, code] of [
        ["limit=501", "limit_invalid"],
        ["cursor=x", "cursor_invalid"],
      ] as const) {
        const refused = yield* send(`/api/console/alertmethods?${query}`, { headers })
        expect([refused.status, errorsOf(refused)[0]?.code]).toEqual([400, code])
      }
    }).pipe(Effect.provide(apiServer)),
  )
})
