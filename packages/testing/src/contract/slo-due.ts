import { instantOf } from "./ParsedValues.ts"
import type { PastChanges } from "@tocsin/domain"
import {
  type AlertSilence,
  type Definition,
  RequestTraceparent,
  storedLifecycles,
} from "@tocsin/domain/adapter"
import type { AlertPolicy } from "@tocsin/domain/alerting"
import { durationOf } from "@tocsin/domain/codec"
import type { BudgetAdjustment, Objective, Slo } from "@tocsin/domain/definitions"
import {
  type Labels,
  type OrganizationId,
  parseLabelFilter,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import { CountStore, type DefinitionStore, type DueSlo, type Recording, SloStore } from "@tocsin/domain/ports"
import { describe, expect, it } from "./EffectTest.ts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { anSlo, changeDefinitions, putDefinitions } from "./slo-definitions.ts"

const organization = "acme"
const key = { project: "shop", name: "checkout" }

type Stores = SloStore | CountStore | DefinitionStore

/** How every `SloStore` hands out the SLOs whose status is due, and what it notices. `layer` gives empty ones. */
export const sloDueContract = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  describe(`the SLOs of SloStore ${name} that are due`, () => {
    test(
      "spec/slos §9: are each handed to one of many that ask at once",
      Effect.gen(function* () {
        const keys = Array.from({ length: 60 }, (_, index) => ({ ...key, name: `slo-${index}` }))
        yield* putDefinitions(
          organization,
          keys.map((key) => anSlo(key)),
        )
        const store = yield* SloStore
        const handed = yield* Effect.forEach(
          Array.from({ length: 12 }),
          () => store.dueForStatus(1_000, 10, leaseMs),
          {
            concurrency: "unbounded",
          },
        )
        const names = handed.flat().map(({ slo }) => slo.definition.metadata.name)
        expect(names).toHaveLength(new Set(names).size)
        // One that was held by another asker is passed over, and is there at the next look.
        const rest = yield* store.dueForStatus(1_000, 60, leaseMs)
        expect(new Set([...names, ...rest.map(({ slo }) => slo.definition.metadata.name)]).size).toBe(60)
        expect(names.length + rest.length).toBe(60)
      }),
    )

    test(
      "spec/alerting §12: come with the past minutes that counts have changed, also those of components, until the status is written",
      Effect.gen(function* () {
        const composed = anSlo(
          { ...key, name: "composed" },
          { objectives: [{ name: "all", target: 0.9, composite: compositeOf(key, "good") }] },
        )
        yield* putDefinitions(organization, [anSlo(key), composed])
        const keys = [key, { ...key, name: "composed" }]
        const hour = 3_600_000
        yield* TestClock.setTime(12 * hour)
        const past = Effect.forEach(keys, (each) => Effect.map(findDue(each), changedCountsOf))
        const record = (good: number, ...times: ReadonlyArray<number>) =>
          Effect.flatMap(CountStore, (store) =>
            store.record(organization, [
              { slo: key, counts: times.map((at) => ({ objective: "good", at, good, total: 9 })) },
            ]),
          )
        // The first counts of an objective are none in the past, but more than an hour old for a composite, and at most an hour
        // before the latest ones there are none.
        yield* record(1, 10 * hour, 12 * hour)
        yield* record(1, 11 * hour)
        const changedAt = 12 * hour
        const first = {
          component: "shop/checkout",
          track: "good",
          changedAt,
          ranges: [minuteAt(10 * hour)],
          before: [],
        }
        expect(yield* past).toEqual([[], [first]])
        yield* record(2, 10 * hour, 11 * hour - 60_000)
        yield* record(3, 10 * hour, 3 * hour, 3 * hour + 60_000, 11 * hour)
        const ranges = [
          { from: 3 * hour, to: 3 * hour + 120_000 },
          minuteAt(10 * hour),
          minuteAt(11 * hour - 60_000),
        ]
        const before = [{ at: 10 * hour, good: 1, total: 9 }]
        const changed = { track: "good", changedAt, ranges, before }
        expect(yield* past).toEqual([[changed], [{ ...first, ranges }]])
        const due = yield* findDue(key)
        yield* record(1, 4 * hour)
        yield* write(due, undefined)
        // Those of the later counts are still to be evaluated.
        expect((yield* past)[0]?.[0]?.ranges).toEqual([ranges[0], minuteAt(4 * hour), ...ranges.slice(1)])
        const later = yield* findDue(key)
        const needed = { counts: [changed] }
        yield* write(later, undefined, needed)
        expect((yield* findDue(key)).pastChanges).toEqual(needed)
        yield* write(yield* findDue(key), undefined)
        expect((yield* findDue(key)).pastChanges).toBeUndefined()
      }),
    )

    test(
      "spec/alerting §24: are listed as held, with the past that has changed, while their evaluation holds alerts",
      Effect.gen(function* () {
        const store = yield* SloStore
        const keys = [
          { project: "shop", name: "a" },
          { project: "shop", name: "b" },
          { project: "zoo", name: "a" },
          { project: "zoo", name: "unheld" },
          { project: "zoo", name: "unchanged" },
        ]
        yield* putDefinitions(
          organization,
          keys.map((each) => anSlo(each)),
        )
        yield* putDefinitions("other", [anSlo({ project: "shop", name: "a" })])
        const changes: PastChanges = {
          counts: [{ track: "good", changedAt: 1, ranges: [minuteAt(0)], before: [] }],
        }
        const fingerprint = { policy: "p", slo: "s", windowStart: 0 }
        const lifecycles = (isHeld: boolean): string =>
          storedLifecycles.write({
            // A name that reads like the time of a hold is none.
            '"heldSince": good': { fingerprint, ...(isHeld && { heldGroups: [0], heldSince: 7 }) },
          }).json
        for (const each of keys) {
          const past = each.name === "unchanged" ? undefined : changes
          yield* write(yield* findDue(each), lifecycles(each.name !== "unheld"), past)
        }
        const held = (slo: ProjectKey) => ({
          slo,
          ...(slo.name !== "unchanged" && { pastChanges: changes }),
          evaluation: lifecycles(true),
        })
        expect(yield* store.held(organization, 4)).toEqual({
          items: keys.filter(({ name }) => name !== "unheld").map(held),
          hasMore: false,
        })
        expect(yield* store.held(organization, 2)).toEqual({
          items: keys.slice(0, 2).map(held),
          hasMore: true,
        })
        const namesOf = (filter: Partial<ProjectKey>, of: OrganizationId = organization) =>
          Effect.map(store.held(of, 10, filter), ({ items }) => items.map(({ slo }) => projectKeyText(slo)))
        expect(yield* namesOf({ project: "shop" })).toEqual(["shop/a", "shop/b"])
        expect(yield* namesOf({ name: "a" })).toEqual(["shop/a", "zoo/a"])
        expect(yield* namesOf({ project: "zoo", name: "a" })).toEqual(["zoo/a"])
        expect(yield* namesOf({ project: "none" })).toEqual([])
        expect(yield* namesOf({}, "other")).toEqual([])
        yield* write(yield* findDue({ project: "shop", name: "a" }), lifecycles(false), changes)
        expect(yield* namesOf({ project: "shop" })).toEqual(["shop/b"])
      }),
    )

    test(
      "spec/alerting §12: come with no past minutes that had no count and that no condition has measured, except for composites",
      Effect.gen(function* () {
        const composed = anSlo(
          { ...key, name: "composed" },
          { objectives: [{ name: "all", target: 0.9, composite: compositeOf(key, "good") }] },
        )
        yield* putDefinitions(organization, [anSlo(key), composed])
        const hour = 3_600_000
        yield* TestClock.setTime(12 * hour)
        const record = (times: ReadonlyArray<number>, good: number, unmeasured?: Recording["unmeasured"]) =>
          Effect.flatMap(CountStore, (store) =>
            store.record(organization, [
              {
                slo: key,
                counts: times.map((at) => ({ objective: "good", at, good, total: 9 })),
                unmeasured,
              },
            ]),
          )
        yield* record([12 * hour], 1)
        yield* record([3 * hour], 1)
        yield* record([2 * hour, 3 * hour, 4 * hour, 5 * hour], 2, { from: 2 * hour, to: 5 * hour })
        const [changed] = changedCountsOf(yield* findDue(key))
        // The minute at 3 had a count, and that at 5 is not in the range.
        expect(changed?.ranges).toEqual([minuteAt(3 * hour), minuteAt(5 * hour)])
        const [ofComposite] = changedCountsOf(yield* findDue({ ...key, name: "composed" }))
        expect(ofComposite?.ranges).toEqual([2, 3, 4, 5].map((each) => minuteAt(each * hour)))
      }),
    )

    test(
      "spec/alerting §12: of a composite are computed again if the first recent minutes of a component were recorded meanwhile",
      Effect.gen(function* () {
        const composedKey = { ...key, name: "composed" }
        const composed = anSlo(composedKey, {
          objectives: [{ name: "all", target: 0.9, composite: compositeOf(key, "good") }],
        })
        yield* putDefinitions(organization, [anSlo(key), composed])
        const record = (at: number, isFirstRecent: boolean) =>
          Effect.flatMap(CountStore, (store) =>
            store.record(organization, [
              { slo: key, counts: [{ objective: "good", at, good: 1, total: 9 }], isFirstRecent },
            ]),
          )
        const before = yield* findDue(composedKey)
        yield* record(0, false)
        expect(yield* write(before, undefined)).toBe(true)
        const stale = yield* findDue(composedKey)
        yield* record(60_000, true)
        expect(yield* write(stale, undefined)).toBe(false)
        expect(yield* write(yield* findDue(composedKey), undefined)).toBe(true)
      }),
    )

    test(
      "spec/alerting §12: are not due, and have no other counts, when the same counts are recorded again",
      Effect.gen(function* () {
        const composite = { target: 0.9, burnRateCondition: { value: 2, op: "gte" } } as const
        yield* putDefinitions(organization, [anSlo(key, { composite }), anSlo({ ...key, name: "other" })])
        const hour = 3_600_000
        yield* TestClock.setTime(12 * hour)
        const record = (name: string, counts: ReadonlyArray<readonly [at: number, good: number]>) =>
          Effect.flatMap(CountStore, (store) =>
            store.record(organization, [
              {
                slo: { ...key, name },
                counts: counts.map(([at, good]) => ({ objective: "good", at, good, total: 4 })),
              },
            ]),
          )
        const all = Array.from({ length: 300 }, (_, index) => [12 * hour - index * 60_000, 3] as const)
        yield* record(key.name, all)
        yield* record("other", all)
        yield* write(yield* findDue(key), undefined)
        const before = yield* findDue(key)
        yield* record(key.name, all)
        expect(yield* findDue(key)).toEqual(before)
        expect(yield* dueNames(12 * hour)).toEqual(["other"])
        // Of many, one that differs is the only change; the legacy composite's minute was bad before.
        const at = 8 * hour
        const changedAt = 12 * hour
        yield* record(
          key.name,
          all.map(([each, good]) => [each, each === at ? 4 : good]),
        )
        expect(changedCountsOf(yield* findDue(key))).toEqual([
          { track: "", changedAt, ranges: [minuteAt(at)], before: [{ at, good: 0, total: 1 }] },
          { track: "good", changedAt, ranges: [minuteAt(at)], before: [{ at, good: 3, total: 4 }] },
        ])
        expect(yield* dueNames(12 * hour)).toEqual([key.name])
      }),
    )

    test(
      "spec/telemetry §4: come with the trace of what recorded counts, also of components, until the status is written",
      Effect.gen(function* () {
        const composed = anSlo(
          { ...key, name: "composed" },
          { objectives: [{ name: "all", target: 0.9, composite: compositeOf(key, "good") }] },
        )
        yield* putDefinitions(organization, [anSlo(key), composed])
        const traces = Effect.forEach([key, { ...key, name: "composed" }], (each) =>
          Effect.map(findDue(each), (due) => due.traceparent),
        )
        const record = (at: number, traceparent?: string) =>
          Effect.flatMap(CountStore, (store) =>
            store.record(organization, [{ slo: key, counts: [{ ...aCount, at }] }]),
          ).pipe(Effect.provideService(RequestTraceparent, traceparent))
        yield* record(0)
        expect(yield* traces).toEqual([undefined, undefined])
        yield* record(60_000, "first")
        yield* record(120_000, "second")
        yield* record(180_000)
        expect(yield* traces).toEqual(["second", "second"])
        const [claimed] = yield* (yield* SloStore).dueForStatus(0, 10, 1_000)
        expect(claimed?.traceparent).toBe("second")
        yield* write(yield* findDue(key), undefined)
        expect(yield* traces).toEqual([undefined, "second"])
      }),
    )

    test(
      "come with the policies that they name, in their order, and with their silences, as they are now",
      Effect.gen(function* () {
        const slo = anSlo(key, { alertPolicies: ["slow", "fast", "gone"] })
        const others = [anSlo({ ...key, name: "other" }), aPolicy("unused"), aSilence("of-other", "other")]
        const foreign = { ...aPolicy("fast"), metadata: { project: "other", name: "fast" } }
        yield* putDefinitions(organization, [
          slo,
          aPolicy("fast"),
          aPolicy("slow"),
          aSilence("b"),
          aSilence("a"),
          foreign,
          ...others,
        ])
        yield* putDefinitions("other", [anSlo(key), aPolicy("fast"), aSilence("c")])
        const store = yield* SloStore
        const due = yield* store.dueForStatus(1_000, 10, leaseMs)
        const found = due.find(
          (each) => each.organization === organization && each.slo.definition.metadata.name === key.name,
        )
        expect(found?.slo.definition).toEqual(slo)
        expect(found?.policies.map(({ definition }) => definition)).toEqual([
          aPolicy("slow"),
          aPolicy("fast"),
        ])
        expect(found?.silences.map(({ definition }) => definition)).toEqual([aSilence("a"), aSilence("b")])
        expect(found?.evaluation).toBeUndefined()
        expect(yield* findDue(key)).toEqual(found)

        yield* putDefinitions(organization, [aPolicy("fast", "10m")])
        yield* changeDefinitions(organization, [], [{ kind: "AlertSilence", ...key, name: "a" }])
        const later = yield* findDue(key)
        expect(later.policies.map(({ definition }) => definition)).toEqual([
          aPolicy("slow"),
          aPolicy("fast", "10m"),
        ])
        expect(later.silences.map(({ definition }) => definition)).toEqual([aSilence("b")])
      }),
    )

    test(
      "spec/budget-adjustments §2: come with the adjustments that may be theirs or of their components",
      Effect.gen(function* () {
        const component = { project: "infra", name: "database" }
        const composite = anSlo(key, {
          objectives: [{ name: "whole", target: 0.9, composite: compositeOf(component, "good") }],
        })
        yield* putDefinitions(organization, [
          labelledSlo(key, composite.spec),
          labelledSlo(component),
          anSlo({ ...key, name: "other" }),
          anAdjustment("own", { slos: [key] }),
          anAdjustment("both", { slos: [key, component] }),
          anAdjustment("part", { slos: [component] }),
          anAdjustment("labels", { sloLabels: "team" }),
          {
            ...anAdjustment("theirs", { sloLabels: "team:payments" }),
            metadata: { project: component.project, name: "theirs" },
          },
          anAdjustment("elsewhere", { slos: [{ ...key, name: "other" }] }),
          {
            ...anAdjustment("foreign", { sloLabels: "team" }),
            metadata: { project: "else", name: "foreign" },
          },
        ])
        yield* putDefinitions("other", [composite, anAdjustment("not-ours", { slos: [key] })])
        const namesOf = (key: ProjectKey) =>
          Effect.map(findDue(key), ({ adjustments }) =>
            adjustments.map(({ metadata }) => metadata.name).toSorted(),
          )
        expect(yield* namesOf(key)).toEqual(["both", "labels", "own", "part", "theirs"])
        expect(yield* namesOf(component)).toEqual(["both", "part", "theirs"])
        expect(yield* namesOf({ ...key, name: "other" })).toEqual(["elsewhere"])
      }),
    )

    test(
      "spec/budget-adjustments §6: come with the adjustments as they were before they changed minutes of the past",
      Effect.gen(function* () {
        const composed = anSlo(
          { ...key, name: "composed" },
          { objectives: [{ name: "whole", target: 0.9, composite: compositeOf(key, "good") }] },
        )
        yield* putDefinitions(organization, [anSlo(key), composed, anSlo({ ...key, name: "other" })])
        const previous = Effect.forEach(["checkout", "composed", "other"], (name) =>
          Effect.map(findDue({ ...key, name }), (due) => due.pastChanges?.adjustments),
        )
        yield* TestClock.setTime(instantOf("2026-01-30T12:30:00Z").ms)
        const later = anAdjustment("later", { slos: [key], from: "2026-01-30T12:31:00Z" })
        yield* putDefinitions(organization, [later])
        yield* putDefinitions(organization, [
          anAdjustment("labels", { sloLabels: "team", from: "2026-01-30T12:00:00Z" }),
        ])
        expect(yield* previous).toEqual([undefined, undefined, undefined])
        const over = anAdjustment("over", { slos: [key], from: "2026-01-30T10:00:30Z" })
        yield* putDefinitions(organization, [over])
        const to = instantOf("2026-01-30T12:31:00Z").ms
        const created = { changedAt: to - 60_000, to, before: [{ project: "shop", name: "over" }] }
        expect(yield* previous).toEqual([created, created, undefined])
        // The first change counts, and another reason is none.
        const renamed = { ...later, spec: { ...later.spec, reason: "other" } }
        yield* putDefinitions(organization, [
          anAdjustment("over", { slos: [key], from: "2026-01-30T09:00:00Z" }),
          renamed,
        ])
        expect(yield* previous).toEqual([created, created, undefined])
        for (const name of ["checkout", "composed"]) yield* write(yield* findDue({ ...key, name }), undefined)
        yield* TestClock.setTime(instantOf("2026-01-30T12:45:00Z").ms)
        yield* changeDefinitions(
          organization,
          [],
          [{ kind: "BudgetAdjustment", project: "shop", name: "later" }],
        )
        const deletedAt = instantOf("2026-01-30T12:45:00Z").ms
        const deleted = {
          changedAt: deletedAt,
          to: deletedAt + 60_000,
          before: [{ project: "shop", name: "later", definition: renamed }],
        }
        expect(yield* previous).toEqual([deleted, deleted, undefined])
      }),
    )

    test(
      "spec/alerting §20: come with the silences that select them by labels, as the labels are now",
      Effect.gen(function* () {
        const labelled = (labels: Labels, name = key.name) => {
          const slo = anSlo({ ...key, name })
          return { ...slo, metadata: { ...slo.metadata, labels } }
        }
        const names = Effect.map(findDue(key), ({ silences }) =>
          silences.map(({ definition }) => definition.metadata.name),
        )
        yield* putDefinitions(organization, [
          labelled({ team: ["a"], env: ["prod", "eu"] }),
          labelled({ team: ["b"] }, "other"),
          aSilence("by-name"),
          aSilence("of-all", undefined, "team"),
          aSilence("of-both", undefined, "env:dev,env:prod,env:eu,team:a"),
          aSilence("of-one", undefined, "env:prod,team:a"),
          aSilence("of-other", undefined, "team:b"),
          aSilence("of-neither", undefined, "team:a,tier:gold"),
        ])
        const foreign = aSilence("foreign", undefined, "team:a")
        yield* putDefinitions(organization, [{ ...foreign, metadata: { project: "other", name: "foreign" } }])
        yield* putDefinitions("other", [labelled({ team: ["a"] }), aSilence("c", undefined, "team:a")])
        expect(yield* names).toEqual(["by-name", "of-all", "of-both", "of-one"])

        const changes: ReadonlyArray<
          readonly [Effect.Effect<unknown, unknown, Stores>, ReadonlyArray<string>]
        > = [
          [
            putDefinitions(organization, [labelled({ team: ["a", "b"], tier: ["gold"] })]),
            ["by-name", "of-all", "of-neither", "of-other"],
          ],
          [
            putDefinitions(organization, [aSilence("of-all", undefined, "tier:gold,team:c")]),
            ["by-name", "of-neither", "of-other"],
          ],
          [
            putDefinitions(organization, [aSilence("of-all", undefined, "tier:silver,tier:gold")]),
            ["by-name", "of-all", "of-neither", "of-other"],
          ],
          [
            changeDefinitions(organization, [], [{ kind: "AlertSilence", ...key, name: "of-other" }]),
            ["by-name", "of-all", "of-neither"],
          ],
          [
            putDefinitions(organization, [aSilence("of-all", "other"), aSilence("of-neither", "other")]),
            ["by-name"],
          ],
          [putDefinitions(organization, [labelled({})]), ["by-name"]],
        ]
        for (const [change, expected] of changes) {
          yield* write(yield* findDue(key), undefined)
          const written = yield* findDue(key)
          yield* change
          expect(yield* names).toEqual(expected)
          expect(yield* write(written, undefined)).toBe(false)
          expect(yield* dueNames(0)).toContain(key.name)
        }
      }),
    )

    test(
      "spec/slos §9: are due again, and no status of before is written, whenever that changes which it is computed from",
      Effect.gen(function* () {
        const component = { project: "shop", name: "payment" }
        const composite = anSlo(key, {
          alertPolicies: ["fast"],
          objectives: [{ name: "whole", target: 0.9, composite: compositeOf(component, "good") }],
        })
        yield* putDefinitions(organization, [
          labelledSlo(component),
          aPolicy("fast"),
          composite,
          aSilence("a"),
        ])
        const changes: Readonly<Record<string, Effect.Effect<unknown, unknown, Stores>>> = {
          "its own definition": putDefinitions(organization, [composite]),
          "the definition of a component": putDefinitions(organization, [
            labelledSlo(component, { description: "new" }),
          ]),
          "a policy that it names": putDefinitions(organization, [aPolicy("fast", "10m")]),
          "a silence of it": putDefinitions(organization, [aSilence("a")]),
          "a new silence of it": putDefinitions(organization, [aSilence("b")]),
          "the end of a silence": changeDefinitions(
            organization,
            [],
            [{ kind: "AlertSilence", ...key, name: "b" }],
          ),
          "a silence that is now of another": putDefinitions(organization, [aSilence("a", component.name)]),
          "a budget adjustment that names it": putDefinitions(organization, [
            anAdjustment("a", { slos: [key] }),
          ]),
          "an adjustment that no longer names it": putDefinitions(organization, [
            anAdjustment("a", { slos: [{ ...key, name: "other" }] }),
          ]),
          "an adjustment that names a component": putDefinitions(organization, [
            anAdjustment("a", { slos: [component] }),
          ]),
          "an adjustment with labels of a component": putDefinitions(organization, [
            anAdjustment("a", { sloLabels: "team:other,team:payments,tier" }),
          ]),
          "an adjustment whose labels it no longer has": putDefinitions(organization, [
            anAdjustment("a", { sloLabels: "team:other" }),
          ]),
          "an adjustment that is deleted": Effect.andThen(
            putDefinitions(organization, [anAdjustment("b", { sloLabels: "tier:1" })]),
            Effect.andThen(
              Effect.flatMap(findDue(key), (due) => write(due, undefined)),
              changeDefinitions(organization, [], [{ kind: "BudgetAdjustment", ...key, name: "b" }]),
            ),
          ),
        }
        for (const [what, change] of Object.entries(changes)) {
          const before = yield* findDue(key)
          yield* write(before, undefined)
          const written = yield* findDue(key)
          expect(written.revision, `a status that is written, before ${what}`).not.toBe(before.revision)
          expect(yield* dueNames(Number.MAX_SAFE_INTEGER), `at rest, before ${what}`).not.toContain(key.name)
          yield* change
          expect((yield* findDue(key)).revision, what).not.toBe(written.revision)
          expect(yield* write(written, undefined), what).toBe(false)
          expect(yield* dueNames(0), what).toContain(key.name)
        }
      }),
    )

    test(
      "spec/slos §9: with counts that come between each reading and its writing have a status, and are due at once",
      Effect.gen(function* () {
        const component = { project: "shop", name: "payment" }
        const composite = anSlo(key, {
          objectives: [{ name: "whole", target: 0.9, composite: compositeOf(component, "good") }],
        })
        yield* putDefinitions(organization, [anSlo(component), composite])
        const [counts, store] = [yield* CountStore, yield* SloStore]
        yield* TestClock.setTime(60_000)
        yield* store.dueForStatus(60_000, 10, leaseMs)
        let total = 1
        for (const slo of [component, key]) {
          for (let round = 1; round <= 3; round++) {
            const before = yield* findDue(slo)
            yield* counts.record(organization, [{ slo: component, counts: [{ ...aCount, total: ++total }] }])
            // A caller that claims it in the meantime has read more, but is too late.
            const [claimed] = (yield* store.dueForStatus(60_000, 10, leaseMs)).filter(
              (each) => each.slo.definition.metadata.name === slo.name,
            )
            expect(claimed?.revision).not.toBe(before.revision)
            expect(yield* write(before, `${round}`), slo.name).toBe(true)
            expect((yield* findDue(slo)).evaluation).toBe(`${round}`)
            if (claimed !== undefined) expect(yield* write(claimed, undefined)).toBe(false)
            expect(yield* dueNames(60_000), slo.name).toContain(slo.name)
          }
          expect(yield* write(yield* findDue(slo), undefined)).toBe(true)
          expect(yield* dueNames(Number.MAX_SAFE_INTEGER)).not.toContain(slo.name)
        }
      }),
    )

    test(
      "keep their turn when they change while they wait for it",
      Effect.gen(function* () {
        const component = { ...key, name: "payment" }
        const others = ["a", "b"].map((name) => anSlo({ ...key, name }))
        const counts = yield* CountStore
        const changes: ReadonlyArray<Effect.Effect<unknown, unknown, Stores>> = [
          putDefinitions(organization, [anSlo(component, { description: "new" })]),
          counts.record(organization, [{ slo: component, counts: [aCount] }]),
          putDefinitions(organization, [aSilence("a", component.name)]),
        ]
        for (const change of changes) {
          yield* putDefinitions(organization, [anSlo(component)])
          yield* dueAgainAt(component, 1)
          yield* TestClock.adjust("1 minute")
          yield* putDefinitions(organization, others)
          for (const { metadata } of others) yield* dueAgainAt(metadata, 2)
          yield* change
          expect(yield* dueNames(60_000)).toEqual([component.name, expect.any(String), expect.any(String)])
        }
      }),
    )

    test(
      "stay as they are when others change",
      Effect.gen(function* () {
        const other = { ...key, name: "other" }
        yield* putDefinitions(organization, [anSlo(key), anSlo(other), aPolicy("fast")])
        yield* write(yield* findDue(key), undefined)
        const { revision } = yield* findDue(key)
        yield* (yield* CountStore).record(organization, [{ slo: other, counts: [aCount] }])
        yield* putDefinitions(organization, [anSlo(other), aPolicy("fast", "10m"), aSilence("a", other.name)])
        yield* putDefinitions("other", [anSlo(key)])
        expect((yield* findDue(key)).revision).toBe(revision)
        const due = yield* (yield* SloStore).dueForStatus(Number.MAX_SAFE_INTEGER, 10, leaseMs)
        expect(
          due.map((each) => `${each.organization} ${each.slo.definition.metadata.name}`).toSorted(),
        ).toEqual(["acme other", "other checkout"])
      }),
    )

    test(
      "keep their evaluation from one status to the next, and through changes of the definition",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const first = yield* findDue(key)
        expect(yield* write(first, '{"a":1}')).toBe(true)
        expect((yield* findDue(key)).evaluation).toBe('{"a":1}')
        expect(yield* write(first, '{"a":2}')).toBe(false)
        yield* putDefinitions(organization, [anSlo(key, { description: "new" })])
        yield* (yield* CountStore).record(organization, [{ slo: key, counts: [aCount] }])
        const later = yield* findDue(key)
        expect(later.evaluation).toBe('{"a":1}')
        expect(yield* write(later, undefined)).toBe(true)
        expect((yield* findDue(key)).evaluation).toBeUndefined()
      }),
    )

    test(
      "are written many at once, each by itself",
      Effect.gen(function* () {
        const keys = ["c", "a", "b"].map((name) => ({ ...key, name }))
        yield* putDefinitions(
          organization,
          keys.map((key) => anSlo(key)),
        )
        yield* putDefinitions("other", [anSlo(key)])
        const store = yield* SloStore
        const found = yield* store.dueForStatus(0, 10, leaseMs)
        yield* putDefinitions(organization, [anSlo({ ...key, name: "a" })])
        const statuses = found.map(({ organization, slo, revision }) => {
          const { project, name } = slo.definition.metadata
          return {
            organization,
            slo: { project, name },
            revision,
            statuses: new Map([["good", { reliability: 0.5 }]]),
            dueAt: 5_000,
          }
        })
        const gone = { organization, slo: { ...key, name: "gone" }, revision: "1.0", statuses: new Map() }
        const written = yield* store.writeStatuses([gone, ...statuses])
        expect(written).toEqual([false, ...statuses.map(({ slo }) => slo.name !== "a")])
        expect(yield* store.writeStatuses([])).toEqual([])
        for (const { organization, slo, statuses: written } of statuses) {
          const row = yield* store.find(organization, slo)
          expect(Option.getOrThrow(row).statuses, slo.name).toEqual(slo.name === "a" ? new Map() : written)
        }
        expect((yield* dueNames(4_999)).toSorted()).toEqual(["a"])
        expect((yield* dueNames(5_000)).toSorted()).toEqual(["b", "c", "checkout"])
      }),
    )

    test(
      "spec/telemetry §2: say when the one that is due longest became due, of all organizations",
      Effect.gen(function* () {
        const store = yield* SloStore
        const oldest = (now: number) => Effect.map(store.oldestDueAt(now), Option.getOrUndefined)
        yield* putDefinitions(organization, [anSlo({ ...key, name: "a" })])
        yield* putDefinitions("other", [anSlo(key)])
        yield* store.dueForStatus(0, 10, 5_000)
        expect(yield* oldest(4_999)).toBeUndefined()
        expect(yield* oldest(5_000)).toBe(5_000)
        yield* dueAgainAt({ ...key, name: "a" }, 2_000)
        expect(yield* oldest(9_000)).toBe(2_000)
      }),
    )

    test(
      "spec/slos §9: are due at once when they would wait for longer than is asked",
      Effect.gen(function* () {
        const names = ["a", "b", "c", "d"].map((name) => ({ ...key, name }))
        yield* putDefinitions(
          organization,
          names.map((key) => anSlo(key)),
        )
        yield* putDefinitions("other", [anSlo(key)])
        yield* (yield* SloStore).dueForStatus(0, 10, 3_600_000)
        for (const [index, dueAt] of [900, 61_000, 61_001, undefined].entries()) {
          const name = names[index]
          if (name === undefined) continue
          if (dueAt !== undefined) yield* dueAgainAt(name, dueAt)
          else yield* write(yield* findDue(name), undefined)
        }
        yield* (yield* SloStore).makeDue(1_000, 60_000)
        expect((yield* dueNames(1_000)).toSorted()).toEqual(["a", "c", "checkout"])
        expect((yield* dueNames(60_999)).toSorted()).toEqual(["a", "c", "checkout"])
        expect(yield* dueNames(61_000)).toContain("b")
      }),
    )
  })
}

const leaseMs = 30_000

const aCount = { objective: "good", at: 0, good: 1, total: 1 }

const aPolicy = (name: string, coolDown = "5m"): AlertPolicy => ({
  kind: "AlertPolicy",
  metadata: { project: "shop", name },
  spec: {
    severity: "High",
    coolDown: durationOf(coolDown),
    conditions: [{ measurement: "averageBurnRate", op: "gte", value: 2 }],
    alertMethods: [],
  },
})

const aSilence = (name: string, slo = key.name, labels?: string): AlertSilence & Definition => ({
  kind: "AlertSilence",
  metadata: { project: "shop", name },
  spec: {
    ...(labels === undefined ? { slo } : { sloLabels: selectorOf(labels) }),
    period: { endTime: instantOf("2026-01-30T12:00:00Z") },
  },
})

const selectorOf = (text: string) => ({ text, filter: Result.getOrThrow(parseLabelFilter(text)) })

const labelledSlo = (key: ProjectKey, spec: Partial<Slo["spec"]> = {}): Slo => {
  const slo = anSlo(key, spec)
  return { ...slo, metadata: { ...slo.metadata, labels: { team: ["payments"], tier: ["1"] } } }
}

/** An adjustment of one hour. */
const anAdjustment = (
  name: string,
  {
    from = "2026-01-30T12:00:00Z",
    slos,
    sloLabels,
  }: Pick<BudgetAdjustment["spec"], "slos"> & { sloLabels?: string; from?: string },
): BudgetAdjustment => ({
  kind: "BudgetAdjustment",
  metadata: { project: "shop", name },
  spec: {
    reason: "maintenance",
    ...(slos !== undefined && { slos }),
    ...(sloLabels !== undefined && { sloLabels: selectorOf(sloLabels) }),
    period: { startTime: instantOf(from), duration: durationOf("1h") },
  },
})

const compositeOf = (
  slo: ProjectKey,
  objective: string,
): Extract<Objective, { composite: unknown }>["composite"] => ({
  maxDelay: durationOf("5m"),
  components: [{ slo, objective, weight: 1, whenDelayed: "Ignore" }],
})

const findDue = (key: ProjectKey) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.flatMap(store.findForStatus(organization, key), Effect.fromOption),
  )

/** Claims what is due at `now`. */
const dueNames = (now: number) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.map(store.dueForStatus(now, 10, leaseMs), (due) =>
      due.map(({ slo }) => slo.definition.metadata.name),
    ),
  )

/** Writes a status that is due again at that time. */
const dueAgainAt = ({ project, name }: ProjectKey, dueAt: number) =>
  Effect.gen(function* () {
    const { revision } = yield* findDue({ project, name })
    const status = { organization, slo: { project, name }, revision, statuses: new Map(), dueAt }
    expect(yield* (yield* SloStore).writeStatuses([status])).toEqual([true])
  })

const changedCountsOf = ({ pastChanges }: DueSlo): PastChanges["counts"] =>
  (pastChanges?.counts ?? []).toSorted((a, b) => ((a.track ?? "") < (b.track ?? "") ? -1 : 1))

const minuteAt = (at: number) => ({ from: at, to: at + 60_000 })

/** Writes a status that need not be computed again until something changes. */
const write = (
  { slo, revision }: { readonly slo: { readonly definition: Slo }; readonly revision: string },
  evaluation: string | undefined,
  pastChanges?: PastChanges,
) =>
  Effect.gen(function* () {
    const { project, name } = slo.definition.metadata
    const [isWritten] = yield* (yield* SloStore).writeStatuses([
      {
        organization,
        slo: { project, name },
        revision,
        statuses: new Map(),
        ...(evaluation !== undefined && { evaluation }),
        ...(pastChanges !== undefined && { pastChanges }),
      },
    ])
    return isWritten
  })
