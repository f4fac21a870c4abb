import { readFileSync } from "node:fs"
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import { createServer as createHttpsServer, type ServerOptions } from "node:https"
import { text } from "node:stream/consumers"
import type { TLSSocket } from "node:tls"
import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import { readDocuments } from "@tocsin/formats/documents"
import { decodeDefinition } from "@tocsin/domain"
import type { DataSource } from "@tocsin/domain/adapter"
import type { PrometheusServer } from "@tocsin/domain/definitions"
import { anyAddress } from "@tocsin/domain/delivery"
import { MetricSource } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { makeCertificates } from "../../../../test/egress/certificates.ts"
import { listen } from "../../../../test/egress/receiver.ts"

const to = Date.UTC(2026, 0, 30, 12)

interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Common name of the client's certificate. */
  readonly client: string | undefined
  readonly connection: object
}

interface Answer {
  readonly status?: number
  readonly body?: object
}

const noSeries = { status: "success", data: { resultType: "matrix", result: [] } }

/** A server on loopback that keeps what it was asked; without an answer, it has no series. */
const openServer = (answer: (asked: Asked) => Answer = () => ({}), tls?: ServerOptions) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const requests: Array<Asked> = []
      const listener: RequestListener = (request, response) => {
        void (async () => {
          const socket = request.socket as TLSSocket
          const client = tls === undefined ? undefined : socket.getPeerCertificate().subject?.CN?.toString()
          const { url: path = "", headers } = request
          const asked = { path, headers, body: await text(request), client, connection: socket }
          requests.push(asked)
          const { status = 200, body = noSeries } = answer(asked)
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
        })()
      }
      const server = tls === undefined ? createHttpServer(listener) : createHttpsServer(tls, listener)
      const receiver = await listen(server)
      const url = `${tls === undefined ? "http" : "https"}://127.0.0.1:${receiver.port}`
      return { ...receiver, url, requests }
    }),
    (server) => Effect.promise(server.close),
  )

const source = MetricSourcePrometheus.layer({ allowCidrs: ["127.0.0.0/8"] })

const serverAt = (url: string, rest: Partial<PrometheusServer> = {}): PrometheusServer => ({
  url: sourceUrlOf(url),
  headers: [],
  ...rest,
})

/** Reads once; `none` or the reason of the failure. */
const read = (server: PrometheusServer, organization = "acme") =>
  Effect.flatMap(MetricSource, ({ readSeries }) =>
    readSeries({ organization, server, expression: "up", from: to, to }),
  ).pipe(
    Effect.as("none"),
    Effect.catch(({ reason }) => Effect.succeed(reason)),
  )

const guide = readFileSync(new URL("../../../../docs/guides/prometheus.md", import.meta.url), "utf8")

/** A data source of the guide, whose hosts are replaced by another origin. */
const guideSource = (name: string, origin: string): DataSource => {
  const block = [...guide.matchAll(/```yaml\n([^]*?)```/g)]
    .map(([, yaml = ""]) => yaml)
    .find((yaml) => yaml.includes(`kind: DataSource\nmetadata: { name: ${name},`))
  const local = block?.replaceAll(/https:\/\/[\w.:-]+/g, origin) ?? ""
  const documents = Result.getOrThrow(readDocuments(local, "application/yaml"))
  const options = { vendorPrefix: "tocsin", addressPolicy: anyAddress }
  const definition = Result.getOrThrow(decodeDefinition(documents[0], options))
  if (definition.kind !== "DataSource") throw new Error(`the guide has no data source ${name}`)
  return definition as DataSource
}

const oauth2With = (tokenUrl: string, rest: object = {}): PrometheusServer["oauth2"] & object => ({
  tokenUrl: sourceUrlOf(tokenUrl),
  clientId: "to:csin",
  clientSecret: Redacted.make("s3cret +"),
  scopes: ["metrics:read", "tenant:shop"],
  ...rest,
})

const test = <E>(what: string, effect: Effect.Effect<void, E, MetricSource | Scope.Scope>) =>
  it.live(what, () => Effect.provide(Effect.scoped(effect), Layer.fresh(source)))

describe("a data source", () => {
  test(
    "spec/data-sources §6: gets a bearer token, Basic credentials, the tenant and headers",
    Effect.gen(function* () {
      const server = yield* openServer()
      const { url } = server
      const headers = [{ name: "X-Key", value: Redacted.make("k"), isSecret: true }]
      yield* read(serverAt(url, { bearer: { token: Redacted.make("t0ken") }, tenant: "shop", headers }))
      yield* read(serverAt(url, { basic: { username: "tocsin", password: Redacted.make("pä:ss") } }))
      yield* read(serverAt(`${url}/prometheus/`))
      const [bearer, basic, plain] = server.requests
      expect(bearer?.headers).toMatchObject({
        authorization: "Bearer t0ken",
        "x-scope-orgid": "shop",
        "x-key": "k",
      })
      expect(basic?.headers["authorization"]).toBe(`Basic ${Buffer.from("tocsin:pä:ss").toString("base64")}`)
      expect(basic?.headers).not.toHaveProperty("x-scope-orgid")
      expect(plain?.path).toBe("/prometheus/api/v1/query_range")
      expect(plain?.headers).not.toHaveProperty("authorization")
    }),
  )

  test(
    "spec/data-sources §6: is asked as Mimir, Thanos and VictoriaMetrics require, by the definitions of the guide",
    Effect.gen(function* () {
      const server = yield* openServer(({ path }) =>
        path === "/oauth2/token" ? { body: { access_token: "t0ken", token_type: "Bearer" } } : {},
      )
      for (const [name, path, headers] of [
        ["prometheus", "", { authorization: `Basic ${btoa("tocsin:7c21e4")}` }],
        ["mimir", "/prometheus", { authorization: "Bearer t0ken", "x-scope-orgid": "shop" }],
        ["thanos", "", { authorization: "Bearer c1f9e27b", "thanos-tenant": "shop" }],
        [
          "victoriametrics",
          "/select/0/prometheus",
          { authorization: "Bearer 81d5a0c4", "x-team": "payments" },
        ],
      ] as const) {
        const { prometheus } = guideSource(name, server.url).spec
        expect(yield* read(prometheus)).toBe("none")
        const asked = server.requests.at(-1)
        expect(asked?.path).toBe(`${path}/api/v1/query_range`)
        expect(asked?.headers).toMatchObject({
          ...headers,
          "content-type": "application/x-www-form-urlencoded",
        })
        expect(new URLSearchParams(asked?.body).get("query")).toBe("last_over_time(up[1m])")
      }
    }),
  )

  test(
    "spec/data-sources §3: hides in the texts of errors what was sent to it",
    Effect.gen(function* () {
      const server = yield* openServer(({ path, headers }) => {
        if (path === "/token") return { body: { access_token: "access-token-1", token_type: "Bearer" } }
        const error = `rejected ${JSON.stringify(headers)} ${"p4ssword".repeat(2)} ${"s3cret +"}`
        return { status: 400, body: { status: "error", errorType: "bad_data", error } }
      })
      const { url } = server
      const detail = (rest: Partial<PrometheusServer>) =>
        Effect.flatMap(MetricSource, ({ readSeries }) =>
          Effect.flip(
            readSeries({ organization: "acme", server: serverAt(url, rest), expression: "up", from: to, to }),
          ),
        ).pipe(Effect.map(({ detail }) => detail))
      const key = { name: "X-Key", value: Redacted.make("header-value"), isSecret: true }
      const bearer = yield* detail({ bearer: { token: Redacted.make("bearer-token") }, headers: [key] })
      const basic = yield* detail({ basic: { username: "tocsin", password: Redacted.make("p4ssword") } })
      const oauth = yield* detail({ oauth2: oauth2With(`${url}/token`) })
      const encoded = Buffer.from("tocsin:p4ssword").toString("base64")
      const secrets = [
        "bearer-token",
        "header-value",
        "p4ssw",
        encoded.slice(0, 10),
        "access-token",
        "s3cret",
      ]
      for (const text of [bearer, basic, oauth]) {
        expect(text).toMatch(/^the server rejected the expression: rejected .*\[hidden\]/)
      }
      expect(secrets.filter((secret) => bearer.includes(secret))).toEqual(["p4ssw", "s3cret"])
      expect(secrets.filter((secret) => basic.includes(secret))).toEqual(["s3cret"])
      expect(secrets.filter((secret) => oauth.includes(secret))).toEqual(["p4ssw"])
    }),
  )

  test(
    "spec/data-sources §6: is reached with its own certificate authority and a client certificate",
    Effect.gen(function* () {
      const [own, other] = yield* Effect.promise(() =>
        Promise.all([makeCertificates({ commonName: "server" }), makeCertificates({ commonName: "client" })]),
      )
      const server = yield* openServer(undefined, {
        cert: own.cert,
        key: own.key,
        ca: other.ca,
        requestCert: true,
        rejectUnauthorized: true,
      })
      const client = { certificate: other.cert, key: Redacted.make(other.key) }
      expect(yield* read(serverAt(server.url, { tls: { ca: own.ca, ...client } }))).toBe("none")
      expect(server.requests[0]?.client).toBe("client")
      // A connection of one client is never used by another.
      expect(yield* read(serverAt(server.url, { tls: { ca: own.ca } }))).toBe("tls_invalid")
      expect(yield* read(serverAt(server.url, { tls: client }))).toBe("tls_invalid")
      const stranger = { certificate: own.cert, key: Redacted.make(own.key) }
      expect(yield* read(serverAt(server.url, { tls: { ca: own.ca, ...stranger } }))).toBe("tls_invalid")
      expect(yield* read(serverAt(server.url))).toBe("tls_invalid")
      const mismatched = { certificate: other.cert, key: Redacted.make(own.key) }
      expect(yield* read(serverAt(server.url, { tls: { ca: own.ca, ...mismatched } }))).toBe("tls_invalid")
      expect(server.requests).toHaveLength(1)
      expect(yield* read(serverAt(server.url, { tls: { ca: own.ca, ...client } }))).toBe("none")
      expect(server.requests[1]?.connection).toBe(server.requests[0]?.connection)
    }),
  )

  test(
    "spec/data-sources §8: fetches an access token once, for each organization and client",
    Effect.gen(function* () {
      const server = yield* openServer()
      const tokens = yield* openServer(() => ({
        body: { access_token: "t0ken", token_type: "Bearer", expires_in: 3_600 },
      }))
      const own = serverAt(server.url, { oauth2: oauth2With(`${tokens.url}/token`, { audience: "mimir" }) })
      expect(yield* Effect.all([read(own), read(own), read(own)], { concurrency: 3 })).toEqual([
        "none",
        "none",
        "none",
      ])
      expect(tokens.requests).toHaveLength(1)
      const [asked] = tokens.requests
      expect(asked?.path).toBe("/token")
      expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
        grant_type: "client_credentials",
        scope: "metrics:read tenant:shop",
        audience: "mimir",
      })
      // RFC 6749, section 2.3.1.
      const credentials = Buffer.from("to%3Acsin:s3cret+%2B").toString("base64")
      expect(asked?.headers["authorization"]).toBe(`Basic ${credentials}`)
      expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual(
        Array.from({ length: 3 }, () => "Bearer t0ken"),
      )
      yield* read(own, "globex")
      yield* read({ ...own, oauth2: oauth2With(`${tokens.url}/token`, { clientId: "other" }) })
      expect(tokens.requests).toHaveLength(3)
    }),
  )

  test(
    "spec/data-sources §8: fetches another access token once it has expired or was rejected",
    Effect.gen(function* () {
      let issued = 0
      let lifetime = 0
      const tokens = yield* openServer(() => ({
        body: { access_token: `t${++issued}`, token_type: "bearer", expires_in: lifetime },
      }))
      let accepted = "none"
      const server = yield* openServer(({ headers }) =>
        headers["authorization"] === `Bearer ${accepted}` ? {} : { status: 401, body: {} },
      )
      const own = serverAt(server.url, { oauth2: oauth2With(tokens.url) })
      accepted = "t1"
      expect(yield* read(own)).toBe("none")
      lifetime = 3_600
      accepted = "t2"
      expect(yield* read(own)).toBe("none")
      expect([issued, server.requests.length]).toEqual([2, 2])
      // The server revokes t2.
      accepted = "t3"
      expect(yield* read(own)).toBe("none")
      expect([issued, server.requests.length]).toEqual([3, 4])
      // No token is good enough: one retry, no more.
      accepted = "none"
      expect(yield* read(own)).toBe("credentials_rejected")
      expect([issued, server.requests.length]).toEqual([4, 6])
    }),
  )

  test(
    "spec/data-sources §8: reports a token endpoint that returns no token, and does not ask it again at once",
    Effect.gen(function* () {
      const server = yield* openServer()
      const answers: ReadonlyArray<Answer> = [
        { status: 401, body: { error: "invalid_client", error_description: "s3cret" } },
        { body: { access_token: "t", token_type: "mac" } },
        { body: { access_token: "a\nb", token_type: "bearer" } },
        { body: {} },
        { status: 302, body: {} },
      ]
      for (const answer of answers) {
        const tokens = yield* openServer(() => answer)
        const own = serverAt(server.url, { oauth2: oauth2With(tokens.url) })
        expect(yield* read(own)).toBe("token_unavailable")
        expect(yield* read(own)).toBe("token_unavailable")
        expect(tokens.requests).toHaveLength(1)
        yield* read({ ...own, oauth2: oauth2With(tokens.url, { clientSecret: Redacted.make("new") }) })
        expect(tokens.requests).toHaveLength(2)
      }
      expect(server.requests).toEqual([])
    }),
  )

  test(
    "spec/data-sources §3: asks no token endpoint at a forbidden address",
    Effect.gen(function* () {
      const server = yield* openServer()
      const own = serverAt(server.url, { oauth2: oauth2With("http://169.254.169.254/token") })
      expect(yield* read(own)).toBe("address_blocked")
      expect(server.requests).toEqual([])
    }),
  )
})
