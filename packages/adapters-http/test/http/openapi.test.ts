import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Api } from "../../src/api/Api.ts"
import { NodeApiServer } from "@tocsin/adapters-http"
import { kindList } from "@tocsin/domain/definitions"
import { describeWith, expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import recorded from "../../../../test/vectors/alertmanager.json" with { type: "json" }
import { apiServer, basicOf, send } from "../../../../test/http/api-client.ts"

interface Described {
  readonly access: {
    readonly issueAccessToken: (call: {
      readonly headers: { readonly organization: string }
    }) => Effect.Effect<{ readonly expires_in: number }, unknown>
  }
  readonly publicKey: {
    readonly currentPublicKey: (call: {
      readonly query: object
    }) => Effect.Effect<{ readonly algorithm: string }>
  }
}

interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly servers: ReadonlyArray<object>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly headers: { readonly "Trace-Id": { readonly schema: { readonly pattern: string } } }
  }
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>
}

interface OpenApiResponse {
  readonly headers?: object
  readonly content?: object
}

interface OpenApiOperation {
  readonly deprecated?: boolean
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: object
  }>
  readonly requestBody?: { readonly content: object }
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

const documentAt = (path: string) => Effect.map(send(path), ({ text }) => JSON.parse(text) as OpenApiDocument)

const described = (path: string, isWanted: (response: readonly [string, OpenApiResponse]) => boolean) =>
  Effect.map(documentAt(path), ({ paths }) =>
    Object.values(paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses }) => Object.entries(responses).filter(isWanted))
      .map(([, response]) => response),
  )

const documents = [
  ["/openapi.json", "2.0.0"],
  ["/openapi-v1.json", "1.0.0"],
] as const

describeWith(apiServer)("the API's documents", (it) => {
  it.effect.each(documents)(
    "spec/status-api §11: %s is a valid OpenAPI 3.1 document of version %s",
    ([path, version]) =>
      Effect.gen(function* () {
        const answer = yield* send(path)
        expect(answer.headers.get("content-type")).toBe("application/json")
        const document = JSON.parse(answer.text) as OpenApiDocument
        expect(document.openapi).toBe("3.1.0")
        expect(document.info.version).toBe(version)
        const validation = yield* Effect.promise(() => new Validator().validate(JSON.parse(answer.text)))
        expect(validation).toEqual({ valid: true })
      }),
  )

  it.effect.each(documents)(
    "every operation that %s describes is served, and rejects as described",
    ([path]) =>
      Effect.gen(function* () {
        const { paths } = yield* documentAt(path)
        for (const [template, operations] of Object.entries(paths)) {
          for (const [method, { responses }] of Object.entries(operations)) {
            const target = template.replaceAll(/\{(\w+)\}/g, "x")
            const { status } = yield* send(target, { method: method.toUpperCase() })
            expect(Object.keys(responses), `${method} ${target} ${status}`).toContain(`${status}`)
          }
        }
      }),
  )

  it.effect(
    "spec/access §1: Organization is a required header of all but the public keys, the session and the calls of Alertmanager and exporters",
    () =>
      Effect.gen(function* () {
        for (const [document] of documents) {
          for (const [path, operations] of Object.entries((yield* documentAt(document)).paths)) {
            for (const { parameters } of Object.values(operations)) {
              const organization = parameters.find(({ name }) => name === "organization")
              const isWithout =
                path.includes("/public-key") ||
                [
                  "/.well-known/jwks.json",
                  "/api/console/session",
                  "/api/console/session/link",
                  "/api/alertmanager",
                  "/api/otlp/v1/metrics",
                  "/metrics/slos",
                ].includes(path)
              expect([path, organization?.required ?? false]).toEqual([path, !isWithout])
            }
          }
        }
      }),
  )

  it.effect(
    "spec/status-api §10: version 2 is under /api/v2; version 1 is under /api/v1 and marked deprecated",
    () =>
      Effect.gen(function* () {
        const [v2, v1] = yield* Effect.all([documentAt("/openapi.json"), documentAt("/openapi-v1.json")])
        expect(Object.keys(v2.paths)).toContain("/api/v2/slos")
        expect(Object.keys(v2.paths).some((path) => path.startsWith("/api/v1/"))).toBe(false)
        expect(Object.keys(v1.paths).toSorted()).toEqual([
          "/api/accessToken",
          "/api/v1/slos",
          "/api/v1/slos/{sloName}",
        ])
        expect(v1.paths["/api/v1/slos"]?.["get"]?.deprecated).toBe(true)
        expect(v2.paths["/api/v2/slos"]?.["get"]?.deprecated).toBeUndefined()
      }),
  )

  it.effect.each(documents)(
    "%s describes every error of every operation by the one component Error",
    ([path]) =>
      Effect.gen(function* () {
        const errors = yield* described(path, ([status]) => status >= "400")
        expect(errors.length).toBeGreaterThan(20)
        for (const { content } of errors) {
          expect(content).toEqual({ "application/json": { schema: { $ref: "#/components/schemas/Error" } } })
        }
      }),
  )

  it.effect.each(documents)(
    "%s describes the headers of every response, and repeated parameters as arrays",
    ([path]) =>
      Effect.gen(function* () {
        for (const { headers } of yield* described(path, () => true))
          expect(headers).toHaveProperty("Trace-Id")
        for (const { headers } of yield* described(
          path,
          ([status]) => status === "429" || status === "503",
        )) {
          expect(headers).toHaveProperty("Retry-After")
        }
        const { paths } = yield* documentAt(path)
        for (const { parameters } of Object.values(paths).flatMap((operations) =>
          Object.values(operations),
        )) {
          for (const { name, schema } of parameters) {
            const isAlsoArray = JSON.stringify(schema).includes('"type":"array"') && "anyOf" in schema
            expect([name, isAlsoArray]).toEqual([name, false])
          }
        }
      }),
  )

  it.effect("headers that a description names are sent, with what it says", () =>
    Effect.gen(function* () {
      const { authorization } = yield* basicOf("headers")
      const token = yield* send("/api/accessToken", {
        method: "POST",
        headers: { authorization, organization: "headers" },
      })
      const key = yield* send("/api/notifications/v1/webhook-http-signature/public-key")
      const old = yield* send("/api/v1/slos")
      const [v2, v1] = yield* Effect.all([documentAt("/openapi.json"), documentAt("/openapi-v1.json")])
      for (const [{ headers, status }, response] of [
        [token, v2.paths["/api/accessToken"]?.["post"]?.responses["200"]],
        [key, v2.paths["/api/notifications/v1/webhook-http-signature/public-key"]?.["get"]?.responses["200"]],
        [old, v1.paths["/api/v1/slos"]?.["get"]?.responses["401"]],
      ] as const) {
        const names = Object.keys(response?.headers ?? {})
        expect(names.length, `${status}`).toBeGreaterThan(1)
        for (const name of names) expect(headers.get(name), name).not.toBeNull()
      }
      const { components, servers } = v2
      expect(token.headers.get("trace-id")).toMatch(new RegExp(components.headers["Trace-Id"].schema.pattern))
      expect(servers).toEqual([{ url: "/", description: "This server" }])
    }),
  )

  it.effect("definitions are described as YAML beside JSON, in requests and responses", () =>
    Effect.gen(function* () {
      const { paths } = yield* documentAt("/openapi.json")
      const contentTypes = ({ content }: { readonly content?: object } = {}) => Object.keys(content ?? {})
      const both = ["application/json", "application/yaml"]
      expect(contentTypes(paths["/api/apply"]?.["put"]?.requestBody)).toEqual(both)
      expect(contentTypes(paths["/api/delete"]?.["delete"]?.requestBody)).toEqual(both)
      expect(contentTypes(paths["/api/alertmethods/preview"]?.["post"]?.requestBody)).toEqual(both)
      expect(contentTypes(paths["/api/get/{kind}"]?.["get"]?.responses["200"])).toEqual(both)
      expect(contentTypes(paths["/api/get/alert"]?.["get"]?.responses["200"])).toEqual(both)
      expect(contentTypes(paths["/api/counts"]?.["post"]?.requestBody)).toEqual(["application/json"])
    }),
  )

  it.effect("spec/alertmanager §1: every property of a recorded group of Alertmanager is described", () =>
    Effect.gen(function* () {
      const { components } = yield* documentAt("/openapi.json")
      const { properties } = components.schemas["AlertmanagerGroup"] as ObjectSchema
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(recorded.firing)))
      const { items } = properties["alerts"] as { readonly items: ObjectSchema }
      const [alert = {}] = recorded.firing.alerts
      expect(Object.keys(items.properties)).toEqual(expect.arrayContaining(Object.keys(alert)))
    }),
  )

  it.effect("the kind of a definition decides which schema describes it", () =>
    Effect.gen(function* () {
      const { components } = yield* documentAt("/openapi.json")
      const union = components.schemas["Definition"] as {
        readonly oneOf: ReadonlyArray<object>
        readonly discriminator: { readonly propertyName: string; readonly mapping: Record<string, string> }
      }
      const { propertyName, mapping } = union.discriminator
      expect([propertyName, Object.keys(mapping).toSorted()]).toEqual(["kind", [...kindList].toSorted()])
      expect(union.oneOf).toEqual(Object.values(mapping).map(($ref) => ({ $ref })))
      for (const [kind, $ref] of Object.entries(mapping)) {
        const schema = components.schemas[$ref.replace("#/components/schemas/", "")] as ObjectSchema
        expect(schema.properties["kind"]).toEqual({ type: "string", enum: [kind] })
      }
      const { properties } = components.schemas["AlertPolicyDefinition"] as ObjectSchema
      const { conditions } = (properties["spec"] as ObjectSchema).properties
      // Either a condition of a measurement, one of five, or one of fewer events.
      expect(conditions).toHaveProperty("items.oneOf.length", 2)
      expect(conditions).toHaveProperty("items.oneOf[1].oneOf.length", 5)
      expect(conditions).toHaveProperty("items.oneOf[0].required", ["fewerThan"])
    }),
  )

  it.effect("objects are closed in the document exactly where the server rejects unknown properties", () =>
    Effect.gen(function* () {
      const { components } = yield* documentAt("/openapi.json")
      const nested = (schema: unknown): ReadonlyArray<object> =>
        typeof schema !== "object" || schema === null
          ? []
          : [schema, ...Object.values(schema).flatMap((each) => nested(each))]
      const closed = (name: string) =>
        nested(components.schemas[name])
          .filter((schema) => "properties" in schema && "type" in schema)
          .map((schema) => "additionalProperties" in schema && schema.additionalProperties === false)
      const names = kindList.map((kind) => `${kind === "SLO" ? "Slo" : kind}Definition`)
      for (const name of [...names, "AlertRequest", "Count", "SloCount", "ResendRequest", "SignIn"]) {
        expect([name, new Set(closed(name))]).toEqual([name, new Set([true])])
      }
      expect(new Set(closed("AlertmanagerGroup"))).toEqual(new Set([false]))
      for (const name of names) {
        const { properties } = components.schemas[name] as ObjectSchema
        expect(Object.keys(properties)).toEqual(expect.arrayContaining(["organization", "manifestSrc"]))
      }
    }),
  )

  it.effect("spec/access §6: the operator's calls are not in them", () =>
    Effect.gen(function* () {
      for (const [path] of documents) expect((yield* send(path)).text).not.toContain("/api/operator")
    }),
  )

  it.effect("no two parameters of an operation have the same name in generated code", () =>
    Effect.gen(function* () {
      const { paths } = yield* documentAt("/openapi.json")
      for (const [path, operations] of Object.entries(paths)) {
        for (const { parameters } of Object.values(operations)) {
          const names = parameters.map(
            (each) => `${each.in} ${each.name.replaceAll(/[^a-z0-9]/gi, "").toLowerCase()}`,
          )
          expect([path, new Set(names).size]).toEqual([path, names.length])
        }
      }
    }),
  )

  it.effect("a client made from the description understands the responses", () =>
    Effect.gen(function* () {
      const { url } = yield* NodeApiServer.NodeApiServer
      const { authorization } = yield* basicOf("described")
      const made = HttpApiClient.make(Api, {
        baseUrl: url,
        transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("authorization", authorization)),
      })
      // The types of calls are those of the operations, not of what describes them.
      const client = yield* (made as unknown as Effect.Effect<Described, never, HttpClient.HttpClient>).pipe(
        Effect.provide(FetchHttpClient.layer),
      )
      const token = yield* client.access.issueAccessToken({ headers: { organization: "described" } })
      expect(token.expires_in).toBe(3600)
      expect((yield* client.publicKey.currentPublicKey({ query: {} })).algorithm).toBe("ed25519")
      const rejected = yield* Effect.flip(
        client.access.issueAccessToken({ headers: { organization: "described" } }),
      )
      expect(rejected).toMatchObject({ errors: [{ code: "rate_limit_exceeded" }] })
    }),
  )

  it.effect("they change with the server only: a client that has one gets 304", () =>
    Effect.gen(function* () {
      for (const path of ["/openapi.json", "/openapi-v1.json", "/docs"]) {
        const etag = (yield* send(path)).headers.get("etag") ?? ""
        expect((yield* send(path, { headers: { "if-none-match": etag } })).status).toBe(304)
      }
    }),
  )

  it.effect("the reference page asks nobody else for anything, and may run its own scripts only", () =>
    Effect.gen(function* () {
      const answer = yield* send("/docs")
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
      expect(answer.text).toContain("/api/v2/slos/{sloName}")
      const outside = answer.text.replaceAll(/<(script|style)[\s\S]*?<\/\1>/g, "")
      expect(outside).not.toMatch(/src=| style=| on\w+="|href="(?!#|\/"|\/openapi\.json"|data:,")/)
      expect(answer.text).not.toMatch(/<(script|link|img)[^>]+(src|href)="?https?:/)
      const policy = answer.headers.get("content-security-policy") ?? ""
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain("unsafe")
      const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(answer.text) ?? []
      const hash = createHash("sha256").update(script).digest("base64")
      expect(/script-src ([^;]*)/.exec(policy)?.[1]).toBe(`'sha256-${hash}'`)
    }),
  )
})
