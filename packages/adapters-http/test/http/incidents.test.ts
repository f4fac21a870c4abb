import { expect } from "@tocsin/testing/vitest"
import { groupDueAlerts } from "@tocsin/domain/features/incident"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { type AlertQuery, AlertStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { ask, hook, organization, slo, test } from "../../../../test/http/delivery-client.ts"

const trigger = (alertId: string, changes: object = {}) =>
  Effect.map(
    ask("POST", "/api/alerts", {
      body: { status: "triggered", slo, objective: "good", alertMethods: [hook], alertId, ...changes },
    }),
    ({ status, text }) => expect([status, text]).toEqual([202, expect.anything()]),
  )

const create = (body: object = {}) =>
  ask("POST", "/api/incidents", { body: { title: "Checkout is slow", severity: "major", ...body } })

const created = (body: object = {}) =>
  Effect.map(create(body), ({ status, json, text }) => {
    expect([status, text]).toEqual([201, expect.anything()])
    return json
  })

const update = (id: string, body: object) => ask("POST", `/api/incidents/${id}`, { body })

const entriesOf = (id: string, query = "") =>
  Effect.map(
    ask("GET", `/api/incidents/${id}/entries${query}`, { role: "viewer" }),
    ({ json }) => json.data as ReadonlyArray<Record<string, unknown>>,
  )

interface ErrorJson {
  readonly source?: { readonly propertyName?: string }
  readonly code: string
}

const codesOf = ({
  status,
  json,
}: {
  readonly status: number
  readonly json: { readonly errors: ReadonlyArray<ErrorJson> }
}) => [status, ...json.errors.map((each) => `${each.source?.propertyName ?? ""} ${each.code}`)]

test(
  "spec/incidents §1: groups alerts, with their services and the time of the first one",
  Effect.gen(function* () {
    yield* trigger("a")
    yield* TestClock.adjust("5 minutes")
    yield* trigger("b", { objective: "great" })
    const incident = yield* created({ alerts: ["b", "a"], post: "We are investigating.", owner: "Ana" })
    expect(incident).toMatchObject({
      title: "Checkout is slow",
      severity: "major",
      status: "investigating",
      owner: "Ana",
      services: [{ project: "shop", name: "web" }],
      alerts: ["b", "a"],
      alertCount: 2,
      startedAt: "2026-01-30T12:00:00.000Z",
      groupAlertsWithinMinutes: 0,
      openTaskCount: 0,
      revision: 1,
      createdAt: "2026-01-30T12:05:00.000Z",
    })
    expect(incident).not.toHaveProperty("resolvedAt")
    expect(incident).not.toHaveProperty("lastAlertAt")
    expect((yield* entriesOf(incident.id)).map(({ kind, text }) => text ?? kind)).toEqual([
      "We are investigating.",
      "alerts_added",
      "owner_changed",
    ])

    const again = yield* create({ alerts: ["a"] })
    expect([...codesOf(again), again.json.errors[0].detail]).toEqual([
      409,
      "alerts alert_grouped",
      expect.stringContaining(incident.id),
    ])
    const unknown = yield* create({ alerts: ["a", "none"], services: [{ project: "shop", name: "nope" }] })
    expect(codesOf(unknown)).toEqual([400, "alerts[1] not_found", "services[0] not_found"])
    expect(unknown.json.errors.map(({ detail }: { readonly detail: string }) => detail)).toEqual([
      "the alert none does not exist",
      "the project shop has no service nope",
    ])

    // Once it is resolved, another incident can group the alert, and it cannot be opened again.
    expect((yield* update(incident.id, { status: "resolved" })).json.resolvedAt).toBe(
      "2026-01-30T12:05:00.000Z",
    )
    const other = yield* created({ alerts: ["a"], services: [] })
    expect(codesOf(yield* update(incident.id, { status: "monitoring" }))).toEqual([
      409,
      "alerts alert_grouped",
    ])
    const removed = yield* ask("DELETE", `/api/incidents/${other.id}/alerts/a`)
    expect(removed.json).toMatchObject({ alerts: [], alertCount: 0 })
    const opened = yield* update(incident.id, { status: "monitoring" })
    expect(opened.json).toMatchObject({ status: "monitoring", alerts: ["b", "a"] })
    expect(opened.json).not.toHaveProperty("resolvedAt")

    const listed = (query: string) =>
      Effect.map(ask("GET", `/api/incidents?${query}`, { role: "viewer" }), ({ json }) =>
        json.data.map(({ id }: { readonly id: string }) => id),
      )
    expect(yield* listed("")).toEqual([other.id, incident.id].toSorted().toReversed())
    expect(yield* listed("alert=b")).toEqual([incident.id])
    expect(yield* listed("project=shop&service=web")).toEqual([incident.id])
    expect(yield* listed("status=resolved")).toEqual([])
    expect(codesOf(yield* ask("GET", "/api/incidents?status=open"))).toEqual([400, "status status_invalid"])
    expect(codesOf(yield* ask("GET", "/api/incidents?service=web"))).toEqual([
      400,
      "project project_required",
    ])
    const page = yield* ask("GET", "/api/incidents?limit=1")
    const next = yield* ask("GET", page.json.links.next)
    expect(next.json.data).toHaveLength(1)
    expect(next.json.data[0]).not.toHaveProperty("alerts")
  }),
)

test(
  "spec/incidents §2: changes the fields of a request, and records what changed in the timeline",
  Effect.gen(function* () {
    const { id } = yield* created()
    yield* TestClock.adjust("1 minute")
    const changed = yield* update(id, { severity: "critical", owner: "Ana", revision: 1 })
    expect(changed.json).toMatchObject({ title: "Checkout is slow", severity: "critical", revision: 2 })
    const stale = yield* update(id, { title: "Other", revision: 1 })
    expect([...codesOf(stale), stale.json.errors[0].detail]).toEqual([
      412,
      "revision revision_mismatch",
      expect.stringContaining("revision 2"),
    ])
    // Nothing changes.
    expect((yield* update(id, { severity: "critical", owner: "Ana" })).json.revision).toBe(2)
    yield* update(id, { owner: "", status: "identified", post: "A fix is on its way." })
    const entries = yield* entriesOf(id)
    expect(entries.map(({ id: _id, at: _at, author: _author, ...entry }) => entry)).toEqual([
      { kind: "post", text: "A fix is on its way.", status: "identified" },
      { kind: "owner_changed", from: "Ana" },
      { kind: "status_changed", from: "investigating", to: "identified" },
      { kind: "owner_changed", to: "Ana" },
    ])
    expect(entries.every(({ author }) => typeof author === "string")).toBe(true)
    expect((yield* ask("GET", `/api/incidents/${id}`)).json).toMatchObject({ title: "Checkout is slow" })
    for (const [body, code] of [
      [{ title: "Two\nlines" }, "title invalid_format"],
      [{ severity: "High" }, "severity not_allowed_value"],
      [{ startedAt: "2026-01-31T12:00:00Z" }, "startedAt out_of_range"],
      [{ groupAlertsWithinMinutes: 2_000 }, "groupAlertsWithinMinutes out_of_range"],
      [{ alerts: ["a"] }, "alerts unknown_property"],
      [{ post: " " }, "post invalid_format"],
      [{ services: [slo, slo] }, "services[1] duplicate"],
      [{ services: [{ project: "shop", name: "nope" }] }, "services[0] not_found"],
    ] as const)
      expect(codesOf(yield* update(id, body))).toEqual([400, code])
    expect(codesOf(yield* update("none", { severity: "minor" }))).toEqual([404, "id incident_not_found"])
    expect((yield* ask("DELETE", `/api/incidents/${id}`, { role: "viewer" })).status).toBe(403)
    expect((yield* ask("DELETE", `/api/incidents/${id}`)).status).toBe(204)
    expect(codesOf(yield* ask("GET", `/api/incidents/${id}/entries`))).toEqual([404, "id incident_not_found"])
  }),
)

test(
  "spec/incidents §3: has notes, tasks, links and posts in its timeline",
  Effect.gen(function* () {
    const { id } = yield* created()
    const add = (body: object, role: "editor" | "viewer" = "editor") =>
      ask("POST", `/api/incidents/${id}/entries`, { body, role })
    expect((yield* add({ kind: "note", text: "Rolled back" }, "viewer")).status).toBe(403)
    const note = yield* add({ kind: "note", text: "Rolled back\nrelease 41" })
    expect([note.status, note.json]).toMatchObject([
      201,
      { id: "1", kind: "note", text: "Rolled back\nrelease 41" },
    ])
    const task = (yield* add({ kind: "task", text: "Add an alert" })).json
    expect(task.isDone).toBe(false)
    yield* add({ kind: "link", url: "http://wiki.example.com/42", title: "Notes" })
    const post = yield* add({ kind: "post", text: "Fixed.", status: "resolved" })
    expect(post.json).toMatchObject({ kind: "post", status: "resolved" })
    expect((yield* ask("GET", `/api/incidents/${id}`)).json).toMatchObject({
      status: "resolved",
      openTaskCount: 1,
      entryCount: 5,
    })
    const complete = (entry: string, isDone: boolean) =>
      ask("PUT", `/api/incidents/${id}/tasks/${entry}`, { body: { isDone } })
    expect((yield* complete(task.id, true)).json).toMatchObject({
      isDone: true,
      doneAt: "2026-01-30T12:00:00.000Z",
      doneBy: expect.any(String),
    })
    expect((yield* ask("GET", `/api/incidents/${id}`)).json).toMatchObject({ openTaskCount: 0, revision: 6 })
    expect((yield* complete(task.id, true)).json).toMatchObject({ isDone: true })
    expect((yield* complete(task.id, false)).json).not.toHaveProperty("doneAt")
    expect((yield* ask("GET", `/api/incidents/${id}`)).json).toMatchObject({ openTaskCount: 1, revision: 7 })
    expect(codesOf(yield* complete(note.json.id, true))).toEqual([404, "entryId incident_task_not_found"])
    expect((yield* entriesOf(id, "?kind=task&kind=post")).map(({ kind }) => kind)).toEqual(["post", "task"])
    expect(codesOf(yield* ask("GET", `/api/incidents/${id}/entries?kind=html`))).toEqual([
      400,
      "kind kind_invalid",
    ])
    for (const [body, code] of [
      [{ kind: "link", url: "javascript:alert(1)" }, "url invalid_format"],
      [{ kind: "link", url: "https://user@evil.example/" }, "url invalid_format"],
      [{ kind: "note", text: "" }, "text required"],
      [{ kind: "note", text: "x".repeat(4_001) }, "text too_long"],
      [{ kind: "alerts_added", alerts: ["a"] }, "kind not_allowed_value"],
    ] as const)
      expect(codesOf(yield* add(body))).toEqual([400, code])
  }),
)

test(
  "spec/incidents §4: adds alerts of its services that trigger soon after one another",
  Effect.gen(function* () {
    yield* trigger("a")
    const { id } = yield* created({ alerts: ["a"], groupAlertsWithinMinutes: 10 })
    const alertsOf = Effect.map(ask("GET", `/api/incidents/${id}`), ({ json }) => json.alerts)
    yield* groupDueAlerts
    expect(yield* alertsOf).toEqual(["a"])
    yield* TestClock.adjust("8 minutes")
    yield* trigger("b", { objective: "great" })
    yield* groupDueAlerts
    expect(yield* alertsOf).toEqual(["a", "b"])
    // Within 10 minutes of the latest one, not of the first.
    yield* TestClock.adjust("8 minutes")
    yield* trigger("b", { objective: "great", status: "resolved" })
    yield* trigger("c", { objective: "great" })
    yield* groupDueAlerts
    expect(yield* alertsOf).toEqual(["a", "b", "c"])
    const [added] = yield* entriesOf(id)
    expect(added).toMatchObject({ kind: "alerts_added", alerts: ["c"] })
    expect(added).not.toHaveProperty("author")

    // What somebody removed stays removed, and too late is too late.
    yield* ask("DELETE", `/api/incidents/${id}/alerts/c`)
    yield* trigger("c", { objective: "great", status: "resolved" })
    yield* TestClock.adjust("11 minutes")
    yield* trigger("d", { objective: "great" })
    yield* groupDueAlerts
    expect(yield* alertsOf).toEqual(["a", "b"])
    const all = yield* ask("POST", `/api/incidents/${id}/alerts`, { body: { alerts: ["a", "d", "c"] } })
    expect(all.json.alerts).toEqual(["a", "b", "d", "c"])
  }),
)

test(
  "spec/incidents §4: counts from the latest of the alerts that are left, and not those of other projects",
  Effect.gen(function* () {
    yield* trigger("a")
    const { id } = yield* created({ alerts: ["a"], groupAlertsWithinMinutes: 10 })
    yield* TestClock.adjust("8 minutes")
    yield* trigger("b", { objective: "great" })
    yield* groupDueAlerts
    yield* ask("DELETE", `/api/incidents/${id}/alerts/b`)
    yield* trigger("b", { objective: "great", status: "resolved" })
    yield* TestClock.adjust("1 minute")
    yield* trigger("c", { objective: "great" })
    // A service of the same name with a later alert, of which the store returns one at a time.
    const other = { project: "pay", name: "checkout" }
    yield* putDefinitions(organization, [anSlo(other)])
    yield* TestClock.adjust("20 seconds")
    yield* trigger("d", { slo: other })
    yield* Effect.updateService(groupDueAlerts, AlertStore, (store) => ({
      ...store,
      list: (of: string, query: AlertQuery) => store.list(of, query, { limit: 1 }),
    }))
    const alertsOf = Effect.map(ask("GET", `/api/incidents/${id}`), ({ json }) => json.alerts)
    expect(yield* alertsOf).toEqual(["a", "c"])
    yield* ask("DELETE", `/api/incidents/${id}/alerts/c`)
    yield* trigger("c", { objective: "great", status: "resolved" })
    yield* TestClock.adjust("5 minutes")
    // Within 10 minutes of the alerts that were removed, but not of the one that is left.
    yield* trigger("e", { objective: "great" })
    yield* groupDueAlerts
    expect(yield* alertsOf).toEqual(["a"])
  }),
)

test(
  "spec/incidents §5: writes a post-mortem of an incident that a clock ahead has started",
  Effect.gen(function* () {
    yield* trigger("a")
    const { id } = yield* created({ alerts: ["a"], startedAt: "2026-01-30T12:04:00Z" })
    const { status, text } = yield* ask("GET", `/api/incidents/${id}/postmortem`, { role: "viewer" })
    expect([status, text]).toEqual([200, expect.stringContaining("**Duration:** 0 seconds")])
  }),
)

test(
  "spec/incidents §5: writes a post-mortem with what happened to the alerts, and escapes texts",
  Effect.gen(function* () {
    yield* trigger("a", { conditions: ["Latency | <b>high</b>"] })
    const { id } = yield* created({ title: "*Checkout* is [slow](https://evil.example)", alerts: ["a"] })
    yield* TestClock.adjust("90 seconds")
    yield* ask("POST", "/api/alerts/a/acknowledge", { body: { note: "On it" } })
    yield* ask("POST", `/api/incidents/${id}/entries`, { body: { kind: "task", text: "Fix the index" } })
    yield* trigger("a", { status: "resolved" })
    yield* update(id, { status: "resolved" })
    const response = yield* ask("GET", `/api/incidents/${id}/postmortem`, { role: "viewer" })
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/markdown; charset=utf-8",
    ])
    const lines = response.text.split("\n")
    expect(lines[0]).toBe(String.raw`# Post-mortem: \*Checkout\* is \[slow\](https://evil.example)`)
    expect(lines).toEqual(
      expect.arrayContaining([
        "- **Duration:** 1 minute 30 seconds",
        "- **Services:** shop/web",
        String.raw`- **Condition:** Latency \| \<b\>high\</b\>`,
        "- 2026-01-30T12:00:00Z: Alert triggered: external alert on shop/checkout, good (a)",
        "- 2026-01-30T12:01:30Z: Alert resolved: external alert on shop/checkout, good (a)",
        "- [ ] Fix the index",
      ]),
    )
    expect(response.text).toMatch(/Alert acknowledged by \S+: .* \(a\)\. On it\n/)
    expect(response.text).toMatch(
      /\n\| \S+ \| shop\/hook \| alert\.triggered \| pending \|  \| 2026-01-30T12:00:00Z \|  \|\n/,
    )
    const missing = yield* ask("GET", "/api/incidents/none/postmortem")
    expect(codesOf(missing)).toEqual([404, "id incident_not_found"])
  }),
)
