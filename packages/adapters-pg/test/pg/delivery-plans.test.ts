import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as BulkResendStorePg from "../../src/delivery/BulkResendStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import * as EndpointStorePg from "../../src/delivery/EndpointStorePg.ts"
import {
  bulkResendWaitMaxMs,
  type ResendFilter,
  storedAlert,
  storedAttempt,
  storedHealth,
  storedNotificationContent,
  storedResendFilter,
  unknownHealth,
} from "@tocsin/domain/adapter"
import { AlertStore, BulkResendStore, DeliveryLog, DeliveryQueue, EndpointStore } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import { alertOf, aMethod, aNotificationContent, notify, putDefinitions } from "@tocsin/testing/fixtures"
import { describeWith, expect, testClock } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { statementsOf } from "../../../../test/pg/Statements.ts"
import { runScript } from "../../../../test/pg/RunScript.ts"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  BulkResendStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  DeliveryQueuePg.layer,
  EndpointStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provideMerge(layer))

const organization = "acme"
const hook = { project: "p-5", name: "m-5" }
/** All that was not delivered is of this one. */
const failing = { project: "p-0", name: "m-0" }
const day = 86_400_000

const filled = Layer.provideMerge(Layer.effectDiscard(Effect.suspend(() => fill)), stores)

describeWith(Layer.merge(filled, testClock))(
  "on a queue that has sent 100,000 deliveries to 100,000 endpoints",
  (it) => {
    it.effect("no claim, settlement, list or look-up reads a whole table", () =>
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const log = yield* DeliveryLog
        const endpoints = yield* EndpointStore
        const alerts = yield* AlertStore
        const resends = yield* BulkResendStore
        yield* putDefinitions(organization, [aMethod(hook)])
        yield* notify(organization, [hook, hook])
        const { claims } = yield* queue.claim({ limit: 2, leaseMs: 30_000 })
        const attempt = { number: 1, startedAt: 0, durationMs: 1 }
        const [claimId = "", otherId = ""] = claims.map((claimed) => claimed.claimId)
        const page = { limit: 500 }
        const after = { ...page, after: "d-50000" }
        const subject = { slo: { project: "shop", name: "s-5" } }
        const operations: Record<
          string,
          Effect.Effect<unknown, unknown, AlertStore | SqlClient.SqlClient>
        > = {
          "a claim": Effect.andThen(
            notify(organization, [hook]),
            queue.claim({ limit: 256, leaseMs: 30_000 }),
          ),
          "a renewed lease": queue.renew(30_000),
          "a settlement": queue.settle([{ claimId, attempt, outcome: { kind: "failed" }, random: 0 }]),
          "a release": queue.release([{ claimId: otherId, delayMs: 0 }]),
          "a delivery": log.find(organization, "d-50000"),
          deliveries: log.list(organization, {}, page),
          "deliveries behind a cursor": log.list(organization, {}, after),
          "deliveries of a method": log.list(organization, { alertMethod: hook }, after),
          "deliveries that wait": log.list(organization, { states: ["pending"] }, page),
          "deliveries of a method that wait": log.list(
            organization,
            { alertMethod: hook, states: ["pending", "sending"] },
            page,
          ),
          "deliveries that were not delivered yet": log.list(
            organization,
            { states: ["failed", "exhausted", "pending"], events: ["alert.triggered"] },
            after,
          ),
          "deliveries that were delivered": log.list(organization, { states: ["delivered"] }, after),
          "deliveries that failed": log.list(organization, { states: ["failed", "exhausted"] }, page),
          "deliveries of a time": log.list(organization, { from: day, to: 2 * day }, page),
          "deliveries of an alert": log.list(organization, { alertId: "alert-5" }, page),
          "deliveries of an alert behind a cursor": log.list(organization, { alertId: "alert-5" }, after),
          "deliveries of an event": log.list(organization, { events: ["alert.resolved"] }, page),
          "a delivery to be sent again": queue.resend(organization, "d-50000"),
          "an endpoint": endpoints.find(organization, hook),
          "alert methods with how they are": endpoints.activities(organization, [
            hook,
            { ...hook, name: "x" },
          ]),
          "a method enabled": endpoints.enable(organization, hook),
          "an alert": alerts.find(organization, { subject, id: "a-5" }),
          "alerts of a project": alerts.list(organization, { project: "shop" }, page),
          "alerts of an SLO": alerts.list(organization, { project: "shop", slos: ["s-5"] }, page),
          "alerts of an objective": alerts.list(organization, { objectives: ["o-5"] }, page),
          "alerts of a policy": alerts.list(organization, { alertPolicies: ["p-5"] }, page),
          "open alerts": alerts.list(organization, { statuses: ["triggered"] }, page),
          "canceled alerts": alerts.list(organization, { statuses: ["canceled"] }, page),
          "open alerts of an SLO": alerts.list(
            organization,
            { slos: ["s-5"], statuses: ["triggered"] },
            page,
          ),
          "alerts of a service": alerts.list(organization, { services: ["w-5"] }, page),
          "alerts of an objective value": alerts.list(organization, { objectiveValues: [5] }, page),
          "alerts of a severity": alerts.list(organization, { severities: ["High"] }, page),
          "alerts of two severities": alerts.list(organization, { severities: ["High", "Medium"] }, page),
          "the newest alerts that have a frequent severity": alerts.list(
            organization,
            { severities: ["Low", "Medium"] },
            page,
          ),
          "alerts of a time": alerts.list(organization, { from: day, to: day + 1_000 }, page),
          "alerts that were open lately": alerts.list(organization, { activeFrom: 100_000 * 2400 }, page),
          "alerts that were open for a while": alerts.list(
            organization,
            { activeFrom: day, to: day + 3_600_000 },
            page,
          ),
          "the newest alerts": alerts.list(organization, {}, page),
          "the newest alerts that are over": alerts.list(
            organization,
            { statuses: ["resolved", "canceled"], from: day },
            { ...page, after: { triggeredAt: 2 * day, id: "a-5" } },
          ),
          "the newest alerts of an SLO": alerts.list(organization, { slos: ["s-5"] }, page),
          "the alerts of policies, counted": alerts.countByPolicy(
            organization,
            Array.from({ length: 500 }, (_, n) => ({ project: "shop", name: `p-${n}` })),
            90_000 * 2400,
          ),
          "alerts by ID": alerts.list(organization, { ids: ["a-5", "a-6"] }, page),
          "an alert that notifies": notify(organization, [hook]),
          "bulk resends": resends.list(organization, { ...page, after: "r-50000" }),
          "a bulk resend": resends.find(organization, "r-50000"),
          "a bulk resend canceled": resends.cancel(organization, "r-50000"),
          "old bulk resends": Effect.flatMap(SqlClient.SqlClient, BulkResendStorePg.dropOldResends),
          "old alerts": Effect.flatMap(SqlClient.SqlClient, (sql) => AlertStorePg.dropOldAlerts(sql, 0)),
        }
        const notDelivered = { states: ["exhausted", "failed"] } as const
        const all = { states: ["delivered", "failed"] } as const
        const range = { from: day, to: 2 * day }
        const filters: Readonly<Record<string, ResendFilter>> = {
          "all that failed": notDelivered,
          "all that failed of a method": { ...notDelivered, alertMethod: failing },
          "all that failed of a time": { ...notDelivered, ...range },
          "all that failed of a method and a time": { ...notDelivered, alertMethod: failing, ...range },
          "all of a time": { ...all, ...range },
          "all of a method and a time": { ...all, alertMethod: failing, ...range },
        }
        for (const [what, filter] of Object.entries(filters)) {
          operations[`${what}, counted`] = resends.count(organization, filter, 1_000)
          operations[`${what}, resent`] = Effect.gen(function* () {
            yield* passTime(3 * day)
            yield* resends.add(organization, { id: what, filter, matched: 0, mayMatchMore: false })
            // The second goes on from where the first has come.
            for (let count = 0; count < 2; count++) {
              expect(yield* resends.step({ batchMax: 2, readMax: 1_000 }), what).toBe(true)
              yield* passTime(bulkResendWaitMaxMs)
            }
            expect(
              (yield* Effect.flatMap(resends.find(organization, what), Effect.fromOption)).resent,
              what,
            ).toBe(4)
            yield* resends.cancel(organization, what)
          })
        }
        for (const [what, operation] of Object.entries(operations)) {
          const statements = yield* statementsOf(operation)
          expect(statements.length, what).toBeGreaterThan(0)
          for (const { text, plan } of statements) {
            // These hold a handful of rows, whatever happens.
            const large = plan
              .replaceAll(/Seq Scan on (organizations|queue_pauses|queue_processes|test_clock)/g, "")
              // By the clock of the test, which begins at 0, all wakes are recent and read.
              .replaceAll(/Seq Scan on delivery_wakes.*\n *Filter: \(+at >= '-\d+'/g, "")
            expect(large, `${what}: ${text}\n${plan}`).not.toMatch(/Seq Scan/)
            // What is read in the order of the list ends with the page.
            if (what === "alerts of a severity") expect(plan).toMatch(/Backward using alerts_by_severity/)
            if (what === "open alerts") expect(plan).toMatch(/Backward using alerts_open_by_time/)
            if (what === "the alerts of policies, counted") {
              // Of the older alerts, those that are open.
              const conditions = plan.match(/Index Cond: .*triggered_at.*/g) ?? []
              expect(
                conditions.some((condition) => /triggered_at >= /.test(condition)),
                plan,
              ).toBe(true)
              expect(plan).toMatch(/using alerts_open(_by_time)? on alerts|on alerts_open(_by_time)?\b/)
            }
            if (what === "canceled alerts") expect(plan).toMatch(/Backward using alerts_canceled/)
            if (/^the newest alerts($| that)/.test(what))
              expect(plan).toMatch(/Backward using alerts_by_time/)
            if (what === "deliveries that failed") {
              expect(plan).toMatch(/Backward using delivery_attempts_\d+_organization_id_idx/)
              expect(plan).not.toMatch(/Bitmap/)
            }
            if (!what.startsWith("deliveries of an alert")) continue
            // Nothing else is read, and nothing is put in order: of each partition what a page has.
            expect(plan.match(/Index.* Scan.*\n?.*alert_id/g), plan).toHaveLength(3)
            expect(plan).not.toMatch(/Bitmap/)
          }
        }
      }),
    )
  },
)

const fill = Effect.gen(function* () {
  const content = storedNotificationContent.write(aNotificationContent(organization)).json
  const attempt = storedAttempt.write({ number: 1, startedAt: 0, durationMs: 1 }).json
  const partitions = ["notifications", "deliveries", "delivery_attempts"].flatMap((table) =>
    [0, 1, 2].map(
      (n) =>
        `CREATE TABLE ${table}_${n * day} PARTITION OF ${table} FOR VALUES FROM (${n * day}) TO (${(n + 1) * day});`,
    ),
  )
  yield* runScript(`
    ${partitions.join("\n")}
    INSERT INTO notifications (organization, id, created_at, content)
    SELECT 'acme', 'd-' || n, n * 2400, '${content}' FROM generate_series(1, 100000) AS n
    UNION ALL SELECT 'acme', 'w-' || n, 0, '${content}' FROM generate_series(1, 20000) AS n;
    INSERT INTO deliveries (organization, id, created_at, project, name, notification, event, alert_id)
    SELECT 'acme', 'd-' || n, n * 2400, 'p-' || n % 100, 'm-' || n % 100, 'd-' || n, 'alert.triggered', 'alert-' || n % 50000
    FROM generate_series(1, 100000) AS n
    UNION ALL
    SELECT 'acme', 'w-' || n, 0, 'p-' || n % 100, 'm-' || n % 1000, 'w-' || n, 'alert.triggered', 'alert-' || n % 10000
    FROM generate_series(1, 20000) AS n;
    INSERT INTO delivery_attempts (organization, id, created_at, number, attempt, attempts_used, state, settled_at)
    SELECT 'acme', 'd-' || n, n * 2400, 1, '${attempt}', 1,
      CASE n % 100 WHEN 0 THEN 'failed' ELSE 'delivered' END, n * 2400
    FROM generate_series(1, 100000) AS n;
    INSERT INTO delivery_queue
      (organization, id, created_at, project, name, notification, is_retry, due_at, scheduled_at, attempt, attempts_used)
    SELECT 'acme', 'w-' || n, 0, 'p-' || n % 100, 'm-' || n % 1000, 'w-' || n, true, ${day} + n, 0, 1, 1
    FROM generate_series(1, 20000) AS n;
    INSERT INTO endpoints (organization, project, name, health)
    SELECT 'acme', 'p-' || n % 100, 'm-' || n, '${storedHealth.write(unknownHealth).json}'
    FROM generate_series(0, 99999) AS n;
    INSERT INTO definitions (organization, kind, project, name, definition, labels, version, created_at, updated_at)
    SELECT 'acme', 'AlertMethod', 'p-' || n % 100, 'm-' || n, '{}', '{}', 1, 0, 0 FROM generate_series(10, 50000) AS n;
    INSERT INTO queue_owners (organization, owner, epoch, next_due_at)
    SELECT 'o-' || n, NULL, 0, NULL FROM generate_series(1, 10000) AS n;
    INSERT INTO delivery_wakes (organization, project, name, at)
    SELECT 'acme', 'p-' || n % 100, 'm-' || n, 0 FROM generate_series(0, 9999) AS n;
    ALTER TABLE delivery_wakes SET (autovacuum_enabled = false);
    ANALYZE;
    DELETE FROM delivery_wakes;
    INSERT INTO bulk_resends (organization, id, filter, created_at, matched, may_match_more, state, ended_at)
    SELECT 'acme', 'r-' || n, '${storedResendFilter.write({ states: ["failed"] }).json}', n, 0, false, 'done', 1000 + n FROM generate_series(1, 100000) AS n;
    INSERT INTO alerts (organization, id, subject, project, slo, objective, alert_policy, status, triggered_at, alert,
      resolved_at, position, service, objective_value, severity, active_to)
    SELECT 'acme', 'a-' || n, 'shop/s-' || n || '   ', CASE n % 2 WHEN 0 THEN 'shop' ELSE 'p-' || n % 100 END,
      's-' || n % 1000, 'o-' || n % 1000, 'p-' || n % 1000, CASE n % 1000 WHEN 0 THEN 'triggered' WHEN 500 THEN 'canceled' ELSE 'resolved' END,
      n * 2400, '${storedAlert.write(alertOf("alert")).json}', CASE n % 1000 WHEN 0 THEN NULL ELSE n END, n, 'w-' || n % 1000, n % 1000,
      CASE WHEN n % 1000 = 0 THEN 'High' WHEN n % 1000 = 1 THEN 'Medium' WHEN n % 10 > 1 THEN 'Low' END, n * 2400 + 60000
    FROM generate_series(1, 100000) AS n;
    INSERT INTO alert_receipts SELECT 'acme', 'k-' || n, 'f', '{}', 1000 + n FROM generate_series(1, 100000) AS n;
    ANALYZE alerts, alert_receipts, bulk_resends`)
}).pipe(Effect.orDie)
