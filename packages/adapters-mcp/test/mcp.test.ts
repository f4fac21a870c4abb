import { ApiOptions, NodeApiServer } from "@tocsin/adapters-http"
import product from "../../../package.json" with { type: "json" }
import { costlyListUnits, costlyUnitsPerWindow, listSlosPerSecond } from "@tocsin/domain/rate-limit"
import { listedSlosDefault } from "../src/McpTools.ts"
import { receiveAlert, type Role } from "@tocsin/domain"
import { durationOf } from "@tocsin/domain/codec"
import { requestBodyMaxBytes } from "@tocsin/domain/limits"
import { SloStore, StoreIsUnavailable } from "@tocsin/domain/ports"
import { aMethod, anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import {
  anHour,
  aPolicy,
  badFrom,
  before,
  hook,
  organization,
  pass,
  watch,
} from "../../../test/alerting/Incident.ts"
import { apiServer, basicOf, errorsOf, headersOf, send } from "../../../test/http/api-client.ts"
import { api, apiPorts } from "../../../test/http/api-ports.ts"
import { connectClient, type Revision } from "../../../test/http/mcp-client.ts"

/** Units of costly requests for which an explanation counts, beside its minutes. */
const explanationUnits = 20

type Context = Layer.Success<typeof apiServer>

const test = (
  what: string,
  effect: Effect.Effect<void, unknown, Context | Scope.Scope>,
  server = apiServer,
): void => it.effect(what, () => Effect.provide(effect, server))

/** A client of the SDK with these headers, closed with the scope. */
const connectWith = (headers: Readonly<Record<string, string>>, revision: Revision = "auto") =>
  Effect.gen(function* () {
    const { url } = yield* NodeApiServer.NodeApiServer
    const { client, call } = yield* Effect.acquireRelease(
      Effect.promise(() => connectClient(url, headers, revision)),
      ({ close }) => Effect.promise(close),
    )
    return { client, call: (...args: Parameters<typeof call>) => Effect.promise(() => call(...args)) }
  })

/** A client with a token of the role. */
const connect = (role: Role, of = organization, revision: Revision = "auto") =>
  Effect.flatMap(headersOf(of, role), (headers) => connectWith(headers, revision))

/** Sends a message as an editor, with these headers. */
const post = (message: unknown, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal) =>
  Effect.flatMap(headersOf(organization), (access) =>
    send("/api/mcp", {
      method: "POST",
      headers: {
        ...access,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof message === "string" ? message : JSON.stringify(message),
      ...(signal !== undefined && { signal }),
    }),
  )

const ping = { jsonrpc: "2.0", id: 1, method: "ping" }

const listCall = { ...ping, method: "tools/call", params: { name: "list_slos", arguments: {} } }

/** A server whose store has another way to read pages of SLOs. */
const serverWithPages = (page: Effect.Effect<never, StoreIsUnavailable>) =>
  NodeApiServer.layer({ host: "127.0.0.1", port: 0 }, api).pipe(
    Layer.provideMerge(
      Layer.effect(
        SloStore,
        Effect.map(SloStore, (store) => ({ ...store, page: () => page })),
      ).pipe(Layer.provideMerge(apiPorts)),
    ),
  )

const viewerTools = ["list_slos", "get_slo", "explain_alert", "backtest_policy"]

const burning = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 5,
  alertingWindow: durationOf("5m"),
} as const

/** An SLO with an alert that triggered in minute 2 and is open in minute 8. */
const incident = Effect.gen(function* () {
  const slo = { ...anHour(), metadata: { ...anHour().metadata, labels: { team: ["pay"] } } }
  yield* before(slo, aPolicy([burning]))
  yield* watch
  yield* pass(slo, badFrom(0, 8), 0, 8)
})

describe("POST /api/mcp", () => {
  for (const revision of ["legacy", "auto"] as const) {
    test(
      `spec/mcp §1: serves clients that ${revision === "legacy" ? "open with a handshake" : "send everything each time"}`,
      Effect.gen(function* () {
        const { client, call } = yield* connect("viewer", organization, revision)
        expect(client.getNegotiatedProtocolVersion()).toBe(
          revision === "legacy" ? "2025-11-25" : "2026-07-28",
        )
        expect(client.getServerVersion()).toMatchObject({ name: "tocsin", version: product.version })
        expect(client.getInstructions()).toContain("dry_run_apply")
        expect(yield* call("list_slos")).toEqual({ isError: false, json: { total: 0, slos: [] } })
        const unknown = yield* Effect.promise(() =>
          client.callTool({ name: "delete_slo" }).catch((error: unknown) => String(error)),
        )
        expect(unknown).toContain("The tools are list_slos, get_slo,")
      }),
    )
  }

  test(
    "spec/mcp §1: responds in JSON without a session, to one message, and to POST alone",
    Effect.gen(function* () {
      const answer = yield* post(ping)
      expect([
        answer.status,
        answer.headers.get("content-type"),
        answer.headers.get("mcp-session-id"),
      ]).toEqual([200, "application/json", null])
      expect(JSON.parse(answer.text)).toEqual({ jsonrpc: "2.0", id: 1, result: {} })
      const notified = yield* post({ jsonrpc: "2.0", method: "notifications/initialized" })
      expect([notified.status, notified.text]).toEqual([202, ""])
      const batch = yield* post([ping, ping])
      expect([batch.status, JSON.parse(batch.text)]).toMatchObject([
        400,
        { id: null, error: { code: -32_600 } },
      ])
      const listen = yield* post(
        {
          jsonrpc: "2.0",
          id: 2,
          method: "subscriptions/listen",
          params: {
            notifications: { toolsListChanged: true },
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
              "io.modelcontextprotocol/clientCapabilities": {},
            },
          },
        },
        { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
      )
      expect([listen.headers.get("content-type"), listen.text]).toEqual([
        "application/json",
        expect.stringContaining("error"),
      ])
      const access = yield* headersOf(organization)
      for (const method of ["GET", "DELETE"]) {
        const other = yield* send("/api/mcp", { method, headers: access })
        expect([other.status, other.headers.get("allow")]).toEqual([405, "POST"])
      }
    }),
  )

  test(
    "spec/mcp §1: rejects a body that is too large or not JSON",
    Effect.gen(function* () {
      const large = yield* post(" ".repeat(requestBodyMaxBytes) + "{}")
      expect([large.status, errorsOf(large)[0]?.code]).toEqual([413, "body_too_large"])
      const broken = yield* post("{")
      expect([broken.status, errorsOf(broken)[0]?.code]).toEqual([400, "body_not_json"])
    }),
  )

  test(
    "spec/mcp §2: takes a token or Basic credentials, and nothing without",
    Effect.gen(function* () {
      const { authorization } = yield* basicOf(organization, "viewer")
      const { client } = yield* connectWith({ authorization, organization })
      const { tools } = yield* Effect.promise(() => client.listTools())
      expect(tools.map(({ name }) => name)).toEqual(viewerTools)
      const byQuery = yield* send("/api/mcp?organization=acme", {
        method: "POST",
        headers: {
          authorization,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(ping),
      })
      expect(byQuery.status).toBe(200)
      const without = yield* post(ping, { authorization: "" })
      expect([without.status, errorsOf(without)[0]?.code]).toEqual([401, "access_token_missing"])
      const wrong = yield* post(ping, { authorization: `Basic ${btoa("a:b")}` })
      expect([wrong.status, errorsOf(wrong)[0]?.code]).toEqual([401, "invalid_credentials"])
      const other = yield* post(ping, { organization: "other" })
      expect([other.status, errorsOf(other)[0]?.code]).toEqual([403, "organization_mismatch"])
    }),
  )

  test(
    "spec/mcp §2: rejects pages of foreign origins, also of the host that the request names",
    Effect.gen(function* () {
      const { url } = yield* NodeApiServer.NodeApiServer
      for (const origin of ["https://evil.example", "null", url]) {
        const answer = yield* post(ping, { origin })
        expect([origin, answer.status, errorsOf(answer)[0]?.code]).toEqual([
          origin,
          403,
          "origin_not_allowed",
        ])
      }
      for (const origin of ["https://tocsin.example", "https://assistant.example"]) {
        expect([origin, (yield* post(ping, { origin })).status]).toEqual([origin, 200])
      }
      const preflight = yield* send("/api/mcp", {
        method: "OPTIONS",
        headers: { origin: "https://assistant.example", "access-control-request-method": "POST" },
      })
      expect(preflight.headers.get("access-control-allow-headers")).toContain("Mcp-Protocol-Version")
    }),
    NodeApiServer.layer({ host: "127.0.0.1", port: 0 }, api).pipe(
      Layer.provide(
        Layer.succeed(ApiOptions, {
          ...ApiOptions.defaultValue(),
          baseUrl: "https://tocsin.example",
          corsOrigins: ["https://assistant.example"],
        }),
      ),
      Layer.provideMerge(apiPorts),
    ),
  )
})

describe("the tools", () => {
  test(
    "spec/mcp §3: are described with a schema, and only those that the role permits are listed",
    Effect.gen(function* () {
      const viewer = yield* connect("viewer")
      const listed = yield* Effect.promise(() => viewer.client.listTools())
      expect(listed.tools.map(({ name }) => name)).toEqual(viewerTools)
      const editor = yield* connect("editor")
      const { tools } = yield* Effect.promise(() => editor.client.listTools())
      expect(tools.map(({ name }) => name)).toEqual([...viewerTools, "dry_run_apply", "apply"])
      const spec = readFileSync(new URL("../../../docs/spec/mcp.md", import.meta.url), "utf8")
      const documented = [...spec.matchAll(/^\| `(\w+)` +\| (viewer|editor) +\| (no|yes) /gm)]
      expect(documented.map(([, name, role, changes]) => [name, role, changes])).toEqual(
        tools.map(({ name }) => [
          name,
          viewerTools.includes(name) ? "viewer" : "editor",
          name === "apply" ? "yes" : "no",
        ]),
      )
      for (const { name, description, inputSchema, annotations } of tools) {
        expect(description).toMatch(/^[A-Z][^]*\.$/)
        expect(annotations).toMatchObject({
          readOnlyHint: name !== "apply",
          destructiveHint: name === "apply",
        })
        expect(new Ajv2020({ strict: false, validateFormats: false }).validateSchema(inputSchema)).toBe(true)
        expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false })
        for (const property of Object.values(inputSchema.properties ?? {})) {
          expect(property).toSatisfy((each: object) => "description" in each || "$ref" in each)
        }
      }
      for (const name of ["dry_run_apply", "apply"]) {
        const rejected = yield* viewer.call(name, { definitions: "", confirm: true })
        expect([rejected.isError, rejected.json.errors[0].code]).toEqual([true, "insufficient_permissions"])
      }
    }),
  )

  test(
    "spec/mcp §4: report wrong arguments all at once, and the errors of the API",
    Effect.gen(function* () {
      const { call } = yield* connect("editor")
      const issuesOf = (name: string, input: Readonly<Record<string, unknown>>) =>
        Effect.map(call(name, input), ({ isError, json }) => [
          isError,
          ...json.errors.map(({ code, source }: { code: string; source?: { propertyName: string } }) => [
            source?.propertyName,
            code,
          ]),
        ])
      expect(
        yield* issuesOf("list_slos", { projct: "shop", limit: 501, states: ["bad"], labels: "é é" }),
      ).toEqual([
        true,
        ["labels", "invalid_format"],
        ["limit", "out_of_range"],
        ["projct", "unknown_property"],
        ["states[0]", "not_allowed_value"],
      ])
      expect(yield* issuesOf("get_slo", {})).toEqual([true, ["project", "required"], ["slo", "required"]])
      expect(yield* issuesOf("explain_alert", { slo: "checkout" })).toEqual([
        true,
        ["alertPolicy", "required"],
        ["project", "required"],
      ])
      expect(yield* issuesOf("explain_alert", { alertId: "a", slo: "b", at: "now" })).toEqual([
        true,
        [undefined, "mutually_exclusive"],
        ["alertPolicy", "required"],
        ["at", "invalid_format"],
        ["project", "required"],
      ])
      expect(yield* issuesOf("explain_alert", { alertId: "a", at: "2026-01-30T12:00:00Z" })).toEqual([
        true,
        ["at", "mutually_exclusive"],
      ])
      expect(yield* issuesOf("apply", { definitions: "", confirm: false })).toEqual([
        true,
        ["confirm", "not_allowed_value"],
        ["definitions", "required"],
      ])
      expect(yield* call("get_slo", { project: "shop", slo: "none" })).toEqual({
        isError: true,
        json: {
          errors: [
            {
              title: "SLO not found",
              code: "slo_not_found",
              detail:
                "The project shop has no SLO with this name. Check the name, and the project: the Project header, or -p of the command line.",
              source: { propertyName: "sloName", propertyValue: "none" },
            },
          ],
        },
      })
      expect(yield* issuesOf("explain_alert", { alertId: "none" })).toEqual([
        true,
        [undefined, "alert_not_found"],
      ])
    }),
  )

  test(
    "spec/mcp §4: do not report failures of the server as results",
    Effect.gen(function* () {
      const answer = yield* post(listCall)
      expect([answer.status, errorsOf(answer)[0]?.code, answer.headers.get("retry-after")]).toEqual([
        503,
        "unavailable",
        "5",
      ])
      expect(answer.text).not.toContain("secret cause")
    }),
    serverWithPages(
      Effect.fail(
        new StoreIsUnavailable({
          store: "SloStore",
          operation: "page",
          isRetryable: true,
          cause: "secret cause",
        }),
      ),
    ),
  )

  const [reading, interrupted] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  test(
    "spec/mcp §4: stop when the client is gone",
    Effect.gen(function* () {
      const abort = new AbortController()
      const response = yield* Effect.forkChild(post(listCall, {}, abort.signal))
      yield* Deferred.await(reading)
      abort.abort()
      yield* Deferred.await(interrupted)
      expect((yield* Fiber.await(response))._tag).toBe("Failure")
    }),
    serverWithPages(
      Effect.andThen(Deferred.succeed(reading, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
      ),
    ),
  )

  test(
    "spec/mcp §4: answer hostile messages with an error of the request",
    Effect.gen(function* () {
      const values = [null, 1, "x", {}, [], { jsonrpc: "2.0" }, { ...ping, method: 7 }, { ...ping, id: {} }]
      const calls = [
        { name: "constructor" },
        { name: "get_slo", arguments: null },
        { name: "get_slo", arguments: [] },
        { name: "get_slo", arguments: "x" },
        { name: "list_slos", arguments: { __proto__: { project: "x" }, constructor: 1 } },
        { name: "backtest_policy", arguments: { project: "a", slo: "b", from: {}, definition: [] } },
        { name: "explain_alert", arguments: { alertId: "\u0000" } },
        { name: 7, arguments: {} },
        {},
      ].map((params) => ({ ...ping, method: "tools/call", params }))
      const others = ["initialize", "resources/list", "logging/setLevel", "tools/list", "toString"]
      for (const message of [
        ...values,
        ...calls,
        ...others.map((method) => ({ ...ping, method, params: [] })),
      ]) {
        const answer = yield* post(message)
        expect([message, answer.status < 500]).toEqual([message, true])
        expect([message, answer.text]).toEqual([message, expect.stringMatching(/"error|"isError":true/)])
      }
    }),
  )

  test(
    "spec/mcp §5: list SLOs by project, label and state, up to a limit",
    Effect.gen(function* () {
      yield* incident
      const many = Array.from({ length: listedSlosDefault }, (_, index) =>
        anSlo({ project: "other", name: `slo-${index}` }, { alertPolicies: [] }),
      )
      yield* putDefinitions(organization, many)
      const { call } = yield* connect("viewer")
      const breached = {
        total: 1,
        slos: [
          {
            project: "shop",
            name: "checkout",
            service: "web",
            labels: { team: ["pay"] },
            objectives: [
              {
                name: "good",
                target: 0.9,
                state: "breached",
                burnRate: expect.any(Number),
                errorBudgetRemaining: expect.any(Number),
                errorBudgetRemainingPercentage: expect.any(Number),
                reliability: expect.any(Number),
              },
            ],
          },
        ],
      }
      for (const filter of [
        { project: "shop" },
        { labels: "team:pay" },
        { states: ["breached", "atRisk"] },
      ]) {
        expect((yield* call("list_slos", filter)).json).toEqual(breached)
      }
      expect((yield* call("list_slos", { labels: "team:other" })).json).toEqual({ total: 0, slos: [] })
      const all = (yield* call("list_slos")).json
      expect([all.total, all.slos.length]).toEqual([listedSlosDefault + 1, listedSlosDefault])
      const two = (yield* call("list_slos", { limit: 2, states: ["noData"] })).json
      expect([two.total, two.slos.map(({ name }: { name: string }) => name)]).toEqual([
        listedSlosDefault,
        ["slo-0", "slo-1"],
      ])
    }),
  )

  test(
    "spec/mcp §5: get an SLO with forecast and open alerts, and explain the alert at its time or any other",
    Effect.gen(function* () {
      yield* incident
      yield* receiveAlert(organization, {
        idempotencyKey: undefined,
        body: {
          status: "triggered",
          slo: { project: "shop", name: "checkout" },
          objective: "good",
          alertMethods: [hook],
        },
      })
      const { call } = yield* connect("viewer")
      const { json } = yield* call("get_slo", { project: "shop", slo: "checkout" })
      expect(json.slo).toMatchObject({
        name: "checkout",
        project: { name: "shop" },
        objectives: [{ name: "good" }],
      })
      expect(json.forecast).toMatchObject({ objectives: [{ name: "good", outlook: "Exhausted" }] })
      expect(json.openAlerts.length).toBe(2)
      const [external, own] = json.openAlerts
      expect(own.spec).toMatchObject({ status: "Triggered", alertPolicy: { name: "fast-burn" } })

      const explained = (yield* call("explain_alert", { alertId: own.metadata.name })).json
      // Only a single alert has its evidence.
      const { evidence, ...spec } = explained.alert.spec
      expect({ ...explained.alert, spec }).toEqual(own)
      expect(evidence).toMatchObject({ conditionGroups: [{ isMet: true }] })
      const [minute, ...others] = explained.explanation.minutes
      expect(others).toEqual([])
      expect(new Date(explained.explanation.to).getTime()).toBeLessThanOrEqual(
        Date.parse(own.spec.triggeredClockTime),
      )
      expect(minute.objectives).toMatchObject([
        { name: "good", isMet: true, conditionGroups: [{ isMet: true }] },
      ])
      expect(minute.objectives[0].conditionGroups[0].conditions[0].detail).toContain("at least 5 is required")

      const policy = { project: "shop", slo: "checkout", alertPolicy: "fast-burn" }
      const now = (yield* call("explain_alert", policy)).json
      expect(now.minutes[0].objectives[0].isMet).toBe(true)
      const earlier = (yield* call("explain_alert", { ...policy, at: "2026-01-30T11:30:40Z" })).json
      expect([earlier.to, earlier.minutes[0].objectives[0].isMet]).toEqual([
        "2026-01-30T11:30:00.000Z",
        false,
      ])
      const later = yield* call("explain_alert", { ...policy, at: "2026-02-01T00:00:00Z" })
      expect([later.isError, later.json.errors[0].source]).toEqual([true, { propertyName: "at" }])

      const editor = yield* headersOf(organization)
      yield* send("/api/delete/slo?name=checkout", {
        method: "DELETE",
        headers: { ...editor, project: "shop" },
      })
      const late = (yield* call("explain_alert", { alertId: own.metadata.name })).json
      expect([late.alert.spec.status, late.note]).toEqual([
        "Canceled",
        expect.stringContaining("no longer exists"),
      ])

      const reported = (yield* call("explain_alert", { alertId: external.metadata.name })).json
      expect(reported).toMatchObject({
        alert: { metadata: external.metadata },
        note: expect.stringContaining("Another system"),
      })
    }),
  )

  test(
    "spec/mcp §5: backtest a stored policy, or one that is not",
    Effect.gen(function* () {
      yield* incident
      const { call } = yield* connect("viewer")
      const slo = { project: "shop", slo: "checkout", from: "2026-01-30T11:00:00Z" }
      const stored = (yield* call("backtest_policy", { ...slo, alertPolicy: "fast-burn" })).json
      expect([stored.alertCount, stored.objectives]).toMatchObject([1, [{ name: "good", alertCount: 1 }]])
      const definition = {
        apiVersion: "tocsin/v1alpha",
        kind: "AlertPolicy",
        metadata: { name: "strict", project: "shop" },
        spec: { severity: "Low", conditions: [{ ...burning, value: 50, alertingWindow: "1h" }] },
      }
      expect((yield* call("backtest_policy", { ...slo, definition })).json.alertCount).toBe(0)
      const wrong = yield* call("backtest_policy", { ...slo, definition: { ...definition, spec: {} } })
      expect([wrong.isError, wrong.json.errors[0].source.propertyName]).toEqual([
        true,
        "definition.spec.conditions",
      ])
    }),
  )

  test(
    "spec/mcp §5: validate definitions, and apply them only when confirmed",
    Effect.gen(function* () {
      const { call } = yield* connect("editor")
      const definitions = [
        "apiVersion: tocsin/v1alpha",
        "kind: Service",
        "metadata: { name: web, project: default }",
      ].join("\n")
      const created = {
        data: [{ kind: "Service", project: "default", name: "web", outcome: "created" }],
        warnings: [],
      }
      for (const outcome of ["created", "created"]) {
        const { data } = (yield* call("dry_run_apply", { definitions })).json
        expect(data).toMatchObject([{ outcome, after: { kind: "Service", metadata: { name: "web" } } }])
        expect(data[0]).not.toHaveProperty("before")
      }
      expect((yield* call("apply", { definitions })).json.errors).toMatchObject([
        { code: "required", source: { propertyName: "confirm" } },
      ])
      expect((yield* call("apply", { definitions, confirm: true })).json).toEqual(created)
      const json = JSON.stringify([
        { apiVersion: "tocsin/v1alpha", kind: "Service", metadata: { name: "web", project: "default" } },
        { apiVersion: "tocsin/v1alpha", kind: "Service", metadata: { name: "a b", project: "default" } },
      ])
      const wrong = yield* call("dry_run_apply", { definitions: json, format: "json" })
      expect([wrong.isError, wrong.json.errors[0]]).toMatchObject([
        true,
        { source: { propertyName: "[1].metadata.name" } },
      ])
      const unchanged = yield* call("apply", { definitions, confirm: true })
      expect(unchanged.json.data[0].outcome).toBe("unchanged")
      const silent = JSON.stringify({
        apiVersion: "tocsin/v1alpha",
        kind: "AlertPolicy",
        metadata: { name: "silent", project: "default" },
        spec: {
          severity: "Low",
          conditions: [{ measurement: "burnedBudget", value: 0.5 }],
          alertMethods: [],
        },
      })
      for (const tool of ["dry_run_apply", "apply"] as const) {
        const warned = yield* call(tool, {
          definitions: silent,
          format: "json",
          ...(tool === "apply" && { confirm: true }),
        })
        expect(warned.json.warnings).toMatchObject([{ path: "spec.alertMethods", code: "notifies_nobody" }])
      }
      const method = (secret: string) => ({
        apiVersion: "tocsin/v1alpha",
        kind: "AlertMethod",
        metadata: { name: "hook", project: "default" },
        spec: {
          webhook: {
            url: "https://hook.example.com/",
            template: "{}",
            headers: [{ name: "X-Key", value: secret, isSecret: true }],
          },
        },
      })
      const applied = yield* call("apply", {
        definitions: JSON.stringify(method("st0red-secret")),
        format: "json",
        confirm: true,
      })
      expect(applied.json.data[0].outcome).toBe("created")
      const planned = yield* call("dry_run_apply", {
        definitions: JSON.stringify(method("n3w-secret")),
        format: "json",
      })
      expect([planned.isError, JSON.stringify(planned.json)]).toEqual([
        false,
        expect.stringMatching(/"before":.*\[hidden\].*"after":.*\[hidden\]/),
      ])
      expect(JSON.stringify(planned.json)).not.toMatch(/st0red-secret|n3w-secret/)
    }),
  )

  test(
    "spec/mcp §5: see nothing of other organizations",
    Effect.gen(function* () {
      yield* incident
      const own = yield* connect("viewer")
      const { openAlerts } = (yield* own.call("get_slo", { project: "shop", slo: "checkout" })).json
      const alertId = openAlerts[0].metadata.name
      const { call } = yield* connect("editor", "other")
      expect((yield* call("list_slos")).json).toEqual({ total: 0, slos: [] })
      const slo = { project: "shop", slo: "checkout" }
      for (const [name, input, code] of [
        ["get_slo", slo, "slo_not_found"],
        ["explain_alert", { alertId }, "alert_not_found"],
        ["explain_alert", { ...slo, alertPolicy: "fast-burn" }, "slo_not_found"],
        ["backtest_policy", { ...slo, alertPolicy: "fast-burn" }, "slo_not_found"],
      ] as const) {
        const { isError, json } = yield* call(name, input)
        expect([name, isError, json.errors[0].code]).toEqual([name, true, code])
      }
    }),
  )

  test(
    "spec/mcp §6: count toward the limits of the API",
    Effect.gen(function* () {
      yield* putDefinitions(organization, [aMethod(hook), anHour({ alertPolicies: [] }), aPolicy([burning])])
      const { call } = yield* connect("viewer")
      for (let request = 0; request < listSlosPerSecond; request++) {
        expect((yield* call("list_slos")).isError).toBe(false)
      }
      const limited = yield* call("list_slos")
      expect([limited.isError, limited.json.errors[0].code]).toEqual([true, "rate_limit_exceeded"])
      const access = yield* headersOf(organization)
      expect((yield* send("/api/v2/slos", { headers: access })).status).toBe(429)

      // What `list_slos` left of the costly reads.
      const rest = costlyUnitsPerWindow - listSlosPerSecond * costlyListUnits
      expect(rest % explanationUnits).toBe(0)
      const policy = { project: "shop", slo: "checkout", alertPolicy: "fast-burn" }
      for (let units = 0; units + explanationUnits <= rest; units += explanationUnits) {
        expect((yield* call("explain_alert", policy)).isError).toBe(false)
      }
      for (const name of ["explain_alert", "backtest_policy"]) {
        expect((yield* call(name, policy)).json.errors[0].detail).toContain("costly-reads")
      }
    }),
  )
})
