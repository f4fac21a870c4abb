import { durationOf } from "@tocsin/domain/codec"
import { DeliveryLog, RateLimiter, SecretBox, SloStore } from "@tocsin/domain/ports"
import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import { databaseLayer } from "@tocsin/adapters-pg/admin"
import * as RateLimiterPg from "../../src/access/RateLimiterPg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { readSlos, receiveAlertRequest, refreshStatus, statusOf } from "@tocsin/domain"
import * as SqlClient from "effect/sql/SqlClient"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import {
  alertsOf,
  anHour,
  aPolicy,
  at,
  badFrom,
  before,
  organization,
  pager,
  policyKey,
  record,
  sloKey,
} from "../../../../test/alerting/Incident.ts"
import { connection, testBox } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

/** The ports as another process of the service has them: with connections of its own, which the database calls `name`. */
const aProcess = (name = "tocsin") =>
  // A pool looks at its connections every few seconds of the clock, and the test's leaps over years.
  TestClock.withLive(
    Layer.build(
      Layer.fresh(
        Layer.mergeAll(
          AlertStorePg.layer,
          CountStorePg.layer,
          DefinitionStorePg.layer,
          DeliveryLogPg.layer,
          Layer.effect(RateLimiter, RateLimiterPg.make),
          SloStorePg.layer,
        ).pipe(
          Layer.provide(DeliveryHints.layer),
          Layer.provide(
            databaseLayer({ connection, connectionsMax: 4, connectTimeoutMs: 20_000, applicationName: name }),
          ),
          Layer.provide(Layer.succeed(SecretBox, testBox)),
        ),
      ),
    ),
  )

const slo = anHour()
const policy = aPolicy([
  { measurement: "averageBurnRate", op: "gte", value: 5, alertingWindow: durationOf("5m") },
])
const script = badFrom(10, 20)

const refresh = refreshStatus(organization, sloKey)

/** What one process has read to compute the status of. */
const reading = Effect.gen(function* () {
  const due = yield* Effect.flatMap((yield* SloStore).findForStatus(organization, sloKey), Effect.fromOption)
  return yield* Effect.flatMap(readSlos([due]), ([first]) => Effect.fromNullishOr(first))
})

/** Whom the notifications were for, by event; each once. */
const sent = Effect.gen(function* () {
  const { items } = yield* (yield* DeliveryLog).list(organization, {}, { limit: 500 })
  return items.map(({ notification, alertMethod }) => `${notification.event} ${alertMethod.name}`).toSorted()
})

const sentOnce = ["alert.triggered hook", "alert.triggered pager"]

/** Two minutes are bad, and at 12 the alert is to trigger: nobody has looked yet. */
const burning = Effect.gen(function* () {
  yield* before(slo, policy)
  yield* TestClock.setTime(at(9.5))
  yield* record(
    slo,
    Array.from({ length: 10 }, (_, minute) => [minute, 10] as const),
  )
  for (const minute of [10, 11]) {
    yield* TestClock.setTime(at(minute + 0.5))
    yield* record(slo, [[minute, 0]])
  }
  yield* TestClock.setTime(at(12))
})

describe("several processes that evaluate the same alert policies", () => {
  it.effect("spec/alerting §3: open, notify and resolve one alert together", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([aProcess(), aProcess(), aProcess()])
      const [one] = processes
      yield* Effect.provide(before(slo, policy), one)
      for (const [from, to] of [
        [0, 10],
        [10, 11],
        [11, 12],
        [12, 13],
        [13, 22],
        [22, 23],
        [23, 27],
        [27, 28],
      ] as const) {
        for (const half of [0, 0.5]) {
          yield* TestClock.setTime(at(to - 1 + half))
          const minutes = Array.from({ length: to - from }, (_, index) => from + index)
          const counts = minutes.map((minute) => [minute, script(minute) ?? 0] as const)
          yield* Effect.provide(record(slo, half === 0 ? counts.slice(0, -1) : counts), one)
          yield* Effect.forEach(processes, (process) => Effect.provide(refresh, process), {
            concurrency: "unbounded",
          })
        }
      }
      expect(yield* Effect.provide(alertsOf(), one)).toEqual([["resolved", 12, 27.5]])
      expect(yield* Effect.provide(sent, one)).toEqual(["alert.resolved pager", ...sentOnce])
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/alerting §3: end the alert that came from an external evaluator after theirs was ended from an external evaluator, once",
    () =>
      Effect.gen(function* () {
        const processes = yield* Effect.all([aProcess(), aProcess(), aProcess()])
        const [one, other] = processes
        yield* Effect.provide(burning, one)
        yield* Effect.provide(refresh, one)
        const report = { slo: sloKey, objective: "good", alertPolicy: policyKey, alertMethods: [pager] }
        yield* TestClock.setTime(at(13))
        yield* Effect.provide(receiveAlertRequest(organization, { ...report, status: "resolved" }), other)
        yield* TestClock.setTime(at(14))
        yield* Effect.provide(receiveAlertRequest(organization, { ...report, status: "triggered" }), other)
        for (const minute of [20, 25.5]) {
          yield* TestClock.setTime(at(minute))
          yield* Effect.provide(record(slo, [[Math.floor(minute), 10]]), one)
          yield* Effect.forEach(processes, (process) => Effect.provide(refresh, process), {
            concurrency: "unbounded",
          })
        }
        expect(yield* Effect.provide(alertsOf(), one)).toEqual([
          ["resolved", 12, 13],
          ["resolved", 14, 25.5],
        ])
        expect(yield* Effect.provide(sent, one)).toEqual([
          "alert.resolved pager",
          "alert.resolved pager",
          "alert.triggered hook",
          "alert.triggered pager",
          "alert.triggered pager",
        ])
      }).pipe(Effect.provide(layer)),
  )

  it.effect("spec/alerting §3: change it once when all of them have read the same", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([aProcess(), aProcess(), aProcess()])
      const [one] = processes
      yield* Effect.provide(burning, one)
      const readings = yield* Effect.forEach(processes, (process) => Effect.provide(reading, process))
      expect(new Set(readings.map(({ due }) => due.revision)).size).toBe(1)
      const outcomes = yield* Effect.forEach(
        processes,
        (process, index) => Effect.provide(Effect.result(statusOf(readings[index] ?? readings[0])), process),
        { concurrency: "unbounded" },
      )
      expect(
        outcomes.map((outcome) => (Result.isSuccess(outcome) ? "done" : outcome.failure._tag)).toSorted(),
      ).toEqual(["StatusHasChanged", "StatusHasChanged", "done"])
      yield* Effect.forEach(processes, (process) => Effect.provide(refresh, process), {
        concurrency: "unbounded",
      })
      expect(yield* Effect.provide(alertsOf(), one)).toEqual([["triggered", 12]])
      expect(yield* Effect.provide(sent, one)).toEqual(sentOnce)
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/alerting §3: lose and double nothing when one is killed before it has written the status",
    () =>
      Effect.gen(function* () {
        const [one, other] = yield* Effect.all([aProcess(), aProcess()])
        yield* Effect.provide(burning, one)
        yield* Effect.provide(Effect.flatMap(reading, statusOf), one)
        // The alert has notified; its status is never written.
        yield* Effect.provide(refresh, other)
        expect(yield* Effect.provide(alertsOf(), other)).toEqual([["triggered", 12]])
        expect(yield* Effect.provide(sent, other)).toEqual(sentOnce)
        for (const minute of [20, 25.5]) {
          yield* TestClock.setTime(at(minute))
          yield* Effect.provide(record(slo, [[Math.floor(minute), 10]]), other)
        }
        expect(yield* Effect.provide(alertsOf(), other)).toEqual([["resolved", 12, 25.5]])
        expect(yield* Effect.provide(sent, other)).toEqual(["alert.resolved pager", ...sentOnce])
      }).pipe(Effect.provide(layer)),
  )

  /** Does something in a transaction that stays open until it is released. */
  const held = <E, R>(act: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, E, R>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const isHeld = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* act(sql)
            yield* Deferred.succeed(isHeld, undefined)
            yield* Deferred.await(release)
          }),
        ),
      )
      yield* Deferred.await(isHeld)
      return { release: Deferred.succeed(release, undefined) }
    })

  /** Blocks notifying transactions, for as long as the scope is open. */
  const holdUp = held((sql) => sql`LOCK TABLE deliveries IN EXCLUSIVE MODE`)

  /** Waits until a process waits for a lock in the database. */
  const isWaiting = (name: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql`SELECT 1 FROM pg_stat_activity WHERE application_name = ${name} AND wait_event_type = 'Lock'`.pipe(
        Effect.repeat({ until: (rows) => rows.length > 0 }),
      ),
    )

  for (const [how, kill] of [
    [
      "is interrupted",
      (fiber: Fiber.Fiber<unknown, unknown>, _name: string) => Effect.forkDetach(Fiber.interrupt(fiber)),
    ],
    [
      "loses its connection",
      (_fiber: Fiber.Fiber<unknown, unknown>, name: string) =>
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ${name}`,
        ),
    ],
  ] as const) {
    it.effect(`spec/alerting §3: lose and double nothing when one ${how} within a change`, () =>
      Effect.gen(function* () {
        const name = `victim-${how.length}`
        const [victim, other] = yield* Effect.all([aProcess(name), aProcess()])
        yield* Effect.provide(burning, other)
        const { release } = yield* holdUp
        const dying = yield* Effect.forkChild(Effect.provide(Effect.flatMap(reading, statusOf), victim))
        yield* isWaiting(name)
        yield* kill(dying, name)
        yield* release
        expect((yield* Fiber.await(dying))._tag).toBe("Failure")
        expect(yield* Effect.provide(alertsOf(), other)).toEqual([])
        expect(yield* Effect.provide(sent, other)).toEqual([])
        yield* Effect.provide(refresh, other)
        expect(yield* Effect.provide(alertsOf(), other)).toEqual([["triggered", 12]])
        expect(yield* Effect.provide(sent, other)).toEqual(sentOnce)
      }).pipe(Effect.provide(layer)),
    )
  }

  it.effect("spec/clients §3: open no alert of an SLO that is being moved", () =>
    Effect.gen(function* () {
      const [one, receiver] = yield* Effect.all([aProcess(), aProcess("receiver")])
      yield* Effect.provide(before(slo, policy), one)
      const isSlo = `organization = '${organization}' AND name = '${sloKey.name}'`
      const { release } = yield* held((sql) =>
        Effect.all([
          sql`DELETE FROM definition_references WHERE organization = ${organization}`,
          sql`DELETE FROM slos WHERE ${sql.literal(isSlo)}`,
          sql`UPDATE definitions SET project = 'moved' WHERE kind = 'SLO' AND ${sql.literal(isSlo)}`,
        ]),
      )
      const request = { status: "triggered", slo: sloKey, alertMethods: [pager] } as const
      const received = yield* Effect.forkChild(
        Effect.provide(Effect.flip(receiveAlertRequest(organization, request)), receiver),
      )
      yield* isWaiting("receiver")
      yield* release
      expect(yield* Fiber.join(received)).toMatchObject({
        _tag: "AlertIsInvalid",
        issues: [{ path: "slo", code: "not_found" }],
      })
      expect(yield* Effect.provide(alertsOf(), one)).toEqual([])
    }).pipe(Effect.provide(layer)),
  )
})
