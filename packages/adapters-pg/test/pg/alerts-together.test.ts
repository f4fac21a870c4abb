import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import { databaseLayer } from "@tocsin/adapters-pg/admin"
import { alertSubjectToKey } from "@tocsin/domain/adapter"
import type { Alert } from "@tocsin/domain/alerting"
import type { ProjectKey } from "@tocsin/domain/kernel"
import { type AlertChange, AlertStore, DeliveryLog, SecretBox } from "@tocsin/domain/ports"
import { alertOf, aNotificationContent, anSlo, putDefinitions, removeSlos } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { connection, testBox } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"
import { faultyNetwork } from "./FaultyNetwork.ts"
import { wireStatements } from "./WireStatements.ts"

const statements = wireStatements()
const network = await faultyNetwork(connection, statements.watch)

/** The ports of one process, all of whose statements are watched. */
const aProcess = Layer.mergeAll(AlertStorePg.layer, DefinitionStorePg.layer, DeliveryLogPg.layer).pipe(
  Layer.provide(DeliveryHints.layer),
  Layer.provide(
    databaseLayer({
      connection: network.connection,
      connectionsMax: 12,
      connectTimeoutMs: 20_000,
      applicationName: "together",
    }),
  ),
  Layer.provide(Layer.succeed(SecretBox, testBox)),
)

const organization = "acme"
const checkout = { project: "shop", name: "checkout" }
const hook = { project: "shop", name: "hook" }
const subjectOf = (name: string) => ({ slo: checkout, objective: name })

const opened = (name: string, change: Partial<Alert> = {}): Alert =>
  alertOf(name, { subject: subjectOf(name), ...change })

const opening = (alert: Alert, deliveryIds = [`delivery-of-${alert.id}`]): AlertChange => ({
  put: alert,
  event: {
    content: { ...aNotificationContent(organization), alertId: alert.id },
    deliveries: deliveryIds.map((id) => ({ id, alertMethod: hook })),
  },
  receipt: { alertId: alert.id, isChanged: true, deliveries: [] },
})

const key = (name: string, fingerprint: string) => ({ key: name, fingerprint })

/** Opens an alert with a subject of its own. */
const open = (name: string, idempotency?: ReturnType<typeof key>, change = opening(opened(name))) =>
  Effect.flatMap(AlertStore, (store) =>
    store.change(organization, { subject: subjectOf(name), id: undefined }, idempotency, () =>
      Result.succeed(change),
    ),
  )

const openAlerts = Effect.flatMap(AlertStore, (store) =>
  Effect.map(store.list(organization, { statuses: ["triggered"] }, { limit: 100 }), ({ items }) =>
    items.map(({ id }) => id).toSorted(),
  ),
)

const deliveryIds = Effect.flatMap(DeliveryLog, (log) =>
  Effect.map(log.list(organization, {}, { limit: 100 }), ({ items }) =>
    items.map(({ notification }) => notification.id).toSorted(),
  ),
)

const names = (count: number) => Array.from({ length: count }, (_, index) => `a-${index}`)

const together = { concurrency: "unbounded" } as const

/** How many transactions were committed since the last call. */
const takeCommits = () => statements.take().filter(({ text }) => /^COMMIT/i.test(text)).length

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, Layer.provideMerge(aProcess, layer))

/** Runs a transaction in another process, which has run `first` then and goes on with `last` once it is released. */
const hold = (
  first: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError>,
  last: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError> = () => Effect.void,
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isHeld = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const holding = yield* Effect.forkScoped(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* first(sql)
          yield* Deferred.succeed(isHeld, undefined)
          yield* Deferred.await(release)
          yield* last(sql)
        }),
      ),
    )
    yield* Deferred.await(isHeld)
    return Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(holding))
  })

/** Holds all transactions that write alerts until it is released. */
const holdAlerts = hold((sql) => sql`LOCK TABLE alert_subjects IN EXCLUSIVE MODE`)

/** Waits until the database has a transaction of the process wait for a lock. */
const isWaiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`SELECT 1 FROM pg_stat_activity WHERE application_name = 'together' AND wait_event_type = 'Lock'`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0 }),
  ),
)

describe("alerts that an organization's requests report at the same time", () => {
  it.effect("are stored and enqueued in one transaction", () =>
    run(
      Effect.gen(function* () {
        yield* open("first")
        takeCommits()
        const all = names(30)
        const receipts = yield* Effect.forEach(all, (name) => open(name), together)
        expect(receipts.map(({ alertId }) => alertId)).toEqual(all)
        expect(takeCommits()).toBe(1)
        expect(yield* openAlerts).toEqual([...all, "first"].toSorted())
        expect(yield* deliveryIds).toEqual([...all, "first"].map((id) => `delivery-of-${id}`).toSorted())
      }),
    ),
  )

  it.effect("each have their own result", () =>
    run(
      Effect.gen(function* () {
        const store = yield* AlertStore
        yield* open("before", key("k", "f"))
        takeCommits()
        const reject = (name: string) =>
          store.change(organization, { subject: subjectOf(name), id: undefined }, key("rejected", "f"), () =>
            Result.fail("rejected" as const),
          )
        const exits = yield* Effect.forEach(
          [
            open("one", key("new", "f")),
            reject("two"),
            open("three", key("k", "f")),
            open("four"),
            Effect.suspend(() => open("five", key("k", "g"))),
          ],
          Effect.exit,
          together,
        )
        expect(exits.map((exit) => (Exit.isSuccess(exit) ? exit.value.alertId : exit.cause.reasons))).toEqual(
          [
            "one",
            [expect.objectContaining({ error: "rejected" })],
            "before",
            "four",
            [expect.objectContaining({ error: expect.objectContaining({ _tag: "IdempotencyKeyIsReused" }) })],
          ],
        )
        // Requests with the same key follow one another.
        expect(takeCommits()).toBe(1)
        expect(yield* openAlerts).toEqual(["before", "four", "one"])
        expect(yield* open("six", key("new", "f"))).toMatchObject({ alertId: "one" })
        expect(yield* open("six", key("rejected", "f"))).toMatchObject({ alertId: "six" })
        const sql = yield* SqlClient.SqlClient
        const locked = yield* sql<{ readonly subject: string }>`SELECT subject FROM alert_subjects`
        // Nothing is left of those that were rejected.
        expect(locked.filter(({ subject }) => /two|five/.test(subject))).toEqual([])
      }),
    ),
  )

  it.effect("leave nothing of those whose key is that of another request", () =>
    run(
      Effect.gen(function* () {
        yield* open("before", key("k", "f"))
        const reused = yield* Effect.all([open("one"), Effect.flip(open("two", key("k", "g")))], together)
        expect(reused).toMatchObject([{ alertId: "one" }, { _tag: "IdempotencyKeyIsReused" }])
        const sql = yield* SqlClient.SqlClient
        const locked = yield* sql<{ readonly subject: string }>`SELECT subject FROM alert_subjects`
        expect(locked.filter(({ subject }) => /two/.test(subject))).toEqual([])
        expect(locked).toHaveLength(2)
      }),
    ),
  )

  it.effect("do not wait for one whose lock is held for long", () =>
    run(
      Effect.gen(function* () {
        const release = yield* hold(
          (sql) => sql`INSERT INTO alert_subjects (organization, subject)
            VALUES (${organization}, ${alertSubjectToKey(subjectOf("blocked"))})`,
        )
        const blocked = yield* Effect.forkChild(open("blocked"), { startImmediately: true })
        const all = names(5)
        expect(
          (yield* Effect.forEach(all, (name) => open(name), together)).map(({ alertId }) => alertId),
        ).toEqual(all)
        expect(yield* open("later")).toMatchObject({ alertId: "later" })
        expect(blocked.pollUnsafe()).toBe(undefined)
        yield* release
        expect(yield* Fiber.join(blocked)).toMatchObject({ alertId: "blocked" })
        expect(yield* openAlerts).toEqual([...all, "blocked", "later"])
      }).pipe(Effect.scoped),
    ),
  )

  it.effect("share transactions of a bounded size", () =>
    run(
      Effect.gen(function* () {
        yield* open("first")
        takeCommits()
        const manyDeliveries = (name: string) =>
          open(
            name,
            undefined,
            opening(
              opened(name),
              Array.from({ length: 100 }, (_, index) => `${name}-${index}`),
            ),
          )
        yield* Effect.forEach(names(12), manyDeliveries, together)
        expect(takeCommits()).toBe(3)
        const longConditions = Array.from({ length: 100 }, () => "c".repeat(1_000))
        const long = names(6).map((name) => `long-${name}`)
        yield* Effect.forEach(
          long,
          (name) => open(name, undefined, opening(opened(name, { conditions: longConditions }))),
          together,
        )
        expect(takeCommits()).toBe(3)
        // Those that are read count too, of whatever is written.
        yield* Effect.forEach(long, (name) => open(name, undefined, opening(opened(name), [])), together)
        expect(takeCommits()).toBe(3)
        expect(yield* openAlerts).toHaveLength(19)
      }),
    ),
  )

  it.effect("do not deadlock with a change that removes their SLOs", () =>
    run(
      Effect.gen(function* () {
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [anSlo(other)])
        yield* putDefinitions(organization, [anSlo(checkout)])
        const lockOf = (sql: SqlClient.SqlClient, slo: ProjectKey, isNeededNow: boolean) => sql`
          SELECT 1 FROM slos WHERE organization = ${organization} AND project = ${slo.project} AND name = ${slo.name}
          FOR KEY SHARE ${sql.literal(isNeededNow ? "NOWAIT" : "")}`
        const release = yield* hold(
          (sql) => lockOf(sql, checkout, false),
          (sql) => lockOf(sql, other, true),
        )
        const removal = yield* Effect.forkChild(removeSlos(organization, [other, checkout]))
        yield* isWaiting
        yield* release
        yield* Fiber.join(removal)
      }).pipe(Effect.scoped),
    ),
  )

  it.effect("do not fail with one that the database rejects, or that cannot be decided", () =>
    run(
      Effect.gen(function* () {
        const store = yield* AlertStore
        const twice = ["d-1", "d-1"]
        const exits = yield* Effect.forEach(
          [
            open("one"),
            open("two", undefined, opening(opened("two"), twice)),
            open("three"),
            store.change(organization, { subject: subjectOf("four"), id: undefined }, undefined, () => {
              throw new Error("no decision")
            }),
            open("five"),
          ],
          Effect.exit,
          together,
        )
        expect(exits.map(Exit.isSuccess)).toEqual([true, false, true, false, true])
        expect(exits[1]).toMatchObject({
          cause: { reasons: [{ error: { _tag: "StoreIsUnavailable", isRetryable: false } }] },
        })
        expect(exits[3]).toMatchObject({ cause: { reasons: [{ defect: { message: "no decision" } }] } })
        expect(yield* openAlerts).toEqual(["five", "one", "three"])
        expect(yield* deliveryIds).toEqual(["delivery-of-five", "delivery-of-one", "delivery-of-three"])
      }),
    ),
  )

  it.effect("see the outcome of others that they name by ID", () =>
    run(
      Effect.gen(function* () {
        const store = yield* AlertStore
        yield* open("x")
        const resolve = store.change(
          organization,
          { subject: subjectOf("y"), id: "x" },
          undefined,
          ({ withId }) =>
            withId === undefined
              ? Result.fail("unknown" as const)
              : Result.succeed({
                  put: { ...withId, status: "resolved" as const, resolvedAt: 1 },
                  receipt: { alertId: withId.id, isChanged: true, deliveries: [] },
                }),
        )
        const openAgain = store.change(
          organization,
          { subject: subjectOf("x"), id: undefined },
          undefined,
          ({ latest }) =>
            Result.succeed(
              latest?.status === "triggered"
                ? { receipt: { alertId: latest.id, isChanged: false, deliveries: [] } }
                : opening(alertOf("z", { subject: subjectOf("x"), triggeredAt: 2 })),
            ),
        )
        takeCommits()
        const receipts = yield* Effect.all([resolve, openAgain, open("other")], together)
        expect(receipts.map(({ alertId }) => alertId)).toEqual(["x", "z", "other"])
        // Only the one that depends on another is left for the next transaction.
        expect(takeCommits()).toBe(2)
        expect(yield* openAlerts).toEqual(["other", "z"])
      }),
    ),
  )

  it.effect("go on when one of them is interrupted, and are rolled back when all are", () =>
    run(
      Effect.gen(function* () {
        yield* open("first")
        const release = yield* holdAlerts
        const fibers = yield* Effect.forEach(["one", "two", "three"], (name) => Effect.forkChild(open(name)))
        yield* isWaiting
        // Gathers for the next transaction.
        const next = yield* Effect.forkChild(open("four"))
        yield* Effect.yieldNow
        yield* Fiber.interruptAll(fibers.slice(1))
        yield* release
        expect(yield* Effect.forEach([...fibers.slice(0, 1), next], Fiber.join)).toMatchObject([
          { alertId: "one" },
          { alertId: "four" },
        ])

        const releaseAgain = yield* holdAlerts
        const abandoned = yield* Effect.forEach(["five", "six"], (name) => Effect.forkChild(open(name)))
        yield* isWaiting
        yield* Fiber.interruptAll(abandoned)
        yield* releaseAgain
        expect(yield* open("seven")).toMatchObject({ alertId: "seven" })
        const stored = yield* openAlerts
        expect(stored).toEqual(expect.arrayContaining(["first", "four", "one", "seven"]))
        expect(stored.filter((id) => ["five", "six"].includes(id))).toEqual([])
      }).pipe(Effect.scoped),
    ),
  )

  it.effect("of several processes open one alert each, in whatever order they come", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([
        Layer.build(Layer.fresh(aProcess)),
        Layer.build(Layer.fresh(aProcess)),
      ])
      const all = names(40)
      const openOnce = (name: string, by: number) =>
        Effect.flatMap(AlertStore, (store) =>
          store.change(organization, { subject: subjectOf(name), id: undefined }, undefined, ({ latest }) =>
            Result.succeed(
              latest === undefined
                ? opening(opened(name, { id: `${name}-${by}` }))
                : { receipt: { alertId: latest.id, isChanged: false, deliveries: [] } },
            ),
          ),
        )
      const receipts = yield* Effect.forEach(
        processes,
        (process, by) =>
          Effect.provide(
            Effect.forEach(by === 0 ? all : all.toReversed(), (name) => openOnce(name, by), together),
            process,
          ),
        together,
      )
      const [ofOne, ofOther] = receipts.map((each) => each.map(({ alertId }) => alertId).toSorted())
      expect(ofOne).toEqual(ofOther)
      const [first] = processes
      expect(yield* Effect.provide(openAlerts, first)).toEqual(ofOne)
    }).pipe(Effect.provide(layer), Effect.scoped),
  )
})
