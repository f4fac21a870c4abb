import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as BulkResendStorePg from "../../src/delivery/BulkResendStorePg.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import * as EndpointStorePg from "../../src/delivery/EndpointStorePg.ts"
import * as IndicatorStorePg from "../../src/slo/IndicatorStorePg.ts"
import * as BackfillStorePg from "../../src/slo/BackfillStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { senderFaultDelayMs } from "@tocsin/domain/adapter"
import {
  AlertStore,
  BulkResendStore,
  CountStore,
  DefinitionStore,
  DeliveryLog,
  DeliveryQueue,
  EndpointStore,
  IndicatorStore,
  BackfillStore,
  SloStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import {
  alertOf,
  aMethod,
  anSlo,
  notify,
  putDefinitions,
  settleAllDue,
  sourceUrlOf,
} from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  BulkResendStorePg.layer,
  CountStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  DeliveryQueuePg.layer,
  EndpointStorePg.layer,
  IndicatorStorePg.layer,
  BackfillStorePg.layer,
  SloStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provideMerge(layer))

const broken = "broken"
const healthy = "healthy"
const hook = { project: "shop", name: "hook" }
const checkout = { project: "shop", name: "checkout" }
const claimAll = { limit: 10, leaseMs: 30_000 }

/** What no codec has written: JSON without a version, JSON of a later version, and no JSON at all. */
const unreadable = ["{}", '{"version":99,"document":{}}', "null", "{"]

/** Overwrites a column in every row of the organization `broken`. */
const breakColumn = (table: string, column: string, value = "{}") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE ${sql(table)} SET ${sql(column)} = ${value} WHERE organization = ${broken}`,
  )

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Layer.Success<typeof stores>>) =>
  it.effect(name, () =>
    effect.pipe(Effect.provideService(References.MinimumLogLevel, "None"), Effect.provide(stores)),
  )

/** Fails for good, and names the row. */
const isUnreadable = (row: string) => ({
  isRetryable: false,
  cause: { _tag: "StoredRowIsInvalid", row },
})

const ofBoth = <A, E, R>(of: (organization: string) => Effect.Effect<A, E, R>) =>
  Effect.andThen(of(broken), of(healthy))

describe("a row that cannot be read", () => {
  test(
    "fails the operation with the key of the row, whatever is wrong with it",
    Effect.gen(function* () {
      const store = yield* DefinitionStore
      yield* putDefinitions(broken, [anSlo(checkout)])
      for (const json of unreadable) {
        yield* breakColumn("definitions", "definition", json)
        const failure = yield* Effect.flip(store.find(broken, "SLO", checkout))
        expect(failure, json).toMatchObject(isUnreadable("SLO shop/checkout"))
      }
    }),
  )

  test(
    "fails when it has a definition of another kind",
    Effect.gen(function* () {
      const store = yield* DefinitionStore
      yield* putDefinitions(broken, [anSlo(checkout)])
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM definition_references`
      yield* sql`UPDATE definitions SET kind = 'Service'`
      const failure = yield* Effect.flip(store.list(broken, { kind: "Service" }, { limit: 10 }))
      expect(failure).toMatchObject(isUnreadable("Service shop/checkout"))
    }),
  )

  test(
    "gives a delivery back, whose claim gets the deliveries of others",
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const log = yield* DeliveryLog
      yield* ofBoth((organization) => putDefinitions(organization, [aMethod(hook)]))
      const [id = ""] = yield* notify(broken, [hook])
      const sent = yield* notify(healthy, [hook])
      yield* breakColumn("notifications", "content")
      const { claims } = yield* queue.claim(claimAll)
      expect(claims.map(({ delivery }) => delivery.notification.id)).toEqual(sent)
      expect(yield* Effect.flip(log.find(broken, id))).toMatchObject(isUnreadable(`delivery ${id}`))
      expect(yield* Effect.flip(log.list(broken, {}, { limit: 10 }))).toMatchObject(
        isUnreadable(`delivery ${id}`),
      )
      const sql = yield* SqlClient.SqlClient
      const waiting = sql`
        SELECT attempts_used, due_at FROM delivery_queue WHERE organization = ${broken} AND sending IS NULL`
      expect(yield* waiting).toEqual([{ attempts_used: 0, due_at: senderFaultDelayMs }])
    }),
  )

  test(
    "starts the health of an endpoint again, and settles the claims of others",
    Effect.gen(function* () {
      const endpoints = yield* EndpointStore
      yield* ofBoth((organization) => putDefinitions(organization, [aMethod(hook)]))
      yield* ofBoth((organization) => notify(organization, [hook]))
      expect(yield* settleAllDue({ kind: "failed" })).toHaveLength(2)
      yield* breakColumn("endpoints", "health")
      const failure = yield* Effect.flip(endpoints.find(broken, hook))
      expect(failure).toMatchObject(isUnreadable("endpoint shop/hook"))
      expect(yield* Effect.flip(endpoints.activities(broken, [hook]))).toMatchObject(
        isUnreadable("endpoint shop/hook"),
      )
      // Has the process read it.
      yield* ofBoth((organization) => endpoints.setPaused(organization, hook, false))
      yield* ofBoth((organization) => notify(organization, [hook]))
      expect(yield* settleAllDue({ kind: "failed" })).toHaveLength(2)
      expect(yield* endpoints.find(broken, hook)).toMatchObject({ health: { failures: 1 } })
      expect(yield* endpoints.find(healthy, hook)).toMatchObject({ health: { failures: 2 } })
    }),
  )

  test(
    "fails a delivery's attempts and a receipt, each with its own key",
    Effect.gen(function* () {
      yield* putDefinitions(broken, [aMethod(hook)])
      const [id = ""] = yield* notify(broken, [hook])
      yield* settleAllDue({ kind: "delivered" })
      yield* breakColumn("delivery_attempts", "attempt")
      expect(yield* Effect.flip((yield* DeliveryLog).find(broken, id))).toMatchObject(
        isUnreadable(`attempt of delivery ${id}`),
      )
      const request = (yield* AlertStore).change(
        broken,
        { subject: { slo: checkout }, id: undefined },
        { key: "k", fingerprint: "f" },
        () => Result.succeed({ receipt: { alertId: "a", isChanged: true, deliveries: [] } }),
      )
      yield* request
      yield* breakColumn("alert_receipts", "receipt")
      expect(yield* Effect.flip(request)).toMatchObject(isUnreadable("receipt of key k"))
    }),
  )

  test(
    "fails the alerts of its organization alone",
    Effect.gen(function* () {
      const alerts = yield* AlertStore
      const opened = alertOf("alert-1")
      const lookup = { subject: opened.subject, id: opened.id }
      const receipt = { alertId: opened.id, isChanged: true, deliveries: [] }
      yield* ofBoth((organization) =>
        alerts.change(organization, lookup, undefined, () => Result.succeed({ put: opened, receipt })),
      )
      yield* breakColumn("alerts", "alert")
      const page = { limit: 10 }
      for (const read of [
        alerts.find(broken, lookup),
        alerts.list(broken, {}, page),
        alerts.list(broken, {}, page),
      ]) {
        expect(yield* Effect.flip<unknown, unknown, never>(read)).toMatchObject(isUnreadable("alert alert-1"))
      }
      expect(yield* alerts.list(healthy, {}, page)).toEqual({ items: [opened], hasMore: false })
    }),
  )

  test(
    "postpones a bulk resend, while those of others take their steps",
    Effect.gen(function* () {
      const resends = yield* BulkResendStore
      yield* ofBoth((organization) => putDefinitions(organization, [aMethod(hook)]))
      yield* ofBoth((organization) => notify(organization, [hook]))
      yield* settleAllDue({ kind: "gone" })
      yield* passTime(1)
      const filter = { states: ["failed"] } as const
      const resend = (id: string) => ({ id, filter, matched: 1, mayMatchMore: false })
      yield* resends.add(broken, resend("b"))
      yield* passTime(1)
      yield* resends.add(healthy, resend("h"))
      yield* breakColumn("bulk_resends", "filter")
      const limits = { batchMax: 10, readMax: 10 }
      expect(yield* Effect.flip(resends.step(limits))).toMatchObject(isUnreadable("bulk resend b"))
      expect(yield* resends.step(limits)).toBe(true)
      expect(Option.getOrThrow(yield* resends.find(healthy, "h"))).toMatchObject({ state: "done", resent: 1 })
      expect(yield* Effect.flip(resends.find(broken, "b"))).toMatchObject(isUnreadable("bulk resend b"))
    }),
  )

  for (const [what, table, column, kind] of [
    ["an SLO", "definitions", "definition", "SLO"],
    ["a policy of an SLO", "definitions", "definition", "AlertPolicy"],
    ["a silence of an SLO", "definitions", "definition", "AlertSilence"],
  ] as const) {
    test(
      `of ${what} keeps no other SLO from its status`,
      Effect.gen(function* () {
        const slos = yield* SloStore
        yield* ofBoth((organization) =>
          putDefinitions(organization, [anSlo(checkout, { alertPolicies: ["fast"] })]),
        )
        const sql = yield* SqlClient.SqlClient
        // Not even a definition with the right version: any JSON that the codec rejects.
        yield* sql`
          INSERT INTO definitions (organization, kind, project, name, definition, labels, version, created_at, updated_at)
          SELECT organization, given.kind, project, 'fast', definition, labels, version, created_at, updated_at
          FROM definitions CROSS JOIN (VALUES ('AlertPolicy'), ('AlertSilence')) AS given (kind)
          WHERE organization = ${broken} AND given.kind = ${kind}`
        yield* sql`
          INSERT INTO definition_references
          SELECT organization, 'AlertSilence', project, name, 'SLO', project, 'checkout'
          FROM definitions WHERE kind = 'AlertSilence'`
        yield* sql`
          UPDATE ${sql(table)} SET ${sql(column)} = '{}' WHERE organization = ${broken} AND kind = ${kind}`
        const due = yield* slos.dueForStatus(Number.MAX_SAFE_INTEGER, 10, 10_000)
        expect(due.map(({ organization }) => organization)).toEqual([healthy])
        expect(yield* Effect.flip(slos.findForStatus(broken, checkout))).toMatchObject({
          isRetryable: false,
          cause: { _tag: "StoredRowIsInvalid" },
        })
      }),
    )
  }

  test(
    "fails the record and the counts of an SLO, and neither of others",
    Effect.gen(function* () {
      const slos = yield* SloStore
      const counts = yield* CountStore
      yield* ofBoth((organization) => putDefinitions(organization, [anSlo(checkout)]))
      const record = (organization: string) =>
        counts.record(organization, [
          { slo: checkout, counts: [{ objective: "good", at: 0, good: 1, total: 1 }] },
        ])
      const sums = (organization: string) =>
        counts.sums([{ organization, slo: checkout, ranges: [{ from: 0, to: 60_000 }] }])
      yield* breakColumn("slos", "statuses")
      expect(yield* Effect.flip(slos.find(broken, checkout))).toMatchObject(
        isUnreadable("statuses of SLO shop/checkout"),
      )
      expect(Option.isSome(yield* slos.find(healthy, checkout))).toBe(true)
      // A new definition has none of the old metrics, and the record can be read again.
      yield* putDefinitions(broken, [anSlo(checkout)])
      expect(Option.getOrThrow(yield* slos.find(broken, checkout)).statuses.size).toBe(0)
      yield* breakColumn("slos", "latest_at", "[]")
      for (const failing of [record(broken), sums(broken)]) {
        expect(yield* Effect.flip<unknown, unknown, never>(failing)).toMatchObject(
          isUnreadable("latest minutes of SLO shop/checkout"),
        )
      }
      yield* breakColumn("slos", "slice_rules")
      expect(yield* Effect.flip(sums(broken))).toMatchObject(isUnreadable("slice rules of SLO shop/checkout"))
      yield* record(healthy)
      expect((yield* sums(healthy))[0]?.sums[0]).toMatchObject([{ objective: "good", good: 1 }])
    }),
  )

  test(
    "keeps no other indicator from being read",
    Effect.gen(function* () {
      const indicators = yield* IndicatorStore
      const indicator = {
        prometheus: { url: sourceUrlOf("https://prometheus.example.com"), good: "good", total: "total" },
      }
      yield* ofBoth((organization) => putDefinitions(organization, [anSlo(checkout, { indicator })]))
      const limits = { batchesMax: 10, batchesPerOrganizationMax: 10, pollsPerBatchMax: 10 }
      const claim = indicators.claim({ now: Date.now(), leaseMs: 0, inFlight: new Map(), ...limits })
      expect(yield* claim).toHaveLength(2)
      for (const column of ["problem", "indicator"]) {
        yield* breakColumn("indicator_polls", column)
        expect((yield* claim).map(({ organization }) => organization)).toEqual([healthy])
        expect(yield* Effect.flip(indicators.find(broken, checkout))).toMatchObject(
          isUnreadable("indicator of SLO shop/checkout"),
        )
      }
    }),
  )

  test(
    "keeps no other backfill from being read",
    Effect.gen(function* () {
      const backfills = yield* BackfillStore
      const indicator = {
        prometheus: { url: sourceUrlOf("https://prometheus.example.com"), good: "good", total: "total" },
      }
      yield* ofBoth((organization) => putDefinitions(organization, [anSlo(checkout, { indicator })]))
      const now = Date.now()
      const range = { from: 0, to: 60_000 }
      yield* ofBoth((organization) => backfills.start(organization, checkout, range, now))
      const claim = backfills.claim({
        now,
        leaseMs: 0,
        inFlight: new Set(),
        organizationsMax: 10,
        backfillsPerOrganizationMax: 1,
      })
      expect(yield* claim).toHaveLength(2)
      yield* breakColumn("indicator_replays", "problem")
      expect((yield* claim).map(({ organization }) => organization)).toEqual([healthy])
      expect(yield* Effect.flip(backfills.find(broken, checkout))).toMatchObject(
        isUnreadable("backfill of SLO shop/checkout"),
      )
    }),
  )
})
