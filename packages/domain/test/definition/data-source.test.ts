import { MemoryStores } from "@tocsin/adapters-memory"
import {
  applyDefinitions,
  definitionToJson,
  deleteDefinitions,
  type Participants,
  participantsLayer,
} from "@tocsin/domain"
import { definitionToStored } from "@tocsin/domain/adapter"
import { type CountStore, DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  aDataSource,
  anAlertMethod,
  anSlo,
  aProject,
  aService,
  changed,
  codesOf,
  decodeOptions,
  issuesOf,
  type Plain,
} from "../../../../test/definition/valid-definitions.ts"

const at = "spec.prometheus"
const withProperty = (property: string, value: unknown, source = aDataSource()): Plain =>
  changed(source, `${at}.${property}`, value)

/** A data source with Basic authentication instead of OAuth 2.0. */
const withBasic = (basic: unknown = { username: "tocsin", password: "p4ssword" }) =>
  withProperty("basic", basic, withProperty("oauth2", undefined))

describe("a data source", () => {
  it.each<[string, Plain]>([
    ["everything", aDataSource()],
    ["Basic", withBasic()],
    ["a bearer token", withProperty("bearer", { token: "abc.def-1==" }, withProperty("oauth2", undefined))],
    ["only an address", changed(aDataSource(), at, { url: "http://prometheus.example.com:9090" })],
    ["hidden secrets", withProperty("oauth2.clientSecret", "[hidden]")],
    [
      "Windows line ends",
      withProperty("tls.ca", "-----BEGIN CERTIFICATE-----\r\nQQ==\r\n-----END CERTIFICATE-----\r\n"),
    ],
  ])("spec/data-sources §6: is valid with %s", (_, source) => {
    expect(issuesOf(source)).toEqual([])
  })

  it.each<[string, unknown, string, string]>([
    ["url", "ftp://a.example.com", "url", "url_not_http"],
    ["url", "http://10.0.0.1:9090", "url", "url_address_forbidden"],
    ["url", "http://mimir.example.com", "tls", "not_allowed_value"],
    ["oauth2.tokenUrl", "https://169.254.169.254/token", "oauth2.tokenUrl", "url_address_forbidden"],
    ["oauth2.clientSecret", undefined, "oauth2.clientSecret", "required"],
    ["oauth2.scopes", ["a b"], "oauth2.scopes[0]", "invalid_format"],
    ["basic", { username: "a", password: "b" }, "", "mutually_exclusive"],
    ["bearer", { token: "two words" }, "bearer.token", "invalid_format"],
    ["tls.key", undefined, "tls.key", "required"],
    ["tls.certificate", undefined, "tls.certificate", "required"],
    ["tls.ca", "CERT", "tls.ca", "invalid_format"],
    [
      "tls.key",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nQQ==\n-----END ENCRYPTED PRIVATE KEY-----",
      "tls.key",
      "invalid_format",
    ],
    ["tenant", "a\r\nb: c", "tenant", "invalid_format"],
    ["headers", [{ name: "Authorization", value: "x" }], "headers[0].name", "reserved"],
    ["headers", [{ name: "x-scope-orgid", value: "x" }], "headers[0].name", "reserved"],
    ["headers", [{ name: "Cookie", value: "x" }], "headers[0].name", "reserved"],
    ["queryDelay", "61m", "queryDelay", "out_of_range"],
    ["queryDelay", "-1s", "queryDelay", "out_of_range"],
    ["password", "x", "password", "unknown_property"],
  ])("spec/data-sources §6: %s %j is rejected", (property, value, path, code) => {
    const issues = codesOf(withProperty(property, value))
    expect(issues).toContainEqual([path === "" ? at : `${at}.${path}`, code])
  })

  it("spec/data-sources §6: a user name has no colon", () => {
    expect(codesOf(withBasic({ username: "a:b", password: "c" }))).toEqual([
      [`${at}.basic.username`, "invalid_format"],
    ])
  })

  it("spec/data-sources §6: an indicator names a server or a data source, not both", () => {
    const indicator = (prometheus: object) => changed(anSlo(), "spec.indicator", { prometheus })
    const queries = { good: "good", total: "total" }
    const url = "https://prometheus.example.com"
    expect(codesOf(indicator({ ...queries, dataSource: { name: "mimir" } }))).toEqual([])
    expect(codesOf(indicator({ ...queries, url, dataSource: { name: "mimir" } }))).toEqual([
      ["spec.indicator.prometheus.dataSource", "mutually_exclusive"],
    ])
    expect(codesOf(indicator(queries))).toEqual([["spec.indicator.prometheus.url", "required"]])
  })
})

describe("the secrets of a data source", () => {
  const layer = Layer.merge(MemoryStores.layer, participantsLayer([]))
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, CountStore | DefinitionStore | Participants>,
  ): void => it.effect(what, () => Effect.provide(effect, layer))
  const apply = (...inputs: ReadonlyArray<unknown>) => applyDefinitions("acme", inputs, decodeOptions)
  const issuesOfApply = (...inputs: ReadonlyArray<unknown>) =>
    Effect.map(Effect.flip(apply(...inputs)), (error) =>
      "issues" in error ? error.issues.map(({ path, code }) => [path, code]) : [],
    )
  const stored = Effect.flatMap(DefinitionStore, (store) =>
    Effect.map(
      store.find("acme", "DataSource", { project: "shop", name: "mimir" }),
      (found) => Option.getOrThrow(found).definition,
    ),
  )

  test(
    "spec/data-sources §7: are hidden when read, apart from the document when stored, and kept by [hidden]",
    Effect.gen(function* () {
      yield* apply(aProject(), aDataSource())
      const read = definitionToJson(yield* stored, "tocsin")
      expect(JSON.stringify(read)).not.toMatch(/s3cret|S0VZ/)
      const { json, secrets } = definitionToStored(yield* stored)
      expect(json).not.toMatch(/s3cret|S0VZ/)
      expect(secrets.map(Redacted.value)).toEqual([
        "client-s3cret",
        expect.stringContaining("S0VZ"),
        "header-s3cret",
      ])
      expect((yield* apply(read)).map(({ outcome }) => outcome)).toEqual(["unchanged"])
      const renamed = changed(read as unknown as Plain, "spec.description", "Other")
      expect((yield* apply(renamed)).map(({ outcome }) => outcome)).toEqual(["updated"])
      const { oauth2, tls } = (yield* stored).spec.prometheus
      expect(oauth2 && Redacted.value(oauth2.clientSecret)).toBe("client-s3cret")
      expect(tls?.key && Redacted.value(tls.key)).toContain("S0VZ")
    }),
  )

  test(
    "spec/data-sources §7: must be specified for a new data source, and again for another server",
    Effect.gen(function* () {
      yield* apply(aProject())
      const hidden = withProperty("oauth2.clientSecret", "[hidden]", withProperty("tls.key", "[hidden]"))
      const missing = [
        [`${at}.oauth2.clientSecret`, "hidden_without_stored"],
        [`${at}.tls.key`, "hidden_without_stored"],
      ]
      expect(yield* issuesOfApply(hidden)).toEqual(missing)
      yield* apply(aDataSource())
      const read = definitionToJson(yield* stored, "tocsin") as unknown as Plain
      for (const url of [
        "https://evil.example.com/prometheus",
        "https://mimir.example.com:444/prometheus",
        "https://mimir.example.com/other",
      ]) {
        expect(yield* issuesOfApply(changed(read, `${at}.url`, url))).toEqual([
          [`${at}.headers[1].value`, "hidden_without_stored"],
          ...missing,
        ])
      }
      const tokenUrl = changed(read, `${at}.oauth2.tokenUrl`, "https://evil.example.com/token")
      expect(yield* issuesOfApply(tokenUrl)).toEqual(missing.slice(0, 1))
      const shown = changed(read, `${at}.headers`, [{ name: "X-Key", value: "[hidden]", isSecret: false }])
      expect(yield* issuesOfApply(shown)).toEqual([[`${at}.headers[0].value`, "hidden_without_stored"]])
      const plain = changed(
        changed(read, `${at}.tls`, undefined),
        `${at}.url`,
        "http://mimir.example.com/prometheus",
      )
      expect((yield* issuesOfApply(plain)).length).toBe(2)
      expect(yield* apply(changed(read, `${at}.url`, "https://mimir.example.com/prometheus/"))).toHaveLength(
        1,
      )
    }),
  )

  test(
    "spec/data-sources §7: hidden headers have the same rules and messages as those of alert methods",
    Effect.gen(function* () {
      yield* apply(aProject())
      const messagesOf = (definition: Plain) =>
        Effect.map(Effect.flip(apply(definition)), (error) =>
          "issues" in error
            ? error.issues.map(({ path, message }) => [path.replace(/^spec\.\w+\./, ""), message])
            : [],
        )
      const header = (isSecret: boolean) => [{ name: "X-Key", value: "[hidden]", isSecret }]
      const secret = [{ name: "x-key", value: "header-s3cret", isSecret: true }]
      const at = "headers[0].value"
      for (const [definition, place] of [
        [aDataSource(), "spec.prometheus"],
        [anAlertMethod(), "spec.webhook"],
      ] as const) {
        const plain = changed(changed(definition, `${place}.oauth2`, undefined), `${place}.tls`, undefined)
        const withHeaders = (headers: unknown, of = plain) => changed(of, `${place}.headers`, headers)
        expect(yield* messagesOf(withHeaders(header(true)))).toEqual([
          [at, "is required because no header of this name is stored yet"],
        ])
        yield* apply(withHeaders(secret))
        expect((yield* apply(withHeaders(header(true)))).map(({ outcome }) => outcome)).toEqual(["updated"])
        expect(yield* messagesOf(withHeaders(header(false)))).toEqual([
          [at, "must be specified again to make the header public"],
        ])
        const moved = changed(plain, `${place}.url`, "https://evil.example.com/")
        expect(yield* messagesOf(withHeaders(header(true), moved))).toEqual([
          [
            at,
            expect.stringMatching(
              /^must be specified again because the scheme, host, port or path of the URL/,
            ),
          ],
        ])
      }
    }),
  )

  test(
    "spec/data-sources §6: an SLO names one that exists, and keeps it from being deleted",
    Effect.gen(function* () {
      const slo = changed(changed(anSlo(), "spec.alertPolicies", []), "spec.indicator", {
        prometheus: { dataSource: { name: "mimir" }, good: "good", total: "total" },
      })
      yield* apply(aProject(), aService())
      const place = "spec.indicator.prometheus.dataSource.name"
      expect(yield* issuesOfApply(slo)).toEqual([[place, "not_found"]])
      yield* apply(slo, aDataSource())
      const refused = yield* Effect.flip(deleteDefinitions("acme", [aDataSource()], decodeOptions))
      expect("issues" in refused && refused.issues).toMatchObject([{ path: "metadata.name", code: "in_use" }])
      yield* deleteDefinitions("acme", [aDataSource(), slo], decodeOptions)
    }),
  )
})
