import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import * as RateLimiterPg from "../../src/access/RateLimiterPg.ts"
import { databaseLayer } from "@tocsin/adapters-pg/admin"
import { receiveAlertRequest } from "@tocsin/domain"
import { DeliveryQueue, SecretBox } from "@tocsin/domain/ports"
import { aMethod, anSlo, notify, putDefinitions, settleAllDue } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { connection, onOneServer, testBox } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"
import { faultyNetwork } from "./FaultyNetwork.ts"
import { type SentStatement, wireStatements } from "./WireStatements.ts"

const statements = wireStatements()
const network = await faultyNetwork(connection, statements.watch)

const aProcess = Layer.mergeAll(
  AlertStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryQueuePg.layer,
  RateLimiterPg.layer,
).pipe(
  Layer.provide(DeliveryHints.layer),
  Layer.provide(
    databaseLayer({ connection: network.connection, connectionsMax: 4, connectTimeoutMs: 20_000 }),
  ),
  Layer.provide(Layer.succeed(SecretBox, testBox)),
)

const organization = "acme"
const alertMethod = { project: "shop", name: "on-call" }

/** Runs an effect; returns its result with how many statements and durable commits it took. */
const counted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    statements.take()
    const value = yield* effect
    const sent = statements.take().filter(({ text }) => !/pg_notify|LISTEN/.test(text))
    return { value, sent }
  })

const costOf = (sent: ReadonlyArray<SentStatement>) => ({
  statements: sent.length,
  commits: sent.filter(({ isDurable }) => isDurable).length,
})

describe.skipIf(onOneServer.skip)("one delivery alone", () => {
  it.effect("takes so many statements in turn, and so many durable commits", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      yield* putDefinitions(organization, [aMethod(alertMethod)])
      // The process owns the organization, and knows its alert method, from the one before.
      yield* notify(organization, [alertMethod])
      expect(yield* settleAllDue({ kind: "delivered" })).toHaveLength(1)

      const accepted = yield* counted(notify(organization, [alertMethod]))
      const claimed = yield* counted(queue.claim({ limit: 10, leaseMs: 30_000 }))
      expect(claimed.value.claims.map(({ delivery }) => delivery.notification.id)).toEqual(accepted.value)
      const settled = yield* counted(
        queue.settle(
          claimed.value.claims.map(({ claimId }) => ({
            claimId,
            attempt: { number: 1, startedAt: 0, durationMs: 1 },
            outcome: { kind: "delivered" },
            random: 0,
          })),
        ),
      )
      expect(settled.value).toEqual([])
      expect({
        accept: costOf(accepted.sent),
        claim: costOf(claimed.sent),
        settle: costOf(settled.sent),
      }).toEqual({
        accept: { statements: 5, commits: 1 },
        // The process hands what it accepts over to its own queue.
        claim: { statements: 1, commits: 1 },
        settle: { statements: 1, commits: 1 },
      })
    }).pipe(Effect.provide(Layer.provideMerge(aProcess, layer))),
  )

  it.effect("is accepted in a bounded number of statements, with what is read about the alert", () =>
    Effect.gen(function* () {
      const slo = { project: "shop", name: "checkout" }
      yield* putDefinitions(organization, [aMethod(alertMethod), anSlo(slo)])
      const receive = (alertId: string) =>
        receiveAlertRequest(organization, { status: "triggered", slo, alertId, alertMethods: [alertMethod] })
      yield* receive("first")
      expect(yield* settleAllDue({ kind: "delivered" })).toHaveLength(1)
      const { value, sent } = yield* counted(receive("second"))
      expect(value.deliveries).toHaveLength(1)
      // The transaction, which also inserts the alert; the count of deliveries for the rate limit; and what is read before.
      const { statements, commits } = costOf(sent)
      expect(statements).toBeLessThanOrEqual(12)
      expect(commits).toBeLessThanOrEqual(2)
    }).pipe(Effect.provide(Layer.provideMerge(aProcess, layer))),
  )
})
