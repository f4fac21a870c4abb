import { definitionToJson } from "@tocsin/domain"
import { addGroups, groupsMaxOf, removeGoneGroups } from "@tocsin/domain/adapter"
import { objectivesOf, type Slo } from "@tocsin/domain/definitions"
import { CountStore, DefinitionStore, IndicatorStore, SloStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "./EffectTest.ts"
import { sourceUrlOf } from "./ParsedValues.ts"
import { anSlo, putDefinitions } from "./slo-definitions.ts"

type Stores = CountStore | DefinitionStore | IndicatorStore | SloStore

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const start = Date.UTC(2026, 0, 30, 12)
const day = 86_400_000

/** An SLO by region with a time window of 7 days, so that its groups go after 8 days without counts. */
export const aGroupedSlo = (spec: Partial<Slo["spec"]> = {}): Slo =>
  anSlo(key, {
    timeWindow: { unit: "Day", count: 7 },
    objectives: [{ name: "good", target: 0.9 }],
    indicator: {
      prometheus: {
        url: sourceUrlOf("http://a.example.com"),
        good: "sum by (region) (good)",
        total: "sum by (region) (total)",
        groupBy: ["region"],
      },
    },
    ...spec,
  })

const stored = Effect.gen(function* () {
  const found = yield* (yield* DefinitionStore).find(organization, "SLO", key)
  return Option.getOrThrow(found).definition
})

const namesOf = (slo: Slo) => objectivesOf(slo).map(({ name }) => name)

const eu = 'good{region="eu"}'
const us = 'good{region="us"}'

/** What every store does with the groups of an SLO; `layer` gives an empty one. */
export const objectiveGroupsContract = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  describe(`groups of objectives ${name}`, () => {
    test(
      "spec/data-sources §13: every part of the service has an objective for each group",
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const slo = aGroupedSlo()
        yield* putDefinitions(organization, [slo])
        yield* putDefinitions("other", [slo])
        expect(namesOf(yield* stored)).toEqual([])
        yield* TestClock.setTime(start + day)
        yield* addGroups(organization, slo, [["eu"], ["us"]])
        yield* addGroups(organization, slo, [["eu"]])
        const written = yield* (yield* DefinitionStore).find(organization, "SLO", key)
        expect(Option.getOrThrow(written)).toMatchObject({ createdAt: start, updatedAt: start })
        expect(namesOf(yield* stored)).toEqual([eu, us])
        // They are the service's own: neither shown in the definition nor a change of it.
        expect(definitionToJson(yield* stored, "tocsin")).toEqual(definitionToJson(slo, "tocsin"))

        const record = yield* (yield* SloStore).find(organization, key)
        expect(namesOf(Option.getOrThrow(record).slo)).toEqual([eu, us])
        const due = yield* (yield* SloStore).findForStatus(organization, key)
        expect(namesOf(Option.getOrThrow(due).slo.definition)).toEqual([eu, us])
        const other = yield* (yield* SloStore).find("other", key)
        expect(namesOf(Option.getOrThrow(other).slo)).toEqual([])
      }),
    )

    test(
      "spec/data-sources §13: adding a group does not read the indicator again, and makes the status due",
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const slo = aGroupedSlo()
        yield* putDefinitions(organization, [slo])
        const indicators = yield* IndicatorStore
        const before = Option.getOrThrow(yield* indicators.find(organization, key))
        const settled = { readTo: start, failures: 0, dueAt: start + 60_000 }
        expect(yield* indicators.settle(organization, key, before, settled)).toBe(true)
        const statuses = yield* SloStore
        yield* statuses.dueForStatus(start, 10, 60_000)
        yield* addGroups(organization, slo, [["eu"]])
        expect(Option.getOrThrow(yield* indicators.find(organization, key)).readTo).toBe(start)
        expect(yield* statuses.dueForStatus(start, 10, 60_000)).toHaveLength(1)
      }),
    )

    test(
      "spec/data-sources §13: a group without counts during the time window and a day goes",
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const slo = aGroupedSlo()
        yield* putDefinitions(organization, [slo])
        yield* addGroups(organization, slo, [["eu"], ["us"]])
        const count = { good: 1, total: 1 }
        yield* (yield* CountStore).record(organization, [
          {
            slo: key,
            counts: [
              { objective: eu, at: start, ...count },
              { objective: us, at: start - day, ...count },
            ],
          },
        ])
        const remove = (now: number) =>
          Effect.flatMap(stored, (slo) => removeGoneGroups(organization, slo, now))
        yield* remove(start + 7 * day)
        expect(namesOf(yield* stored)).toEqual([eu, us])
        yield* remove(start + 7 * day + 1)
        expect(namesOf(yield* stored)).toEqual([eu])
        yield* remove(start + 8 * day + 1)
        expect(namesOf(yield* stored)).toEqual([])
      }),
    )

    test(
      "spec/data-sources §13: groups that are added at the same time are bounded, and those of another groupBy left out",
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const slo = aGroupedSlo()
        yield* putDefinitions(organization, [slo])
        const many = Array.from({ length: groupsMaxOf(slo) }, (_, n) => [`r${n}`])
        yield* addGroups(organization, slo, many)
        yield* addGroups(organization, slo, [["eu"]])
        expect((yield* stored).spec.groups).toEqual(many)
        const changed = aGroupedSlo({
          indicator: { prometheus: { ...slo.spec.indicator?.prometheus, groupBy: ["zone"] } },
        })
        yield* putDefinitions(organization, [changed])
        yield* addGroups(organization, slo, [["eu"]])
        expect((yield* stored).spec.groups).toBeUndefined()
      }),
    )
  })
}
