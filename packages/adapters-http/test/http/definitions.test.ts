import { defaultProject } from "@tocsin/domain/definitions"
import type { ApiRequirements } from "../../src/api/ApiHandlers.ts"
import { makeApiFetchHandler, NodeApiServer } from "@tocsin/adapters-http"
import { definitionsMax } from "@tocsin/domain/limits"
import { DefinitionStore, StoreIsUnavailable } from "@tocsin/domain/ports"
import { describe, describeWith, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { parse, stringify } from "yaml"
import {
  aProject,
  aService,
  anAlertMethod,
  anAlertPolicy,
  anAlertSilence,
  anSlo,
  changed,
} from "../../../../test/definition/valid-definitions.ts"
import { type ReceivedResponse, apiServer, headersOf, send } from "../../../../test/http/api-client.ts"
import { apiPorts } from "../../../../test/http/api-ports.ts"

const everything = [aProject(), aService(), anSlo(), anAlertPolicy(), anAlertMethod(), anAlertSilence()]

/** A body without a type, as the public clients send it. */
const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(body))

const put = (headers: Readonly<Record<string, string>>, body: unknown, path = "/api/apply") =>
  send(path, { method: "PUT", headers, body: bytesOf(body) })

const names = (answer: ReceivedResponse): ReadonlyArray<string> =>
  (JSON.parse(answer.text) as ReadonlyArray<{ readonly metadata: { readonly name: string } }>).map(
    ({ metadata }) => metadata.name,
  )

const errors = (
  answer: ReceivedResponse,
): ReadonlyArray<{
  readonly title: string
  readonly code: string
  readonly detail?: string
  readonly source?: unknown
}> => JSON.parse(answer.text).errors

describeWith(apiServer)("managing definitions", (it) => {
  it.effect("spec/definitions §9: a list is applied, read back, and deleted", () =>
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf("lifecycle")), project: "shop" }
      const applied = yield* put(headers, everything)
      expect(applied.status).toBe(200)
      expect(JSON.parse(applied.text)).toEqual({
        data: [
          { kind: "Project", name: "shop", outcome: "created" },
          { kind: "Service", project: "shop", name: "web", outcome: "created" },
          { kind: "SLO", project: "shop", name: "checkout", outcome: "created" },
          { kind: "AlertPolicy", project: "shop", name: "fast-burn", outcome: "created" },
          { kind: "AlertMethod", project: "shop", name: "ops", outcome: "created" },
          { kind: "AlertSilence", project: "shop", name: "night-work", outcome: "created" },
        ],
        warnings: [],
      })
      const read = yield* send("/api/get/alertmethod", { headers })
      expect(read.status).toBe(200)
      expect(read.headers.get("content-type")).toBe("application/json")
      expect(read.headers.get("cache-control")).toBe("no-store")
      expect(JSON.parse(read.text)[0].spec.webhook.url).toBe("[hidden]")
      const again = yield* put(headers, JSON.parse(read.text))
      expect(JSON.parse(again.text).data[0].outcome).toBe("unchanged")
      const deleted = yield* send("/api/delete", {
        method: "DELETE",
        headers,
        body: bytesOf(everything),
      })
      expect([deleted.status, deleted.text]).toEqual([204, ""])
      expect((yield* send("/api/get/slos", { headers })).text).toBe("[]\n")
    }),
  )

  it.effect(
    "spec/definitions §12: definitions come in as YAML documents of any of its types, and go out as YAML by Accept",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("yaml")
        const text = everything.map((each) => stringify(each)).join("---\n")
        for (const type of ["application/yaml", "application/x-yaml", "text/yaml; charset=utf-8"]) {
          const applied = yield* send("/api/apply", {
            method: "PUT",
            headers: { ...headers, "content-type": type },
            body: text,
          })
          expect(applied.status).toBe(200)
        }
        const asYaml = { ...headers, project: "shop", accept: "application/yaml" }
        const read = yield* send("/api/get/slo", { headers: asYaml })
        expect(read.headers.get("content-type")).toBe("application/yaml")
        expect(parse(read.text)).toEqual([anSlo()])
        expect((yield* send("/api/get/slo?name=none", { headers: asYaml })).text).toBe("[]\n")
      }),
  )

  it.effect(
    "spec/definitions §12: the kind is taken in any letter case, singular or plural; another one is 404",
    () =>
      Effect.gen(function* () {
        const headers = { ...(yield* headersOf("kinds")), project: "shop" }
        yield* put(headers, everything)
        for (const [kind, name] of [
          ["SLO", "checkout"],
          ["slos", "checkout"],
          ["Services", "web"],
          ["alertPolicies", "fast-burn"],
          ["ALERTPOLICY", "fast-burn"],
          ["alertmethods", "ops"],
          ["alertsilences", "night-work"],
        ] as const) {
          expect(names(yield* send(`/api/get/${kind}`, { headers }))).toEqual([name])
        }
        expect(names(yield* send("/api/get/project", { headers }))).toEqual(["default", "shop"])
        for (const kind of ["monitor", "constructor", "alertpolicys"]) {
          const answer = yield* send(`/api/get/${kind}`, { headers })
          expect([answer.status, errors(answer)[0]?.code]).toEqual([404, "unknown_kind"])
          expect(answer.text).toContain("Direct, Annotation and Alert, which is read-only.")
        }
      }),
  )

  it.effect(
    "spec/definitions §12: the header Project names a project or *, and is default when absent or empty",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("projects")
        yield* put(headers, [aProject(), aService("a"), aService("b"), aService("c", "default")])
        const read = (project: string, query = "") =>
          Effect.map(send(`/api/get/service${query}`, { headers: { ...headers, project } }), names)
        expect(names(yield* send("/api/get/service", { headers }))).toEqual(["c"])
        expect(yield* read("")).toEqual(["c"])
        expect(yield* read("shop")).toEqual(["a", "b"])
        expect(yield* read("*")).toEqual(["c", "a", "b"])
        expect(yield* read("nowhere")).toEqual([])
        expect(yield* read("*", "?name=b&name=c&name=d")).toEqual(["c", "b"])
      }),
  )

  it.effect(
    "spec/definitions §12: SLOs are selected by service, and an unknown query parameter is an error",
    () =>
      Effect.gen(function* () {
        const headers = { ...(yield* headersOf("filters")), project: "shop" }
        yield* put(headers, everything)
        expect(names(yield* send("/api/get/slo?service_name=web&service_name=other", { headers }))).toEqual([
          "checkout",
        ])
        expect(names(yield* send("/api/get/slo?service_name=other", { headers }))).toEqual([])
        for (const [method, path, wrong] of [
          ["GET", "/api/get/slo?service=web", "service"],
          ["GET", "/api/get/service?service_name=web", "service_name"],
          ["DELETE", "/api/delete/slo?name=checkout&lables=a", "lables"],
        ] as const) {
          const answer = yield* send(path, { method, headers })
          expect([answer.status, errors(answer)]).toEqual([
            400,
            [expect.objectContaining({ code: "unknown_property", source: { propertyName: wrong } })],
          ])
        }
        expect(names(yield* send("/api/get/slo", { headers }))).toEqual(["checkout"])
      }),
  )

  it.effect("spec/http §6: a misspelt dry_run neither applies nor deletes nor moves", () =>
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf("misspelt")), project: "shop" }
      yield* put(headers, everything)
      const move = { sloNames: ["checkout"], oldProject: "shop", newProject: "other" }
      for (const [method, path, body] of [
        ["PUT", "/api/apply?dryrun=true", changed(aProject(), "metadata.name", "more")],
        ["DELETE", "/api/delete?dry-run=true", anAlertSilence()],
        ["DELETE", "/api/delete/alertsilence?name=night-work&dryRun=true", undefined],
        ["POST", "/api/objects/v1/slos/move?dry_run=true", move],
      ] as const) {
        const answer = yield* send(path, {
          method,
          headers,
          ...(body !== undefined && { body: bytesOf(body) }),
        })
        expect([answer.status, errors(answer)], path).toEqual([
          400,
          [expect.objectContaining({ code: "unknown_property" })],
        ])
        if (!path.includes("move")) expect(errors(answer)[0]?.detail).toContain("did you mean dry_run?")
      }
      expect(names(yield* send("/api/get/project?name=more", { headers }))).toEqual([])
      expect(names(yield* send("/api/get/alertsilence", { headers }))).toEqual(["night-work"])
      expect(names(yield* send("/api/get/slo", { headers }))).toEqual(["checkout"])
    }),
  )

  it.effect("spec/definitions §12: labels ask for key:value pairs", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("labels")
      const labelled = (name: string, labels: unknown) =>
        changed(aService(name, "default"), "metadata.labels", labels)
      yield* put(headers, [
        labelled("a", { team: ["red"], env: ["prod"] }),
        labelled("b", { team: ["blue"], env: ["prod"] }),
        labelled("c", { team: ["blue"] }),
      ])
      const read = (labels: string) =>
        Effect.map(send(`/api/get/service?labels=${encodeURIComponent(labels)}`, { headers }), names)
      expect(yield* read("")).toEqual(["a", "b", "c"])
      expect(yield* read("team:blue")).toEqual(["b", "c"])
      expect(yield* read("team:blue,env:prod")).toEqual(["b"])
      expect(yield* read("team:blue,team:red,env")).toEqual(["a", "b"])
      expect(yield* read("team=blue,env:prod")).toEqual(["b"])
      expect(yield* read("team=a:b=c")).toEqual([])
      const pairs = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`).join(",")
      expect(yield* read(pairs(100))).toEqual([])
      const tooMany = yield* send(`/api/get/service?labels=${pairs(101)}`, { headers })
      expect([tooMany.status, errors(tooMany)[0]?.code]).toEqual([400, "too_many"])
      const wrong = yield* send("/api/get/service?labels=:x", { headers })
      expect([wrong.status, errors(wrong)[0]?.source]).toEqual([400, { propertyName: "labels" }])
      const impossible = yield* send("/api/get/service?labels=Team", { headers })
      expect([impossible.status, errors(impossible)[0]?.detail]).toEqual([
        400,
        expect.stringContaining('but has "Team"; a label has a key of lowercase letters'),
      ])
      const misspelled = yield* send("/api/get/servcie", { headers })
      expect(errors(misspelled)[0]).toMatchObject({
        detail: expect.stringMatching(/^Did you mean service\? Kinds are Project, /),
      })
      expect((yield* send("/api/get/svc", { headers })).status).toBe(200)
    }),
  )

  it.effect(
    "spec/definitions §7, spec/errors §1: every issue is an error with its path, and nothing is written",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("issues")
        const answer = yield* put(headers, [
          aService("web", "default"),
          changed(
            anAlertMethod("ops", "default"),
            "spec.webhook.url",
            "http://user:secret@hooks.example.com",
          ),
          changed(aProject(), "apiVersion", "other/v1alpha"),
        ])
        expect(answer.status).toBe(400)
        expect(JSON.parse(answer.text)).toEqual({
          errors: [
            {
              title: "must start with https://",
              code: "url_not_https",
              source: { propertyName: "[1].spec.webhook.url" },
            },
            {
              title: "must be tocsin/v1alpha",
              code: "not_allowed_value",
              source: { propertyName: "[2].apiVersion" },
            },
          ],
        })
        expect(answer.headers.get("trace-id")).toMatch(/^[0-9a-f]{32}$/)
        expect(names(yield* send("/api/get/service", { headers }))).toEqual([])
        const [issue] = errors(yield* put(headers, changed(aProject(), "kind", "Projct")))
        expect(issue).toMatchObject({ source: { propertyName: "kind" } })
      }),
  )

  it.effect("spec/definitions §9: dry_run checks and writes nothing, and is true or false", () =>
    Effect.gen(function* () {
      const headers = yield* headersOf("dry")
      const dry = yield* put(headers, everything, "/api/apply?dry_run=true")
      expect([dry.status, JSON.parse(dry.text).data.length]).toEqual([200, everything.length])
      for (const { kind, name, before, revision, after } of JSON.parse(dry.text).data)
        expect([before, revision, after]).toMatchObject([undefined, "0", { kind, metadata: { name } }])
      expect(names(yield* send("/api/get/project", { headers }))).toEqual(["default"])
      const real = yield* put(headers, everything, "/api/apply?dry_run=false")
      expect(real.text).not.toContain('"after"')
      const { data } = JSON.parse((yield* put(headers, everything, "/api/apply?dry_run=true")).text)
      for (const { before, after } of data) expect(before).toEqual(after)
      const reviewed = everything.map((each, index) => ({ ...each, revision: data[index].revision }))
      expect((yield* put(headers, reviewed)).status).toBe(200)
      const asNew = reviewed.map((each) => ({ ...each, revision: "0" }))
      expect((yield* put(headers, asNew)).status).toBe(412)
      const init = { method: "DELETE", headers: { ...headers, project: "shop" } }
      const body = bytesOf(everything)
      expect((yield* send("/api/delete?dry_run=true", { ...init, body })).status).toBe(204)
      expect((yield* send("/api/delete/alertsilence?name=night-work&dry_run=true", init)).status).toBe(204)
      expect(names(yield* send("/api/get/alertsilence", { headers: init.headers }))).toEqual(["night-work"])
      const wrong = yield* put(headers, everything, "/api/apply?dry_run=1")
      expect([wrong.status, errors(wrong)[0]?.source]).toEqual([400, { propertyName: "dry_run" }])
    }),
  )

  it.effect("spec/definitions §11: objects are deleted by name in the project of the header", () =>
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf("by-name")), project: "shop" }
      yield* put(headers, everything)
      const del = (path: string, more: Readonly<Record<string, string>> = {}) =>
        send(`/api/delete/${path}`, { method: "DELETE", headers: { ...headers, ...more } })
      const inUse = yield* del("service?name=web")
      expect([inUse.status, errors(inUse)[0]?.code]).toEqual([400, "in_use"])
      expect(errors(inUse)[0]?.title).toContain("the SLO checkout of project shop")
      const absent = yield* del("slos?name=checkout&name=other")
      expect([absent.status, errors(absent)[0]?.code]).toEqual([404, "not_found"])
      for (const [path, project, code] of [
        ["slos", "shop", "required"],
        ["slos?name=", "shop", "required"],
        ["slos?name=checkout&name=", "shop", "required"],
        ["slos?name=checkout", "*", "not_allowed_value"],
        ["project?name=default", "shop", "reserved"],
      ] as const) {
        const answer = yield* del(path, { project })
        expect([answer.status, errors(answer)[0]?.code]).toEqual([400, code])
      }
      expect((yield* del("alertsilence?name=night-work")).status).toBe(204)
      expect((yield* del("slos?name=checkout&name=checkout")).status).toBe(204)
      expect((yield* del("service?name=web")).status).toBe(204)
      expect((yield* del("alertpolicy?name=fast-burn")).status).toBe(204)
      expect((yield* del("alertmethod?name=ops")).status).toBe(204)
      expect((yield* del("project?name=shop", { project: "*" })).status).toBe(204)
    }),
  )

  it.effect("spec/access §5: changing needs the role editor, reading viewer", () =>
    Effect.gen(function* () {
      const viewer = yield* headersOf("roles", "viewer")
      const body = bytesOf(everything)
      for (const [method, path] of [
        ["PUT", "/api/apply"],
        ["PUT", "/api/apply?dry_run=true"],
        ["DELETE", "/api/delete"],
        ["DELETE", "/api/delete/slo?name=checkout"],
      ] as const) {
        expect((yield* send(path, { method, headers: viewer, body })).status).toBe(403)
        expect((yield* send(path, { method, headers: { organization: "roles" }, body })).status).toBe(401)
      }
      expect((yield* send("/api/get/slo", { headers: viewer })).status).toBe(200)
      expect((yield* send("/api/get/slo")).status).toBeGreaterThanOrEqual(400)
    }),
  )

  it.effect(
    "spec/errors §2: a body of another type is 415, and one that cannot be read is 400 with its place",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("bodies")
        const apply = (type: string, body: string) =>
          send("/api/apply", { method: "PUT", headers: { ...headers, "content-type": type }, body })
        expect((yield* apply("application/xml", "<a/>")).status).toBe(415)
        const yaml = yield* apply("application/yaml", "a: 1\na: 2")
        expect([yaml.status, errors(yaml)]).toEqual([
          400,
          [
            {
              title: "line 2, column 1: the key is duplicated in its map; remove one of the two",
              code: "document_invalid",
            },
          ],
        ])
        expect((yield* apply("application/json", "{")).status).toBe(400)
        expect(errors(yield* apply("application/json", "[]"))[0]?.code).toBe("too_few")
      }),
  )

  it.effect("a long list is sent in parts, whole and in order", () =>
    Effect.gen(function* () {
      const headers = { ...(yield* headersOf("long")), project: "*" }
      const all = Array.from({ length: 1_234 }, (_, at) => `s${at + 10_000}`)
      for (const part of [all.slice(0, 1_000), all.slice(1_000)]) {
        const applied = yield* put(
          headers,
          part.map((name) => aService(name, "default")),
        )
        expect(applied.status).toBe(200)
      }
      const json = yield* send("/api/get/services", { headers })
      expect(json.headers.has("content-length")).toBe(false)
      expect(names(json)).toEqual(all)
      const yaml = yield* send("/api/get/services", { headers: { ...headers, accept: "text/yaml" } })
      expect(parse(yaml.text)).toHaveLength(1_234)
      const head = yield* send("/api/get/services", { method: "HEAD", headers })
      expect([head.status, head.text]).toEqual([200, ""])
    }),
  )
})

const organization = "cut"
const definition = { definition: defaultProject, version: "1", createdAt: 0, updatedAt: 0 }

const silence = Logger.layer([])

/** A store whose list goes on until the page that fails. */
const failingStore = (failingPage: number) =>
  Layer.sync(DefinitionStore, () => {
    let pages = 0
    const unavailable = new StoreIsUnavailable({
      store: "DefinitionStore",
      operation: "list",
      isRetryable: true,
      cause: "gone",
    })
    return DefinitionStore.of({
      change: () => Effect.fail(unavailable),
      find: () => Effect.fail(unavailable),
      findAll: () => Effect.fail(unavailable),
      referrers: () => Effect.fail(unavailable),
      findStatusPage: () => Effect.fail(unavailable),
      records: () => Effect.fail(unavailable),
      listKept: () => Effect.fail(unavailable),
      list: () =>
        Effect.suspend(() =>
          ++pages === failingPage
            ? Effect.fail(unavailable)
            : Effect.succeed({ items: [definition as never], hasMore: true }),
        ),
    })
  })

describe("a store that goes away", () => {
  it.live("spec/errors §2: before the first page is 503", () =>
    Effect.gen(function* () {
      const answer = yield* send("/api/get/project", { headers: yield* headersOf(organization) })
      expect(answer.status).toBe(503)
      expect(answer.headers.get("retry-after")).not.toBeNull()
    }).pipe(
      Effect.provide(
        NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
          Layer.provideMerge(Layer.mergeAll(apiPorts, failingStore(1), silence)),
        ),
      ),
    ),
  )

  it.live("within a list cuts the connection, so that no part passes for the whole", () =>
    Effect.gen(function* () {
      const { url } = yield* NodeApiServer.NodeApiServer
      const headers = yield* headersOf(organization)
      const read = Effect.tryPromise(() =>
        fetch(`${url}/api/get/project`, { headers }).then((response) => response.text()),
      )
      expect((yield* Effect.result(read))._tag).toBe("Failure")
    }).pipe(
      Effect.provide(
        NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
          Layer.provideMerge(Layer.mergeAll(apiPorts, failingStore(3), silence)),
        ),
      ),
    ),
  )

  it.live("does so for a host with Fetch's types too", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context<ApiRequirements>()
      const api = makeApiFetchHandler(Layer.merge(Layer.succeedContext(context), silence))
      const headers = yield* headersOf(organization)
      const request = new Request("http://localhost/api/get/project", { headers })
      const response = yield* Effect.promise(() => api.handler(request))
      expect(response.status).toBe(200)
      expect((yield* Effect.result(Effect.tryPromise(() => response.text())))._tag).toBe("Failure")
      yield* Effect.promise(() => api.dispose())
    }).pipe(Effect.provide(Layer.mergeAll(apiPorts, failingStore(3), silence))),
  )
})

describeWith(apiServer)("converting documents", (it) => {
  const sloth = (sli: object) => ({
    version: "prometheus/v1",
    service: "shop",
    slos: [
      {
        name: "requests",
        objective: 99.9,
        sli,
        alerting: { page_alert: { disable: true }, ticket_alert: { disable: true } },
      },
    ],
  })
  const events = {
    events: {
      error_query: 'sum(rate(http_requests_total{code=~"5.."}[{{.window}}]))',
      total_query: "sum(rate(http_requests_total[{{.window}}]))",
    },
  }
  const convert = (
    headers: Readonly<Record<string, string>>,
    text: string,
    query = "",
    type = "application/yaml",
  ) =>
    send(`/api/definitions/convert${query}`, {
      method: "POST",
      headers: { ...headers, "content-type": type },
      body: new TextEncoder().encode(text),
    })

  it.effect(
    "spec/openslo §1: a viewer converts YAML to definitions that name a data source; nothing is stored",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("convert", "viewer")
        const text = `${stringify(sloth(events))}---\n${stringify(sloth({ plugin: { id: "some" } }))}`
        const { status, text: body } = yield* convert(headers, text, "?project=web&data_source=mimir")
        expect(status).toBe(200)
        const { definitions, notes, isComplete } = JSON.parse(body)
        expect(
          definitions.map(({ kind, metadata }: { kind: string; metadata: object }) => [kind, metadata]),
        ).toEqual([["SLO", { name: "shop-requests", displayName: "requests", project: "web" }]])
        expect(definitions[0].spec.indicator.prometheus.dataSource).toEqual({ name: "mimir" })
        expect(
          notes.map(({ document, path }: { document: number; path: string }) => [document, path]),
        ).toEqual([
          [0, "service"],
          [1, "service"],
          [1, "slos[0]"],
          [1, "slos[0].sli.plugin"],
        ])
        expect(isComplete).toBe(false)
        expect((yield* send("/api/get/slos", { headers: { ...headers, project: "*" } })).text).toBe("[]\n")
      }),
  )

  it.effect(
    "spec/openslo §1: parameters and documents that cannot be read are rejected with their issues",
    () =>
      Effect.gen(function* () {
        const headers = yield* headersOf("convert")
        const wrong = yield* convert(
          headers,
          "{}",
          "?project=A&data_source=B&service=C&prometheus_url=ftp://x",
        )
        expect(wrong.status).toBe(400)
        expect(errors(wrong).map(({ source }) => source)).toEqual(
          ["project", "data_source", "service", "prometheus_url"].map((propertyName) => ({ propertyName })),
        )
        expect((yield* convert(headers, "{}", "?dataSource=mimir")).status).toBe(400)
        const many = JSON.stringify({
          kind: "List",
          items: Array.from({ length: definitionsMax + 1 }, () => ({})),
        })
        const tooMany = yield* convert(headers, many, "", "application/json")
        expect([tooMany.status, errors(tooMany)[0]?.code]).toEqual([400, "too_many"])
        const broken = yield* convert(headers, "a: [1")
        expect([broken.status, errors(broken)[0]?.code]).toEqual([400, "document_invalid"])
        const foreign = yield* convert(headers, "groups: []")
        expect(JSON.parse(foreign.text)).toMatchObject({
          definitions: [],
          isComplete: false,
          notes: [{ document: 0 }],
        })
      }),
  )
})
