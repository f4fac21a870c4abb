import { describe, expect, it } from "@tocsin/testing/internal/contract/EffectTest"
import { anyAddress } from "@tocsin/domain/internal/alert-method/AddressPolicy"
import { DefinitionOptions } from "@tocsin/adapters-http/internal/documents/DefinitionOptions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiServer, headersOf, send } from "./api-client.ts"

const serverWith = (allowUnsupported: boolean) =>
  apiServer.pipe(
    Layer.provideMerge(
      Layer.succeed(DefinitionOptions, { vendorPrefix: "n9", addressPolicy: anyAddress, allowUnsupported }),
    ),
  )

const document = (kind: string, metadata: object, spec: object) => ({
  apiVersion: "n9/v1alpha",
  kind,
  metadata,
  spec,
})

const slack = document(
  "AlertMethod",
  { name: "chat", project: "default" },
  { slack: { url: "https://hooks.invalid/T/s3cret" } },
)
const webhook = document(
  "AlertMethod",
  { name: "hook", project: "default" },
  { webhook: { url: "https://127.0.0.1/", templateFields: ["project_name"] } },
)
const binding = document("RoleBinding", { name: "ana" }, { user: "u", roleRef: "viewer" })
const policy = document(
  "AlertPolicy",
  { name: "fast", project: "default" },
  {
    severity: "High",
    conditions: [{ measurement: "averageBurnRate", value: 2, alertingWindow: "1h", op: "gte" }],
    alertMethods: ["chat", "hook"].map((name) => ({ metadata: { name, project: "default" } })),
  },
)

const apply = (headers: Record<string, string>, documents: unknown, query = "") =>
  send(`/api/apply${query}`, {
    method: "PUT",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(documents),
  })

describe("spec/clients §12: objects without effect", () => {
  it.live("are stored with the rest of a repository, listed, and deleted", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      const list = (kind: string) =>
        Effect.map(send(`/api/get/${kind}`, { headers }), ({ text }) => JSON.parse(text))
      const dry = yield* apply(headers, [slack, webhook, binding, policy], "?dry_run=true")
      expect(dry.status).toBe(200)
      expect(yield* list("rolebindings")).toEqual([])

      const applied = yield* apply(headers, [slack, webhook, binding, policy])
      expect(applied.status).toBe(200)
      const { data, warnings } = JSON.parse(applied.text)
      expect(data.map((each: { kind: string; outcome: string }) => [each.kind, each.outcome])).toEqual([
        ["AlertMethod", "created"],
        ["AlertMethod", "created"],
        ["RoleBinding", "created"],
        ["AlertPolicy", "created"],
      ])
      expect(warnings.map((each: { path: string; code: string }) => [each.path, each.code])).toEqual([
        ["[0].spec", "unsupported"],
        ["[2].kind", "unsupported"],
        ["[3].spec.alertMethods[0]", "unsupported"],
      ])
      expect(yield* list("rolebinding")).toEqual([binding])
      const methods = yield* list("alertmethods")
      expect(methods.map((each: typeof slack) => each.metadata)).toEqual([
        { name: "hook", project: "default" },
        { name: "chat", project: "default" },
      ])
      expect(methods[1].spec).toEqual({ slack: { url: "[hidden]" } })
      expect(
        JSON.parse((yield* send("/api/unsupported", { headers: { ...headers, project: "*" } })).text),
      ).toEqual({
        data: [
          {
            kind: "AlertMethod",
            project: "default",
            name: "chat",
            reason: "Tocsin sends webhooks only: slack notifies nobody.",
          },
          expect.objectContaining({ kind: "RoleBinding", name: "ana" }),
        ],
        hasMore: false,
      })
      const again = JSON.parse((yield* apply(headers, [methods[1], binding])).text)
      expect(again.data.map((each: { outcome: string }) => each.outcome)).toEqual(["unchanged", "unchanged"])

      const used = yield* send("/api/delete/alertmethod?name=chat", { method: "DELETE", headers })
      expect([used.status, used.text]).toEqual([
        400,
        expect.stringContaining("is in use by the AlertPolicy fast"),
      ])
      const gone = yield* send("/api/delete", {
        method: "DELETE",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify([policy, slack]),
      })
      expect([gone.status, gone.text]).toEqual([204, ""])
      const byName = yield* send("/api/delete/rolebinding?name=ana", { method: "DELETE", headers })
      expect([byName.status, byName.text]).toEqual([204, ""])
      expect(yield* list("rolebindings")).toEqual([])
      expect((yield* list("alertmethods")).length).toBe(1)
    }).pipe(Effect.provide(serverWith(true))),
  )

  it.live("are replaced by a webhook of their name, but do not replace one", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      const named = { ...webhook, metadata: slack.metadata }
      expect((yield* apply(headers, slack)).status).toBe(200)
      expect((yield* apply(headers, named)).status).toBe(200)
      const methods = JSON.parse((yield* send("/api/get/alertmethod", { headers })).text)
      expect(methods.map((each: { spec: object }) => Object.keys(each.spec))).toEqual([["webhook"]])
      const rejected = yield* apply(headers, [binding, slack])
      expect([rejected.status, rejected.text]).toEqual([
        400,
        expect.stringContaining("is the name of a webhook"),
      ])
      // All or none.
      expect((yield* send("/api/get/rolebinding", { headers })).text).toBe("[]\n")
    }).pipe(Effect.provide(serverWith(true))),
  )

  it.live("are rejected without the setting", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("acme")
      expect((yield* apply(headers, slack)).status).toBe(400)
      expect((yield* apply(headers, binding)).status).toBe(400)
    }).pipe(Effect.provide(serverWith(false))),
  )
})
