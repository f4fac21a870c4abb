import { definitionToStored, storedIndicator } from "@tocsin/domain/adapter"
import { type DefinitionStore, IndicatorStore, BackfillStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describeWith, expect, testClock } from "@tocsin/testing/vitest"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as IndicatorStorePg from "../../src/slo/IndicatorStorePg.ts"
import { makeCountPartitions } from "../../src/slo/CountRecording.ts"
import * as BackfillStorePg from "../../src/slo/BackfillStorePg.ts"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { statementsOf } from "../../../../test/pg/Statements.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(IndicatorStorePg.layer, DefinitionStorePg.layer, BackfillStorePg.layer).pipe(
  Layer.provideMerge(layer),
)

const organization = "acme"
const key = { project: "p-50", name: "o-50150" }
const indicator = {
  prometheus: { url: sourceUrlOf("http://s-50.example.com"), good: "good", total: "total" },
}

/** Each test has half of the servers: none sees the claims of another. */
const serversFrom = (first: number): ReadonlyArray<string> =>
  Array.from({ length: 50 }, (_, index) => `http://s-${first + index}.example.com`)

const requestOf = (inFlight: ReadonlyArray<string>) => ({
  now: 1_000,
  leaseMs: 60_000,
  inFlight: new Map([[organization, new Set(inFlight)]]),
  batchesMax: 32,
  batchesPerOrganizationMax: 32,
  pollsPerBatchMax: 25,
})

/** Filled once for all tests. */
const filled = Layer.provideMerge(Layer.effectDiscard(Effect.suspend(() => fill)), stores)

describeWith(filled)("on 100,000 indicators of 100 servers", (it) => {
  it.effect(
    "spec/data-sources §2, spec/data-sources §10: no query of theirs, nor of their backfills, reads a whole table",
    () =>
      Effect.gen(function* () {
        const store = yield* IndicatorStore
        const claimed = { indicator, readTo: 0 }
        const backfills = yield* BackfillStore
        const [backfill] = yield* backfills.claim({
          now: 100,
          leaseMs: 1,
          inFlight: new Set(),
          organizationsMax: 4,
          backfillsPerOrganizationMax: 1,
        })
        if (backfill === undefined) return expect(backfill).toBeDefined()
        yield* makeCountPartitions(yield* SqlClient.SqlClient, organization, { slos: [key], times: [0] })
        const { range: _range, startedAt: _startedAt, ...step } = backfill.backfill
        const read = { readTo: 60_000, firstAt: 0 }
        const counts = [{ objective: "good", at: 0, good: 1, total: 1 }]
        const operations: Record<string, Effect.Effect<unknown, unknown, DefinitionStore>> = {
          "a claim": store.claim(requestOf(serversFrom(0))),
          "a state": store.find(organization, key),
          "data sources": store.readings(organization, [key, { project: "shop", name: "mimir" }]),
          "a poll settled": store.settle(organization, key, claimed, { readTo: 1, failures: 0, dueAt: 1 }),
          "an SLO with an indicator": putDefinitions(organization, [anSlo(key, { indicator })]),
          "an SLO without one": putDefinitions(organization, [anSlo(key)]),
          "a claim of backfills": backfills.claim({
            now: 100,
            leaseMs: 1,
            inFlight: new Set(["other"]),
            organizationsMax: 4,
            backfillsPerOrganizationMax: 100,
          }),
          "backfills released": backfills.release(organization, [backfill], 100),
          "a backfill": backfills.find(organization, key),
          "the backfills": backfills.list(organization, {
            limit: 10,
            after: { project: "p-5", name: "o-5" },
          }),
          "a start": backfills.start(
            organization,
            { project: "p-51", name: "o-51" },
            { from: 0, to: 60_000 },
            1,
          ),
          "a step": backfills.settle(backfill, { ...step, ...read, counts, dueAt: 100 }),
          "the last step": backfills.complete(
            { ...backfill, backfill: { ...backfill.backfill, ...read } },
            ["good"],
            100,
          ),
          "a cancel": backfills.cancel(organization, backfill.slo.definition.metadata, 1),
          "a resume": backfills.resume(organization, backfill.slo.definition.metadata, 1),
        }
        const settled = Array.from({ length: 20 }, (_, index) =>
          store.settle(organization, { project: `p-${index}`, name: `o-${index}` }, claimed, {
            readTo: 1,
            failures: 0,
            dueAt: 1,
          }),
        )
        const together = yield* statementsOf(Effect.all(settled, { concurrency: "unbounded" }))
        expect(together.filter(({ text }) => text.includes("UPDATE indicator_polls p SET"))).toHaveLength(1)
        for (const [what, operation] of Object.entries(operations)) {
          const statements = yield* statementsOf(operation)
          expect(statements.length, what).toBeGreaterThan(0)
          for (const { text, plan } of statements) {
            expect(plan, `${what}: ${text}\n${plan}`).not.toMatch(
              /Seq Scan on (?:indicator_polls|indicator_replays|indicator_replay_hours|definitions|slos)\b/,
            )
          }
        }
      }).pipe(Effect.provide(testClock)),
  )

  it.effect(
    "spec/data-sources §2: callers that claim at once are handed each poll once, of every server alike",
    () =>
      Effect.gen(function* () {
        const store = yield* IndicatorStore
        const request = requestOf([...serversFrom(50), "http://s-7.example.com"])
        const claims = yield* Effect.all(
          Array.from({ length: 6 }, () =>
            store.claim({ ...request, batchesMax: 100, batchesPerOrganizationMax: 100 }),
          ),
          { concurrency: "unbounded" },
        )
        const polls = claims
          .flat()
          .flatMap((batch) =>
            batch.polls.map(({ slo }) => [batch.server, slo.definition.metadata.name] as const),
          )
        expect(new Set(polls.map(([, name]) => name)).size).toBe(polls.length)
        // A process that finds due rows locked by another skips them.
        expect(polls.length).toBeGreaterThan(49 * request.pollsPerBatchMax)
        expect(new Set(polls.map(([server]) => server)).size).toBe(49)
        for (const batch of claims.flat())
          expect(batch.polls.length).toBeLessThanOrEqual(request.pollsPerBatchMax)
      }).pipe(Effect.provide(testClock)),
  )
})

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = [
    "INSERT INTO organizations VALUES ('acme', 1)",
    `INSERT INTO definitions (organization, kind, project, name, definition, labels, version, created_at, updated_at)
     SELECT 'acme', 'SLO', 'p-' || n % 100, 'o-' || n,
       replace('${definitionToStored(anSlo({ project: "p", name: "NAME" })).json}', 'NAME', 'o-' || n), '{}', 1, 0, 0
     FROM generate_series(1, 100000) AS n`,
    `INSERT INTO slos (organization, project, name, service, version)
     SELECT 'acme', project, name, 'web', 1 FROM definitions`,
    `INSERT INTO indicator_polls (organization, project, slo, indicator, server, due_at)
     SELECT 'acme', 'p-' || n % 100, 'o-' || n, '${storedIndicator.write(indicator).json}',
       'http://s-' || n % 100 || '.example.com', n % 2000
     FROM generate_series(1, 100000) AS n`,
    "INSERT INTO indicator_servers SELECT DISTINCT organization, server FROM indicator_polls",
    `INSERT INTO indicator_replays (organization, project, slo, run, from_at, to_at, state, read_to, failures,
       started_at, read_at, ended_at, due_at)
     SELECT 'acme', project, slo, 1, 0, 60000, CASE WHEN n % 100 = 0 THEN 'running' ELSE 'complete' END, 0, 0, 0, 0,
       CASE WHEN n % 100 = 0 THEN NULL ELSE 1 END, CASE WHEN n % 100 = 0 THEN 1 END
     FROM (SELECT project, slo, substr(slo, 3)::integer AS n FROM indicator_polls) p`,
    "ANALYZE",
  ]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
}).pipe(Effect.orDie)
