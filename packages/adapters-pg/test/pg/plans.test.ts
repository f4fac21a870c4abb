import {
  type Definition,
  definitionKey,
  definitionToStored,
  indexedReferences,
  packSloHour,
  packSums,
  packTotals,
  totalOfPeriods,
  storedAlert,
} from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import { CountStore, CredentialStore, DefinitionStore, RateLimiter, SloStore } from "@tocsin/domain/ports"
import * as Result from "effect/Result"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import { make as makeCredentialStore } from "../../src/access/CredentialStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as RateLimiterPg from "../../src/access/RateLimiterPg.ts"
import * as SigningKeyStorePg from "../../src/access/SigningKeyStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { convertCounts } from "../../src/slo/CountConversion.ts"
import { convertStep } from "../../src/slo/ConvertCounts.ts"

import { alertOf, anSlo } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { statementsOf } from "../../../../test/pg/Statements.ts"
import { runScript } from "../../../../test/pg/RunScript.ts"
import { onOneServer } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"
import { renamed } from "./CountForms.ts"

const stores = Layer.mergeAll(
  SloStorePg.layer,
  CountStorePg.layer,
  DefinitionStorePg.layer,
  RateLimiterPg.layer,
  SigningKeyStorePg.layer,
  Layer.effect(CredentialStore, makeCredentialStore(0)),
).pipe(Layer.provideMerge(layer))

const day = 86_400_000
const key = { project: "p-50", name: "o-50123" }
const timeSlices = anSlo(
  { project: "p-1", name: "o-1" },
  { budgetingMethod: "Timeslices", objectives: [{ name: "good", target: 0.9, timeSliceTarget: 0.9 }] },
)

const silence: Definition = {
  kind: "AlertSilence",
  metadata: { project: key.project, name: "night" },
  spec: {
    sloLabels: { text: "team:t-50,team:t-150", filter: { team: ["t-50", "t-150"] } },
    period: { duration: durationOf("1h") },
  },
}

const countsOfMany = "counts of many SLOs over many ranges"

describe("on tables of 100,000 rows and more", () => {
  it.effect(
    "no query of a list, a look-up or a change reads a whole table",
    () =>
      Effect.gen(function* () {
        yield* fill
        const definitions = yield* DefinitionStore
        const slos = yield* SloStore
        const counts = yield* CountStore
        const credentials = yield* CredentialStore
        const page = { limit: 500 }
        const after = { ...page, after: key }
        const references = [{ kind: "Service", project: key.project, name: "web" } as const]
        const organization = "acme"
        const operations: Record<string, Effect.Effect<unknown, unknown, RateLimiter>> = {
          "definitions of a kind": definitions.list(organization, { kind: "SLO" }, page),
          "definitions behind a cursor": definitions.list(organization, { kind: "SLO" }, after),
          "definitions of a project": definitions.list(organization, { kind: "SLO", project: "p-7" }, after),
          "definitions by name": definitions.list(organization, { kind: "SLO", names: ["o-5", "o-6"] }, page),
          "definitions by label": definitions.list(
            organization,
            { kind: "SLO", labels: { team: ["t-77"] } },
            page,
          ),
          "a definition": definitions.find(organization, "SLO", key),
          "definitions of many keys": definitions.findAll(organization, "SLO", [
            key,
            { project: "p-1", name: "x" },
          ]),
          "a change": definitions.change(
            organization,
            [{ kind: "SLO", ...key }, ...references],
            ({ referrers }) =>
              Result.succeed({
                put: [{ definition: anSlo(key), references }],
                remove: [],
                n: referrers(references[0] ?? { kind: "SLO", ...key }).length,
              }),
          ),
          "a removal": definitions.change(organization, [{ kind: "SLO", ...key }], () =>
            Result.succeed({ put: [], remove: [{ kind: "SLO" as const, ...key, name: "o-50124" }] }),
          ),
          "a silence by labels": definitions.change(organization, [definitionKey(silence)], () =>
            Result.succeed({
              put: [{ definition: silence, references: indexedReferences(silence) }],
              remove: [],
            }),
          ),
          "a silence by labels that is removed": definitions.change(
            organization,
            [definitionKey(silence)],
            () => Result.succeed({ put: [], remove: [definitionKey(silence)] }),
          ),
          SLOs: slos.page(organization, page),
          "SLOs behind a cursor": slos.page(organization, after),
          "SLOs with a part of their names": slos.page(organization, page, { text: "checkout" }),
          "SLOs of a project": slos.page(organization, page, { project: "p-7", service: "web" }),
          "an SLO": slos.find(organization, key),
          "SLOs that are due": slos.dueForStatus(1_000, 100, 10_000),
          "an SLO with what its status is computed from": slos.findForStatus(organization, key),
          "many SLOs with what their statuses are computed from": slos.findAllForStatus(
            organization,
            Array.from({ length: 50 }, (_, n) => ({ project: `p-${(n + 1) % 100}`, name: `o-${n + 1}` })),
          ),
          "SLOs with held alerts": slos.held(organization, 100),
          "SLOs with held alerts of a project": slos.held(organization, 100, { project: "p-7" }),
          "SLOs with held alerts by name": slos.held(organization, 100, { name: "o-7" }),
          "a status": slos.writeStatuses([
            { organization, slo: key, revision: "1.0", statuses: new Map(), dueAt: 1 },
          ]),
          "counts recorded": counts.record(organization, [
            { slo: key, counts: [{ objective: "good", at: 0, good: 1, total: 1 }] },
            {
              slo: { project: "p-1", name: "o-1" },
              counts: [{ objective: "good", at: day, good: 1, total: 1 }],
            },
          ]),
          "counts of a month and of a year": counts.sums([
            { organization, slo: key, ranges: [{ from: 60_000, to: 31 * day + 120_000 }] },
            { organization, slo: { project: "p-1", name: "o-1" }, ranges: [{ from: 0, to: 366 * day }] },
          ]),
          [countsOfMany]: counts.sums(
            Array.from({ length: 140 }, (_, index) => ({
              organization,
              slo: { project: `p-${(index + 1) % 100}`, name: `o-${index + 1}` },
              ranges: [1, 2, 3, 4].map((n) => ({ from: n * 60_000, to: 28 * day + n * 60_000 })),
            })),
          ),
          "time slices of another length": definitions.change(
            organization,
            [{ kind: "SLO", project: "p-1", name: "o-1" }],
            () => Result.succeed({ put: [{ definition: timeSlices, references: [] }], remove: [] }),
          ),
          credentials: credentials.list(organization),
          "a credential": credentials.find(organization, "c-5"),
          "credentials with a client ID": credentials.readAnywhere("c-5"),
          "a limit": Effect.flatMap(RateLimiter, (limiter) =>
            limiter.take(organization, { name: "p", limit: 10, windowMs: 1_000 }, "s-5"),
          ),
        }
        const expectIndexes = Effect.fnUntraced(function* (
          what: string,
          operation: Effect.Effect<unknown, unknown, RateLimiter>,
        ) {
          const statements = yield* statementsOf(operation)
          expect(statements.length, what).toBeGreaterThan(0)
          for (const { text, plan } of statements) {
            expect(plan, `${what}: ${text}\n${plan}`).not.toMatch(/Seq Scan/)
            if (what.includes("held alerts")) expect(plan, what).toContain("using slos_held")
            if (what !== countsOfMany || text.includes("to_regclass")) continue
            // Not all that an SLO ever counted for each range.
            const looks = [...plan.matchAll(/ on (?:count|slo)_(?:hours|days)_\d+ .*\n +Index Cond: (.*)/g)]
            expect(looks.length).toBeGreaterThan(2)
            for (const [, condition] of looks) expect(condition, plan).toMatch(/\bat [<>=]/)
          }
        })
        for (const [what, operation] of Object.entries(operations)) yield* expectIndexes(what, operation)
        yield* renamed
        for (const what of ["counts recorded", "counts of a month and of a year", countsOfMany, "a removal"])
          yield* expectIndexes(what, operations[what] ?? Effect.die(what))
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          UPDATE objective_hours SET minute_good = array_fill(1::float8, '{60}'), minute_total = array_fill(1::float8, '{60}')
          WHERE organization = ${organization} AND project = 'p-7' AND slo = 'o-7'`
        // Copies hours, and then deletes the rows that were copied.
        for (let step = 0; step < 6; step++)
          yield* expectIndexes(
            "a step of the conversion",
            convertStep(sql, organization, { project: "p-7", name: "o-7" }),
          )
        yield* sql`INSERT INTO count_conversion VALUES (1, 'other', now_ms() + 60000)`
        yield* expectIndexes(
          "SLOs to convert",
          convertCounts(sql, "this", () => 0),
        )
      }).pipe(Effect.provide(stores)),
    onOneServer,
  )

  it.effect(
    "a page of SLOs looks up the projects and services that it shows, and reads no others",
    () =>
      Effect.gen(function* () {
        yield* runScript(`
        INSERT INTO definitions (organization, kind, project, name, definition, labels, version, created_at, updated_at)
        SELECT 'acme', kind, project, name, '{}', '{}', 1, 0, 0 FROM generate_series(0, 9999) AS n,
          LATERAL (VALUES ('Project', '', 'p-' || n), ('Service', 'p-' || n, 'web')) AS given (kind, project, name);
        INSERT INTO slos (organization, project, name, service, version)
        SELECT 'acme', 'p-' || n % 10000, 'o-' || n, 'web', 1 FROM generate_series(1, 100000) AS n;
        ANALYZE`)
        const slos = yield* SloStore
        for (const page of [{ limit: 500 }, { limit: 500, after: key }]) {
          const [statement] = yield* statementsOf(slos.page("acme", page))
          const conditions = statement?.plan.match(/(?<= on definitions\b.*\n *)Index Cond: .*/g) ?? []
          expect(conditions, statement?.plan).toHaveLength(2)
          for (const condition of conditions)
            expect(condition).toMatch(/\(project = .*\(name = |\(name = .*\(project = /)
        }
        const [versions] = yield* statementsOf(slos.projectVersions("acme"))
        const looks = versions?.plan.match(/(?<= on definitions\b.*\n *)Index Cond: .*/g) ?? []
        expect(looks, versions?.plan).toHaveLength(2)
        for (const condition of looks) expect(condition).toMatch(/\((project|name) = s(los)?\./)
      }).pipe(Effect.provide(stores)),
    onOneServer,
  )
})

const literal = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`

const oneMinute = Array.from({ length: 60 }, (_, minute) => (minute === 0 ? 1 : Number.NaN))
const packedHour = packSloHour(new Map([["good", { good: oneMinute, total: oneMinute }]]))
const sums = (periods: number) => {
  const each = { good: 24, total: 24, minutes: 24, goodShares: 24, goodMinutes: 24 }
  return new Map([["good", Array.from({ length: periods }, () => each)]])
}

/** 100,000 SLOs of one organization over 100 projects, and as many rows in every other table that grows. */
const fill = Effect.gen(function* () {
  const script = `
    INSERT INTO organizations VALUES ('acme', 1);
    INSERT INTO organizations SELECT 'acme-' || n, 1 FROM generate_series(1, 100000) AS n;
    INSERT INTO definitions (organization, kind, project, name, definition, labels, version, created_at, updated_at)
    SELECT 'acme', 'SLO', 'p-' || n % 100, 'o-' || n, '${definitionToStored(anSlo(key)).json}',
      ARRAY['["team"]', '["team","t-' || n % 1000 || '"]'], 1, 0, 0
    FROM generate_series(1, 100000) AS n;
    INSERT INTO definition_references
    SELECT 'acme', 'SLO', 'p-' || n % 100, 'o-' || n, 'Service', 'p-' || n % 100, 'web' FROM generate_series(1, 100000) AS n;
    INSERT INTO slos (organization, project, name, service, version, due_at)
    SELECT 'acme', project, name, 'web', 1, (random() * 1000000)::bigint FROM definitions;
    ${[0, 1]
      .flatMap((n) =>
        ["count_hours", "count_days", "slo_hours", "slo_days"].map((table) => [table, n * 28 * day] as const),
      )
      .map(
        ([table, start]) =>
          `CREATE TABLE ${table}_${start} PARTITION OF ${table} FOR VALUES FROM (${start}) TO (${start + 28 * day});\n`,
      )
      .join("")}
    INSERT INTO count_hours SELECT 'acme', 'p-' || n % 100, 'o-' || n, h * 3600000::bigint, 'good',
      '{1}', '{1}', 1, 1, 1, 1, 1
    FROM generate_series(1, 140) AS n, generate_series(0, 743) AS h;
    INSERT INTO count_days SELECT 'acme', 'p-' || n % 100, 'o-' || n, d * 86400000::bigint, 'good', 24, 24, 24, 24, 24
    FROM generate_series(1, 3300) AS n, generate_series(0, 30) AS d;
    INSERT INTO slo_hours SELECT 'acme', 'p-' || n % 100, 'o-' || n, h * 3600000::bigint, '${literal(packedHour)}'
    FROM generate_series(1, 140) AS n, generate_series(0, 743) AS h;
    INSERT INTO slo_days SELECT 'acme', 'p-' || n % 100, 'o-' || n, d * 86400000::bigint,
      '${literal(packTotals(totalOfPeriods(sums(1))))}', '${literal(packSums(24, sums(24)))}'
    FROM generate_series(1, 3300) AS n, generate_series(0, 30) AS d;
    UPDATE slos SET count_rows = 'objective' WHERE right(name, 1) = '7' OR name = 'o-1';
    INSERT INTO indicator_polls (organization, project, slo, indicator, server, due_at)
    SELECT organization, project, name, '{}', 's-' || length(name), 1000000 FROM slos;
    INSERT INTO indicator_servers SELECT 'acme-' || n % 1000, 's-' || n FROM generate_series(1, 100000) AS n;
    INSERT INTO alerts (organization, id, subject, project, slo, status, triggered_at, position, alert)
    SELECT 'acme', 'a-' || n, '', 'p-' || n % 100, 'o-' || n, 'triggered', 0, n,
      replace(replace('${storedAlert.write(alertOf("alert")).json}', 'checkout', 'o-' || n), '"shop"', '"p-' || n % 100 || '"')
    FROM generate_series(1, 100000) AS n;
    INSERT INTO credentials SELECT 'acme-' || n % 1000, 'c-' || n, 'viewer', '', false, 0 FROM generate_series(1, 100000) AS n;
    INSERT INTO rate_limit_windows SELECT 'acme', 'p', 's-' || n, '{0}', true, 0, 0 FROM generate_series(1, 100000) AS n;
    ANALYZE`
  // One by one, as each is given the time of one statement.
  yield* runScript(script)
}).pipe(Effect.orDie)
