import { decodeDefinition } from "@tocsin/domain"
import { type Definition, sendDueNotices, type SilenceNoticeStore } from "@tocsin/domain/adapter"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import { type DefinitionStore, DeliveryLog } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "./EffectTest.ts"
import { aMethod } from "./deliveries.ts"
import { changeDefinitions, putDefinitions } from "./slo-definitions.ts"

type Stores = DefinitionStore | DeliveryLog | SilenceNoticeStore

const organization = "acme"
const start = Date.UTC(2026, 0, 30, 12)
const at = (minute: number): number => start + minute * 60_000
const textAt = (minute: number): string => new Date(at(minute)).toISOString()

const methods = ["hook", "pager"].map((name) => ({ name, project: "shop" }))

/** A silence whose end is announced 10 minutes ahead to the hook and the pager. */
const aSilence = (spec: object, name = "night"): Definition => {
  const definition = {
    apiVersion: "tocsin/v1alpha",
    kind: "AlertSilence",
    metadata: { name, project: "shop" },
    spec: { slo: "checkout", notifyBeforeEnd: { before: "10m", alertMethods: methods }, ...spec },
  }
  const silence = Result.getOrThrow(
    decodeDefinition(definition, { vendorPrefix: "tocsin", addressPolicy: publicAddressesOnly }),
  )
  if (silence.kind !== "AlertSilence") throw new Error("not a silence")
  return silence
}

const until = (endMinute: number) => ({ period: { startTime: textAt(0), endTime: textAt(endMinute) } })

/** The minutes at which the notices were made, with their alert methods and the ends that they announce. */
const sentTo = (organization: string) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* DeliveryLog).list(organization, {}, { limit: 500 })
    return items
      .map(({ notification: { id, event, silence }, alertMethod }) => {
        expect(event).toBe("silence.ending")
        const madeAt = Number.parseInt(id.replace("-", "").slice(0, 12), 16)
        const minuteOf = (ms = Number.NaN) => (ms - start) / 60_000
        return [minuteOf(madeAt), alertMethod.name, silence?.name, minuteOf(silence?.endsAt)] as const
      })
      .toSorted((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1))
  })

const sent = sentTo(organization)

const notice = (minute: number, endMinute: number, name = "night") =>
  methods.map((method) => [minute, method.name, name, endMinute] as const)

/** Three processes that look every half minute. */
const pass = (from: number, to: number) =>
  Effect.gen(function* () {
    for (let minute = from; minute <= to; minute += 0.5) {
      yield* TestClock.setTime(at(minute))
      yield* Effect.all([sendDueNotices, sendDueNotices, sendDueNotices], { concurrency: "unbounded" })
    }
  })

/** How every `SilenceNoticeStore` has notices sent. `layer` gives empty stores. */
export const silenceNoticesContract = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () =>
      Effect.provide(
        Effect.andThen(
          TestClock.setTime(start),
          Effect.andThen(
            putDefinitions(
              organization,
              methods.map((key) => aMethod(key)),
            ),
            effect,
          ),
        ),
        layer,
      ),
    )

  describe(`the notices of silences ${name}`, () => {
    test(
      "spec/alerting §22: are sent once, at their time, to each alert method",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [
          aSilence(until(20)),
          aSilence({ period: { duration: "25m" } }, "late"),
          aSilence({ ...until(20), notifyBeforeEnd: null }, "quiet"),
        ])
        yield* putDefinitions("other", [aSilence(until(30))])
        yield* pass(0, 40)
        expect(yield* sent).toEqual([...notice(10, 20), ...notice(15, 25, "late")])
        expect(yield* sentTo("other")).toEqual(notice(20, 30))
        const { items } = yield* (yield* DeliveryLog).list(organization, {}, { limit: 1 })
        expect(items[0]?.notification).toMatchObject({
          alertId: "",
          conditions: ["Silence late ends at 2026-01-30T12:25:00Z"],
          slo: { project: "shop", name: "checkout" },
        })
      }),
    )

    test(
      "spec/alerting §22: are sent late after an outage, unless the silence has ended",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [aSilence(until(20)), aSilence(until(30), "long")])
        yield* pass(22, 40)
        expect(yield* sent).toEqual(notice(22, 30, "long"))
      }),
    )

    test(
      "spec/alerting §22: follow a silence that is changed or deleted, and are not repeated",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [aSilence(until(20)), aSilence(until(20), "deleted")])
        yield* pass(0, 9.5)
        yield* changeDefinitions(
          organization,
          [aSilence(until(25))],
          [{ kind: "AlertSilence", project: "shop", name: "deleted" }],
        )
        yield* pass(10, 16)
        // Another change after the notice does not send it again; a later end has a notice of its own.
        yield* putDefinitions(organization, [aSilence({ ...until(25), description: "Longer" })])
        yield* pass(16.5, 20)
        yield* putDefinitions(organization, [aSilence(until(60))])
        yield* pass(20.5, 70)
        expect(yield* sent).toEqual([...notice(15, 25), ...notice(50, 60)])
      }),
    )

    test(
      "spec/alerting §22: are sent before the end of every occurrence",
      Effect.gen(function* () {
        const daily = {
          startTime: "2026-01-30 12:00:00",
          timeZone: "Etc/UTC",
          rrule: "FREQ=DAILY;UNTIL=20260131T235959Z",
          duration: "1h",
        }
        yield* putDefinitions(organization, [aSilence({ recurrence: daily })])
        const day = 24 * 60
        yield* pass(0, 61)
        yield* pass(day, day + 61)
        yield* pass(2 * day, 2 * day + 61)
        expect(yield* sent).toEqual([...notice(50, 60), ...notice(day + 50, day + 60)])
      }),
    )
  })
}
