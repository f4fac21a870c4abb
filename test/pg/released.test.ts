import { PgDatabase, PgStores } from "@tocsin/adapters-pg"
import { makeSecretBox } from "@tocsin/adapters-http/server"
import { kinds } from "@tocsin/domain/definitions"
import type { Kind } from "@tocsin/domain/kernel"
import {
  AlertStore,
  AnnotationStore,
  CountStore,
  CredentialStore,
  DefinitionStore,
  DeliveryLog,
  SecretBox,
  SigningKeyStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { urlOf } from "../crash/CrashDatabase.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { startTocsin, tocsin } from "../server/child-process.ts"
import { credential, masterKey, withServer } from "./ServedStore.ts"
import { newDatabase } from "./TestDatabase.ts"

/**
 * What released versions wrote must be readable for ever: `released` has an export of each, and what was read from its database then.
 * With `RELEASED=write`, this test writes both for the present version, before it is released.
 */
const released = join(import.meta.dirname, "released")

const { organization } = credential
const slo = { project: "default", name: "checkout" }
const hourMs = 3_600_000
const environmentOf = (connection: PgDatabase.PgConnection) => ({
  DATABASE_URL: urlOf(connection),
  TOCSIN_MASTER_KEY: Buffer.from(Redacted.value(masterKey)).toString("base64"),
})

/** All that stores return, with secrets in the clear. */
const read = (connection: PgDatabase.PgConnection, countsFrom: number) =>
  Effect.gen(function* () {
    const page = { limit: 100 }
    const definitions = yield* DefinitionStore
    const counts = yield* CountStore
    const alerts = yield* AlertStore
    const deliveries = yield* DeliveryLog
    const range = { from: countsFrom, to: countsFrom + 12 * hourMs }
    const tracks = new Set(["good", "better"])
    const everything = {
      definitions: yield* Effect.forEach(Object.keys(kinds) as ReadonlyArray<Kind>, (kind) =>
        definitions.list(organization, { kind }, page),
      ),
      sums: (yield* counts.sums([{ organization, slo, ranges: [range] }]))[0]?.sums,
      hours: (yield* counts.hours([{ organization, slo, range, tracks }]))
        .flat()
        .toSorted((a, b) => a.at - b.at || a.track.localeCompare(b.track)),
      alerts: yield* alerts.list(organization, {}, page),
      deliveries: yield* deliveries.list(organization, {}, page),
      annotations: yield* (yield* AnnotationStore).list(organization, slo, range, 100),
      credentials: yield* (yield* CredentialStore).list(organization),
      keys: yield* (yield* SigningKeyStore).list(""),
    }
    return JSON.parse(JSON.stringify(everything, inTheClear)) as object
  }).pipe(
    Effect.provide(
      PgStores.storesLayer.pipe(
        Layer.provide(Layer.succeed(SecretBox, makeSecretBox({ current: masterKey, previous: [] }))),
        Layer.provideMerge(PgDatabase.layer({ connection })),
      ),
    ),
    Effect.scoped,
    Effect.runPromise,
  )

function inTheClear(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key]
  if (Redacted.isRedacted(original))
    return inTheClear.call({ key: Redacted.value(original) }, "key", Redacted.value(original))
  return original instanceof Uint8Array ? Buffer.from(original).toString("hex") : value
}

/** Uses the API of a server as people do, and returns from when on there are counts. */
const fill = (connection: PgDatabase.PgConnection) =>
  withServer(
    { kind: "postgres", url: Redacted.make(urlOf(connection)), masterKey },
    async ({ call, sent }) => {
      const send = (method: "POST" | "PUT", path: string, body: unknown) =>
        call(method, path, JSON.stringify(body))
      await call("PUT", "/api/apply", definitions)
      const lastHour = Math.floor(Date.now() / hourMs) * hourMs
      const countsFrom = lastHour - 11 * hourMs
      for (const [objective, bad] of [
        ["good", 3],
        ["better", 0.25],
      ] as const)
        await send(
          "POST",
          "/api/slos/checkout/counts",
          Array.from({ length: 11 * 6 }, (_, index) => ({
            objective,
            at: new Date(countsFrom + index * 600_000).toISOString(),
            good: 2 ** 52 + index - bad,
            total: 2 ** 52 + index,
          })),
        )
      await send("PUT", "/api/slos/checkout/annotations/deploy-1", {
        kind: "deployment",
        title: "checkout 1.2",
        from: new Date(countsFrom).toISOString(),
      })
      for (const alertId of ["a-1", "a-2"])
        await send("POST", "/api/alerts", {
          status: "triggered",
          alertId,
          slo,
          severity: "High",
          alertMethods: [{ name: "pager", project: "default" }],
        })
      await send("POST", "/api/alerts", { status: "resolved", alertId: "a-2", slo })
      await vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(2), 60_000)
      return countsFrom
    },
    ["127.0.0.0/8"],
  )

const definitions = withSlo(
  methodYaml(
    "pager",
    "https://127.0.0.1/hook",
    "templateFields: [slo_name]",
    "headers:",
    "  - { name: X-Key, value: s3cr3t, isSecret: true }",
  ),
  `
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: fast, project: default }
spec:
  severity: High
  conditions: [{ measurement: averageBurnRate, value: 14.4, op: gte, alertingWindow: 1h }]
  alertMethods: [{ metadata: { name: pager, project: default } }]
`,
).replace(
  "objectives: [{ name: good, displayName: Good, target: 0.99 }]",
  "objectives: [{ name: good, displayName: Good, target: 0.99 }, { name: better, displayName: Better, target: 0.999 }]\n  alertPolicies: [fast]",
)

const write = async () => {
  const connection = await newDatabase("empty")
  const countsFrom = await fill(connection)
  const file = join(released, `${manifest.version}.ndjson.gz`)
  rmSync(file, { force: true })
  const { code, stderr } = await tocsin(["database", "export", file], environmentOf(connection))
  if (code !== 0) throw new Error(stderr)
  const contents = JSON.stringify({ countsFrom, ...(await read(connection, countsFrom)) })
  writeFileSync(join(released, `${manifest.version}.json`), `${contents}\n`)
}

if (process.env["RELEASED"] === "write") await write()

const versions = readdirSync(released).flatMap((name) => /^(.+)\.ndjson\.gz$/.exec(name)?.[1] ?? [])

describe("the data of a released version", () => {
  it("is stored for each version", () => {
    expect(versions).not.toEqual([])
  })

  it.each(versions)(
    "%s: is upgraded to the present version without any change, and served",
    async (version) => {
      const { countsFrom, ...contents } = JSON.parse(
        readFileSync(join(released, `${version}.json`), "utf8"),
      ) as { readonly countsFrom: number; readonly definitions: ReadonlyArray<unknown> }
      const connection = await newDatabase("empty")
      const imported = await tocsin(
        ["database", "import", join(released, `${version}.ndjson.gz`)],
        environmentOf(connection),
      )
      expect(imported).toMatchObject({ code: 0 })
      // The schema is newer than the export by then.
      const again = await tocsin(
        ["database", "import", join(released, `${version}.ndjson.gz`)],
        environmentOf(connection),
      )
      expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("already imported completely") })
      // Later versions may return more, and their kinds are after those of earlier ones.
      const { definitions, ...others } = (await read(connection, countsFrom)) as {
        readonly definitions: ReadonlyArray<unknown>
      }
      const known = definitions.slice(0, contents.definitions.length)
      expect({ definitions: known, ...others }).toMatchObject(contents)
      const server = startTocsin(["serve"], { ...environmentOf(connection), PORT: "0" })
      const [, url = ""] = await server.until(/(http:\/\/[\d.]+:\d+)/)
      const environment = {
        TOCSIN_URL: url,
        TOCSIN_ORGANIZATION: organization,
        TOCSIN_CLIENT_ID: credential.clientId,
        TOCSIN_CLIENT_SECRET: Redacted.value(credential.clientSecret),
      }
      expect((await tocsin(["get", "slos", "-p", "default"], environment)).stdout).toContain("checkout")
      server.kill("SIGTERM")
      await server.ended
    },
  )
})
