import { describe, expect, it } from "@tocsin/testing/vitest"
import { anyAddress } from "@tocsin/domain/delivery"
import { NodeApiServer } from "@tocsin/adapters-http"
import { DefinitionOptions } from "@tocsin/adapters-http/documents"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { errorsOf, headersOf, send } from "../../../test/http/api-client.ts"
import { api, apiPorts, serverParticipants } from "../../../test/http/api-ports.ts"

/** A server whose setting can change, as after a restart. */
const serverWith = (isAllowed: () => boolean) =>
  NodeApiServer.layer({ host: "127.0.0.1", port: 0 }, api).pipe(
    Layer.provide([
      Layer.succeed(DefinitionOptions, { vendorPrefix: "n9", addressPolicy: anyAddress }),
      serverParticipants({
        get allowUnsupported() {
          return isAllowed()
        },
      }),
    ]),
    Layer.provideMerge(apiPorts),
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

const email = document(
  "AlertMethod",
  { name: "mail", project: "shop" },
  {
    description: "On call",
    email: { to: ["ops@example.com"], subject: "$slo_name", body: "$alert_policy_name" },
  },
)
const pager = document(
  "AlertMethod",
  { name: "pager", project: "shop" },
  { pagerduty: { integrationKey: "0123456789abcdef0123456789abcdef", sendResolution: { message: "Over" } } },
)
const jira = {
  ...pager,
  metadata: { name: "tickets", project: "shop" },
  spec: {
    jira: { url: "https://jira.example.com/", username: "bot", apiToken: "s3cret", projectKey: "OPS" },
  },
}
const group = document(
  "UserGroup",
  { name: "payments", labels: { team: ["payments"] } },
  { displayName: "Payments", members: [{ id: "00u1" }] },
)
const dataExport = document(
  "DataExport",
  { name: "lake", project: "shop" },
  { exportType: "S3", spec: { bucketName: "lake", roleArn: "arn:aws:iam::123456789012:role/lake" } },
)
const repository = [
  document("Project", { name: "shop" }, {}),
  email,
  pager,
  group,
  binding,
  dataExport,
  jira,
  document("Service", { name: "web", project: "shop" }, {}),
  document(
    "AlertPolicy",
    { name: "slow", project: "shop" },
    {
      severity: "Low",
      conditions: [{ measurement: "averageBurnRate", value: 1, alertingWindow: "6h", op: "gte" }],
      alertMethods: [{ metadata: { name: "mail", project: "shop" } }],
    },
  ),
]

const remove = (headers: Record<string, string>, documents: unknown) =>
  send("/api/delete", {
    method: "DELETE",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(documents),
  })

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
    }).pipe(Effect.provide(serverWith(() => true))),
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
    }).pipe(Effect.provide(serverWith(() => true))),
  )

  it.live("are applied with a whole repository, exported as they were applied, and deleted with it", () =>
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf("acme")), project: "*" }
      const applied = yield* apply(headers, repository)
      expect(JSON.parse(applied.text).data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(
        repository.map(() => "created"),
      )
      const warned = JSON.parse(applied.text).warnings.flatMap((each: { path: string; code: string }) =>
        each.code === "unsupported" ? [each.path] : [],
      )
      expect(warned).toEqual([
        "[1].spec",
        "[2].spec",
        "[3].kind",
        "[4].kind",
        "[5].kind",
        "[6].spec",
        "[8].spec.alertMethods[0]",
      ])

      // What is exported applies again and changes nothing, as the repository does with its secrets.
      const kinds = [
        "project",
        "alertmethod",
        "rolebinding",
        "usergroup",
        "dataexport",
        "service",
        "alertpolicy",
      ]
      const exported = (yield* Effect.forEach(kinds, (kind) =>
        Effect.map(send(`/api/get/${kind}`, { headers }), ({ text }) => JSON.parse(text)),
      ))
        .flat()
        .filter(({ metadata }) => metadata.name !== "default")
      for (const document of [email, group, binding, dataExport]) expect(exported).toContainEqual(document)
      const [hidden] = exported.filter(({ metadata }) => metadata.name === "tickets")
      expect(hidden.spec.jira).toEqual({ ...jira.spec.jira, apiToken: "[hidden]" })
      for (const again of [exported, repository]) {
        const { data } = JSON.parse((yield* apply(headers, again)).text)
        expect(data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(again.map(() => "unchanged"))
      }
      expect((yield* apply(headers, { ...binding, spec: { roleRef: "owner" } })).text).toContain("updated")

      const labelled = yield* send("/api/get/usergroup?labels=team:payments", { headers })
      expect(JSON.parse(labelled.text)).toEqual([group])
      expect((yield* send("/api/get/usergroup?labels=team:search", { headers })).text).toBe("[]\n")

      // The project is in use as long as one of them is in it.
      const used = yield* send("/api/delete/project?name=shop", { method: "DELETE", headers })
      expect([used.status, used.text]).toEqual([400, expect.stringContaining("is in use by ")])
      expect((yield* remove(headers, [repository[0], ...repository.slice(7)])).text).toContain(
        "is in use by the AlertMethod mail of project shop, the AlertMethod pager of project shop, the AlertMethod tickets",
      )
      expect((yield* remove(headers, repository)).status).toBe(204)
      expect((yield* send("/api/unsupported", { headers })).text).toBe(`{"data":[],"hasMore":false}`)
    }).pipe(Effect.provide(serverWith(() => true))),
  )

  it.live("are rejected without the setting, with every path, but can still be listed and deleted", () => {
    let isOn = true
    return Effect.gen(function* () {
      const headers = { ...(yield* headersOf("acme")), project: "*" }
      expect((yield* apply(headers, repository)).status).toBe(200)
      isOn = false
      const rejected = yield* apply(headers, repository)
      expect(rejected.status).toBe(400)
      expect(errorsOf(rejected).map(({ source }) => source?.propertyName)).toEqual([
        "[1].spec.email",
        "[1].spec.webhook",
        "[2].spec.pagerduty",
        "[2].spec.webhook",
        "[3].kind",
        "[4].kind",
        "[5].kind",
        "[6].spec.jira",
        "[6].spec.webhook",
      ])
      expect((yield* send("/api/get/usergroups", { headers })).text).toContain("payments")
      const byName = yield* send("/api/delete/rolebindings?name=ana", { method: "DELETE", headers })
      expect(byName.status).toBe(204)
      const absent = yield* remove(headers, [binding])
      expect([absent.status, errorsOf(absent)[0]?.title]).toEqual([404, "the RoleBinding ana does not exist"])
      expect(
        (yield* remove(
          headers,
          repository.filter((each) => each !== binding),
        )).status,
      ).toBe(204)
      expect((yield* send("/api/unsupported", { headers })).text).toBe(`{"data":[],"hasMore":false}`)
    }).pipe(Effect.provide(serverWith(() => isOn)))
  })
})
