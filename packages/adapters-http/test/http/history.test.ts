import { describeWith, expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import {
  aProject,
  aService,
  anAlertMethod,
  anAlertPolicy,
  anSlo,
  changed,
} from "../../../../test/definition/valid-definitions.ts"
import { apiServer, basicOf, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

interface Revision {
  readonly id: string
  readonly author?: string
  readonly outcome: string
  readonly changesSecrets: boolean
}

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly links: { readonly self: string; readonly next?: string }
}

type Headers = Readonly<Record<string, string>>

const write = (headers: Headers, method: string, path: string, body: unknown) =>
  Effect.map(
    send(path, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
    (answer) => {
      expect(answer.status, answer.text).toBeLessThan(300)
    },
  )

const apply = (headers: Headers, ...definitions: ReadonlyArray<unknown>) =>
  write(headers, "PUT", "/api/apply", definitions)

const read = <A>(headers: Headers, path: string) =>
  Effect.map(send(path, { headers }), (answer) => {
    expect(answer.status, answer.text).toBe(200)
    return JSON.parse(answer.text) as A
  })

const historyOf = (headers: Headers, path: string) =>
  Effect.map(read<Page<Revision>>(headers, `/api/definitions/${path}/history`), ({ data }) => data)

/** The headers of an editor, and who that is. */
const editorOf = (organization: string) =>
  Effect.gen(function* () {
    const { authorization, clientId } = yield* basicOf(organization)
    const issued = yield* send("/api/accessToken", {
      method: "POST",
      headers: { authorization, organization },
    })
    const { access_token: token } = JSON.parse(issued.text) as { readonly access_token: string }
    return {
      author: clientId,
      headers: { authorization: `Bearer ${token}`, organization, project: "shop" },
    }
  })

const described = (description: string) => changed(aService(), "spec.description", description)

describeWith(apiServer)("the history of definitions", (it) => {
  it.effect(
    "spec/definitions §13: says who changed a definition and how, with the definition as it is read before and after",
    () =>
      Effect.gen(function* () {
        const { author, headers } = yield* editorOf("acme")
        yield* apply(headers, aProject(), described("one"))
        const asRead = yield* read<ReadonlyArray<object>>(headers, "/api/get/service?name=web")
        yield* apply(headers, aProject(), described("two"))
        yield* apply(headers, aProject(), described("two"))
        yield* send("/api/apply?dry_run=true", {
          method: "PUT",
          headers,
          body: JSON.stringify(described("three")),
        })
        const history = yield* historyOf(headers, "services/web")
        expect(history).toMatchObject([
          { outcome: "updated", author, changesSecrets: false },
          { outcome: "created", author, changesSecrets: false },
        ])
        expect(yield* historyOf(headers, "project/shop")).toMatchObject([{ outcome: "created" }])
        const found = yield* read<object>(headers, `/api/definitions/svc/web/history/${history[0]?.id}`)
        expect(found).toMatchObject({
          id: history[0]?.id,
          definition: { spec: { description: "two" } },
          previous: asRead[0],
        })

        const first = yield* read<Page<Revision>>(headers, "/api/definitions/svc/web/history?limit=1")
        expect(first.data).toEqual([history[0]])
        const second = yield* read<Page<Revision>>(headers, first.links.next ?? "")
        expect(second.data).toEqual([history[1]])
        expect(second.links).not.toHaveProperty("next")

        const missing = yield* send("/api/definitions/svc/web/history/0x1", { headers })
        expect([missing.status, errorsOf(missing)[0]?.code]).toEqual([404, "revision_not_found"])
        const unknown = yield* send("/api/definitions/monitor/web/history", { headers })
        expect([unknown.status, errorsOf(unknown)[0]?.code]).toEqual([404, "unknown_kind"])
        const every = yield* send("/api/definitions/svc/web/history", {
          headers: { ...headers, project: "*" },
        })
        expect(every.status).toBe(400)
        const filtered = yield* send("/api/definitions/svc/web/history?author=ci", { headers })
        expect([filtered.status, errorsOf(filtered)[0]?.code]).toEqual([400, "unknown_property"])
      }),
  )

  it.effect("spec/definitions §13: the history has no secret, and says that one changed", () =>
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf("secrets")), project: "shop" }
      const method = (url: string) => changed(anAlertMethod(), "spec.webhook.url", url)
      yield* apply(headers, aProject(), method("https://hooks.example.com/s3cr3t-1"))
      yield* apply(headers, method("https://hooks.example.com/s3cr3t-2"))
      yield* apply(headers, method("[hidden]"))
      const history = yield* historyOf(headers, "alertmethods/ops")
      expect(history.map(({ outcome, changesSecrets }) => [outcome, changesSecrets])).toEqual([
        ["updated", true],
        ["created", false],
      ])
      const found = yield* Effect.forEach(history, ({ id }) =>
        read<object>(headers, `/api/definitions/alertmethods/ops/history/${id}`),
      )
      expect(JSON.stringify(found)).toContain("[hidden]")
      expect(JSON.stringify(found)).not.toContain("s3cr3t")
    }),
  )

  it.effect("spec/definitions §13: what is deleted is listed, and can be applied again as it was", () =>
    Effect.gen(function* () {
      const { author, headers } = yield* editorOf("restore")
      yield* apply(headers, aProject(), aService(), anAlertMethod(), anAlertPolicy(), anSlo())
      const slo = yield* read<ReadonlyArray<object>>(headers, "/api/get/slo?name=checkout")
      yield* send("/api/delete/slo?name=checkout", { method: "DELETE", headers })
      yield* write(headers, "DELETE", "/api/delete", [aService()])
      const deleted = (path: string, project = "shop") =>
        Effect.map(
          read<Page<{ readonly kind: string; readonly name: string; readonly id: string }>>(
            { ...headers, project },
            path,
          ),
          ({ data }) => data,
        )
      const [service, last] = yield* deleted("/api/definitions/deleted")
      expect([service, last]).toMatchObject([
        { kind: "Service", project: "shop", name: "web", author, outcome: "deleted" },
        { kind: "SLO", project: "shop", name: "checkout" },
      ])
      expect((yield* deleted("/api/definitions/deleted?kind=slos", "*")).map(({ name }) => name)).toEqual([
        "checkout",
      ])
      expect(yield* deleted("/api/definitions/deleted", "other")).toEqual([])
      const wrong = yield* send("/api/definitions/deleted?kind=monitors", { headers })
      expect(wrong.status).toBe(404)

      const { definition } = yield* read<{ readonly definition: object }>(
        headers,
        `/api/definitions/slo/checkout/history/${last?.id}`,
      )
      yield* apply(headers, aService(), definition)
      expect(yield* read(headers, "/api/get/slo?name=checkout")).toEqual(slo)
      expect(yield* deleted("/api/definitions/deleted")).toEqual([])
    }),
  )

  it.effect("spec/definitions §13: the history of a moved SLO moves with it, and says who moved it", () =>
    Effect.gen(function* () {
      const { author, headers } = yield* editorOf("moving")
      yield* apply(
        headers,
        aProject(),
        aService(),
        anAlertMethod(),
        anAlertPolicy(),
        changed(anSlo(), "spec.alertPolicies", []),
      )
      yield* write(headers, "POST", "/api/objects/v1/slos/move", {
        sloNames: ["checkout"],
        oldProject: "shop",
        newProject: "pay",
      })
      const moved = yield* historyOf({ ...headers, project: "pay" }, "slos/checkout")
      expect(moved).toMatchObject([{ outcome: "moved", movedFrom: "shop", author }, { outcome: "created" }])
      expect(yield* historyOf({ ...headers, project: "pay" }, "services/web")).toMatchObject([
        { outcome: "created", author },
      ])
      expect(yield* historyOf(headers, "slos/checkout")).toEqual([])
    }),
  )
})
