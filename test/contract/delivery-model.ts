import { type AttemptOutcome, isSettled } from "@tocsin/domain/adapter"
import { type ClaimedDelivery, DeliveryLog, DeliveryQueue, EndpointStore } from "@tocsin/domain/ports"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { aMethod, notify, putDefinitions, removeMethod } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import type { DeliveryStores } from "@tocsin/testing/contracts"

const organizations = ["acme", "umbrella"]
const methods = [0, 1, 2].map((number) => ({ project: "shop", name: `hook-${number}` }))

/** Longer than the steps of any run take. */
const leaseMs = 86_400_000

const endpoint = fc.record({
  organization: fc.constantFrom(...organizations),
  method: fc.constantFrom(...methods),
})

const outcome: fc.Arbitrary<AttemptOutcome> = fc.constantFrom(
  { kind: "delivered" },
  { kind: "failed" },
  { kind: "failed", retryAfterSeconds: 60 },
  { kind: "gone" },
  { kind: "reset" },
  { kind: "undeliverable" },
)

const stepOf = <K extends string, F extends object>(
  kind: K,
  fields: { readonly [P in keyof F]: fc.Arbitrary<F[P]> },
) => fc.record(fields).map((values) => ({ ...(values as F), kind }))

const step = fc.oneof(
  { weight: 4, arbitrary: stepOf("notify", { of: endpoint, count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 5, arbitrary: stepOf("claim", { limit: fc.constantFrom<number>(1, 2, 5, 1000) }) },
  { weight: 5, arbitrary: stepOf("settle", { of: endpoint, outcome }) },
  { weight: 1, arbitrary: stepOf("release", { of: endpoint, delayMs: fc.constantFrom<number>(0, 1000) }) },
  { weight: 2, arbitrary: stepOf("resend", { index: fc.nat(50) }) },
  { weight: 1, arbitrary: stepOf("pause", { of: endpoint, isPaused: fc.boolean() }) },
  { weight: 1, arbitrary: stepOf("pause all", { isPaused: fc.boolean() }) },
  { weight: 1, arbitrary: stepOf("enable", { of: endpoint }) },
  { weight: 1, arbitrary: stepOf("put", { of: endpoint, path: fc.constantFrom("a", "b") }) },
  { weight: 1, arbitrary: stepOf("delete", { of: endpoint }) },
  { weight: 4, arbitrary: stepOf("pass", { ms: fc.constantFrom<number>(1, 1000, 5000, 30_000) }) },
  {
    weight: 1,
    arbitrary: stepOf("set clock", { ms: fc.constantFrom<number>(3_600_000, -60_000, -3_600_000) }),
  },
  { weight: 1, arbitrary: stepOf("lapse", {}) },
)

/** What the stores of every side have in common at a moment, and what they have claimed. */
interface Common {
  readonly ids: Array<{ readonly organization: string; readonly id: string }>
  /** By ID, of every side in turn. */
  readonly claimed: Map<string, ReadonlyArray<ClaimedDelivery>>
  /** Claimed under a lease that has lapsed, and not again since. */
  readonly lost: Set<string>
  wasSetBack: boolean
}

const start = Date.UTC(2026, 0, 30)

class ChosenDifferently extends Data.TaggedError("ChosenDifferently") {}

/**
 * Any sequence of operations has the same results on all sides, and loses nothing. The stores share a clock, which
 * `passTime` moves.
 */
export const deliveryModel = <E>(
  name: string,
  layers: ReadonlyArray<Layer.Layer<DeliveryStores, E>>,
  {
    passTime = TestClock.adjust,
    numRuns,
  }: {
    readonly passTime?: (milliseconds: number) => Effect.Effect<void>
    readonly numRuns: number
  },
): void => {
  describe(`the delivery queue ${name}`, () => {
    it.effect.prop(
      "does the same whatever happens in which order, and loses nothing",
      [fc.array(step, { minLength: 10, maxLength: 60 })],
      ([steps]) =>
        Effect.gen(function* () {
          const sides = yield* Effect.forEach(layers, (layer) => Layer.build(Layer.fresh(layer)))
          const onEach = <A, F>(
            effect: (side: number) => Effect.Effect<A, F, DeliveryStores | Scope.Scope>,
          ) => Effect.forEach(sides, (side, index) => Effect.provide(effect(index), side))
          /** What all sides return. */
          const same = <A, F>(effect: (side: number) => Effect.Effect<A, F, DeliveryStores | Scope.Scope>) =>
            Effect.map(onEach(effect), (all) => {
              for (const other of all.slice(1)) expect(other).toEqual(all[0])
              return all[0] as A
            })
          const common: Common = { ids: [], claimed: new Map(), lost: new Set(), wasSetBack: false }

          const claimOnEach = (limit: number) =>
            Effect.map(
              onEach(() => Effect.flatMap(DeliveryQueue, (queue) => queue.claim({ limit, leaseMs }))),
              (all) => {
                for (const { claims } of all) expect(claims.length).toBeLessThanOrEqual(limit)
                for (const { claims, nextDueInMs } of all.slice(1)) {
                  expect(claims.length).toBe(all[0]?.claims.length)
                  expect(nextDueInMs).toBe(all[0]?.nextDueInMs)
                }
                return all.map(({ claims }) => claims)
              },
            )

          /**
           * Claims on every side. Which endpoint is first in turn is up to each side: where a limit has them choose
           * differently, they claim the others as well. The order of what was due before the clock was set back is also up
           * to them. Where they then chose others, they no longer do the same, and the run ends.
           */
          const claim = (limit: number) =>
            Effect.gen(function* () {
              const chosen = yield* claimOnEach(limit)
              const sets = new Set(chosen.map((claims) => claims.map(idOf).toSorted().join(" ")))
              const others = sets.size === 1 ? [] : yield* claimOnEach(1000)
              const claims = chosen.map((each, side) =>
                [...each, ...(others[side] ?? [])].toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)),
              )
              const shown = claims.map((each) =>
                each.map(({ delivery, alertMethod, isDisabled }) => ({
                  delivery,
                  url: alertMethod?.definition.spec.webhook.url,
                  isDisabled,
                })),
              )
              const ids = new Set(claims.map((each) => each.map(idOf).join(" ")))
              if (ids.size > 1 && (sets.size > 1 || common.wasSetBack)) return yield* new ChosenDifferently()
              for (const other of shown.slice(1)) expect(other).toEqual(shown[0])
              for (const [index, each] of (claims[0] ?? []).entries()) {
                expect(common.claimed.has(idOf(each)), "claimed twice").toBe(false)
                common.lost.delete(idOf(each))
                common.claimed.set(
                  idOf(each),
                  claims.flatMap((of) => of[index] ?? []),
                )
              }
              return shown[0] ?? []
            })

          /** Ends the claims of an endpoint, on every side. */
          const takeClaims = (isWanted: (claimed: ClaimedDelivery) => boolean) => {
            const taken = [...common.claimed.values()].filter(([first]) => first && isWanted(first))
            for (const [first] of taken) if (first !== undefined) common.claimed.delete(idOf(first))
            return (side: number) => taken.flatMap((of) => of[side] ?? [])
          }

          const settle = (isWanted: (claimed: ClaimedDelivery) => boolean, outcome: AttemptOutcome) => {
            const taken = takeClaims(isWanted)
            return Effect.map(
              same((side) =>
                Effect.flatMap(DeliveryQueue, (queue) =>
                  queue.settle(
                    taken(side).map(({ claimId, delivery }) => ({
                      claimId,
                      attempt: {
                        number: delivery.attempt,
                        startedAt: start,
                        durationMs: 3,
                        headMs: 2,
                        status: 500,
                      },
                      outcome,
                      random: 0.5,
                    })),
                  ),
                ),
              ),
              (lost) => expect(lost).toEqual([]),
            )
          }

          const renew = onEach(() => Effect.flatMap(DeliveryQueue, (queue) => queue.renew(leaseMs)))

          const run = (step: Step) =>
            Effect.gen(function* () {
              switch (step.kind) {
                case "notify": {
                  const { organization, method } = step.of
                  const ids = Array.from({ length: step.count }, (_, index) =>
                    idAt(common.ids.length + index),
                  )
                  common.ids.push(...ids.map((id) => ({ organization, id })))
                  return yield* onEach(() =>
                    notify(
                      organization,
                      ids.map(() => method),
                      ids,
                    ),
                  )
                }
                case "claim":
                  return yield* claim(step.limit)
                case "settle":
                  return yield* settle(isOf(step.of), step.outcome)
                case "release": {
                  const taken = takeClaims(isOf(step.of))
                  return yield* onEach((side) =>
                    Effect.flatMap(DeliveryQueue, (queue) =>
                      queue.release(taken(side).map(({ claimId }) => ({ claimId, delayMs: step.delayMs }))),
                    ),
                  )
                }
                case "resend": {
                  const found = common.ids[step.index % Math.max(1, common.ids.length)]
                  if (found === undefined || common.lost.has(found.id)) return
                  return yield* same(() =>
                    Effect.flatMap(DeliveryQueue, (queue) => queue.resend(found.organization, found.id)),
                  )
                }
                case "pause":
                  return yield* onEach(() =>
                    Effect.flatMap(EndpointStore, (endpoints) =>
                      endpoints.setPaused(step.of.organization, step.of.method, step.isPaused),
                    ),
                  )
                case "pause all":
                  return yield* onEach(() =>
                    Effect.flatMap(DeliveryQueue, (queue) => queue.setPaused(step.isPaused)),
                  )
                case "enable":
                  return yield* same(() =>
                    Effect.flatMap(EndpointStore, (endpoints) =>
                      endpoints.enable(step.of.organization, step.of.method),
                    ),
                  )
                case "put":
                  return yield* onEach(() =>
                    putDefinitions(step.of.organization, [
                      aMethod(step.of.method, {
                        url: `https://${step.of.method.name}.example.com/${step.path}`,
                      }),
                    ]),
                  )
                case "delete":
                  return yield* onEach(() => removeMethod(step.of.organization, step.of.method))
                case "pass":
                case "set clock":
                  common.wasSetBack ||= step.kind === "set clock" && step.ms < 0
                  return yield* Effect.andThen(passTime(step.ms), renew)
                case "lapse":
                  yield* passTime(leaseMs)
                  for (const id of common.claimed.keys()) common.lost.add(id)
                  common.claimed.clear()
                  return yield* claim(1000)
              }
            })

          /** The deliveries, and the endpoints, of both organizations. */
          const observe = same(() =>
            Effect.gen(function* () {
              const log = yield* DeliveryLog
              const endpoints = yield* EndpointStore
              const deliveries = yield* Effect.forEach(organizations, (organization) =>
                Effect.map(log.list(organization, {}, { limit: 500 }), ({ items }) => items),
              )
              const activities = yield* Effect.forEach(organizations, (organization) =>
                endpoints.activities(organization, methods),
              )
              return {
                // What was claimed under a lapsed lease is given back when it is claimed again, or before.
                deliveries: deliveries
                  .flat()
                  .map((delivery) =>
                    common.lost.has(delivery.notification.id) ? { id: delivery.notification.id } : delivery,
                  ),
                endpoints: activities
                  .flat()
                  .map(({ health, pause }) => ({ health, isPaused: pause.isPaused })),
              }
            }),
          )

          yield* passTime(start)
          yield* onEach(() =>
            Effect.forEach(organizations, (organization) =>
              putDefinitions(
                organization,
                methods.map((key) => aMethod(key)),
              ),
            ),
          )
          for (const step of steps) {
            yield* run(step)
            yield* observe
          }

          // In the end everything is settled, and the log has every delivery with the attempts that were made.
          yield* run({ kind: "pause all", isPaused: false })
          for (const organization of organizations) {
            for (const method of methods) {
              yield* run({ kind: "pause", of: { organization, method }, isPaused: false })
            }
          }
          for (let rounds = 0; rounds < 100; rounds++) {
            yield* settle(isSendable, { kind: "delivered" })
            yield* settle(() => true, { kind: "undeliverable" })
            const { deliveries } = yield* observe
            if (deliveries.every((delivery) => "state" in delivery && isSettled(delivery))) break
            yield* run({ kind: "pass", ms: 3_600_000 })
            yield* claim(1000)
          }
          const { deliveries } = yield* observe
          expect(deliveries.length).toBe(common.ids.length)
          for (const delivery of deliveries) {
            expect("state" in delivery && isSettled(delivery), JSON.stringify(delivery)).toBe(true)
          }
          yield* Effect.forEach(common.ids, ({ organization, id }) =>
            same(() =>
              Effect.map(
                Effect.flatMap(DeliveryLog, (log) => log.find(organization, id)),
                (found) => Option.getOrThrow(found).attempts.map(({ number }) => number),
              ),
            ),
          )
        }).pipe(Effect.catchTag("ChosenDifferently", () => Effect.void)),
      { timeout: 120_000, fastCheck: { numRuns, examples: [[wakesBehindOneOfTheFuture]] } },
    )
  })
}

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** Deliveries that wake their endpoint after the clock was set back behind a wake that was taken. */
const wakesBehindOneOfTheFuture: Array<Step> = (() => {
  const of = { organization: "acme", method: { project: "shop", name: "hook-0" } }
  const claim: Step = { kind: "claim", limit: 1 }
  const notify: Step = { kind: "notify", of, count: 1 }
  const pass: Step = { kind: "pass", ms: 1 }
  return [
    { kind: "enable", of },
    claim,
    pass,
    notify,
    { kind: "set clock", ms: -60_000 },
    claim,
    notify,
    claim,
    pass,
    notify,
    pass,
    claim,
    claim,
  ]
})()

const idAt = (index: number): string => `019c0000-0000-7000-8000-${String(index).padStart(12, "0")}`

const idOf = ({ delivery }: ClaimedDelivery): string => delivery.notification.id

const isSendable = ({ alertMethod, isDisabled }: ClaimedDelivery): boolean =>
  alertMethod !== undefined && !isDisabled

const isOf =
  (of: { readonly organization: string; readonly method: { readonly name: string } }) =>
  ({ delivery }: ClaimedDelivery): boolean =>
    delivery.notification.organization === of.organization && delivery.alertMethod.name === of.method.name
