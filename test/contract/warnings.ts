import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  applyDefinitions,
  definitionToJson,
  findWarnings,
  listedWarnings,
  type Participants,
  participantsLayer,
} from "@tocsin/domain"
import { projectKeyText } from "@tocsin/domain/kernel"
import { CountStore, DefinitionStore } from "@tocsin/domain/ports"
import { promqlAdvisor } from "@tocsin/promql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import {
  aProject,
  aService,
  anAlertMethod,
  anAlertPolicy,
  anSlo,
  changed,
  decodeOptions as options,
  type Plain,
} from "../definition/valid-definitions.ts"

const organization = "acme"
const decodeOptions = { ...options, promqlAdvisor }
const silent = (name = "silent"): Plain => changed(anAlertPolicy(name), "spec.alertMethods", [])

const apply = (inputs: ReadonlyArray<Plain>, dryRun = false) =>
  Effect.map(applyDefinitions(organization, inputs, { ...decodeOptions, dryRun }), (applied) =>
    listedWarnings(applied).map(({ path, code }) => [path, code]),
  )

const owners = [aProject(), aService(), anAlertMethod()]

/** What holds of warnings whatever store keeps the definitions; `layer` gives an empty one. */
export const warningsContract = <E>(
  name: string,
  layer: Layer.Layer<CountStore | DefinitionStore, E>,
): void => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, CountStore | DefinitionStore | Participants>,
  ): void => it.effect(what, () => Effect.provide(effect, Layer.merge(layer, participantsLayer([]))))

  describe(`warnings ${name}`, () => {
    test(
      "spec/definitions §14: are returned by a dry run, by an apply, by one that changes nothing, and of what is stored",
      Effect.gen(function* () {
        const inputs = [...owners, silent(), changed(anSlo(), "spec.alertPolicies", ["silent"])]
        const expected = [["[3].spec.alertMethods", "notifies_nobody"]]
        for (const dryRun of [true, false, true, false])
          expect(yield* apply(inputs, dryRun)).toEqual(expected)
        expect(yield* apply([silent()])).toEqual([["spec.alertMethods", "notifies_nobody"]])
        const key = { kind: "AlertPolicy", project: "shop", name: "silent" } as const
        expect(yield* findWarnings(organization, key, decodeOptions)).toMatchObject([
          { path: "spec.alertMethods", code: "notifies_nobody" },
        ])
        const absent = yield* Effect.flip(findWarnings("globex", key, decodeOptions))
        expect(absent).toMatchObject({ issues: [{ path: "name", code: "not_found" }] })
      }),
    )

    test(
      "spec/definitions §14: are about policies whose alert methods send nothing, and about SLOs that use a policy that notifies nobody",
      Effect.gen(function* () {
        yield* apply([...owners, silent(), anAlertPolicy()])
        const used = changed(anSlo(), "spec.alertPolicies", ["silent", "fast-burn"])
        const ofSlo = [["spec.alertPolicies[0]", "notifies_nobody"]]
        for (const dryRun of [true, false]) expect(yield* apply([used], dryRun)).toEqual(ofSlo)
        const method = anAlertMethod()["metadata"] as { readonly project: string; readonly name: string }
        const stoppedMethods = new Set([projectKeyText(method)])
        const stopped = { ...decodeOptions, readStopped: () => Effect.succeed(stoppedMethods) }
        const slo = { kind: "SLO", project: "shop", name: "checkout" } as const
        expect(yield* findWarnings(organization, slo, stopped)).toMatchObject([
          { path: "spec.alertPolicies[0]", message: expect.stringContaining("it has no alert methods") },
          {
            path: "spec.alertPolicies[1]",
            message: expect.stringContaining("are disabled, paused or without effect"),
          },
        ])
        const [applied] = yield* applyDefinitions(organization, [anAlertPolicy()], stopped)
        expect(applied?.warnings).toMatchObject([
          { path: "spec.alertMethods", code: "notifies_nobody", message: expect.stringContaining("paused") },
        ])
        expect(yield* apply([anAlertPolicy()])).toEqual([])
        const methodKey = { name: method.name, project: method.project }
        const missing = (alertMethods: ReadonlyArray<object>) =>
          changed(anSlo(), "spec.anomalyConfig", { noData: { alertMethods } })
        const ofMissing = ["spec.anomalyConfig.noData.alertMethods", "notifies_nobody"]
        for (const dryRun of [true, false]) expect(yield* apply([missing([])], dryRun)).toEqual([ofMissing])
        expect(yield* apply([missing([methodKey])])).toEqual([])
        const [slow] = yield* applyDefinitions(organization, [missing([methodKey])], stopped)
        expect(slow?.warnings).toMatchObject([
          { path: "spec.alertPolicies[0]" },
          { path: ofMissing[0], message: expect.stringContaining("paused") },
        ])
      }),
    )

    test(
      "spec/definitions §14: are about queries, templates and policies alike, in a dry run and when they are stored",
      Effect.gen(function* () {
        const method = changed(anAlertMethod(), "spec.webhook", {
          url: "https://hooks.example.com/ops",
          template: '{"text": "{{ .Status }}"}',
        })
        const queries = (good: string) => ({
          prometheus: { url: "https://metrics.example.com", good, total: "sum(increase(all[1m]))" },
        })
        const rated = changed(anSlo("rated"), "spec.indicator", queries("sum(rate(good[5m]))"))
        const right = changed(anSlo("right"), "spec.indicator", queries("sum(increase(good[1m]))"))
        const inputs = [aProject(), aService(), method, anAlertPolicy(), rated, right]
        for (const dryRun of [true, false, true])
          expect(yield* apply(inputs, dryRun)).toEqual([
            ["[2].spec.webhook.template", "foreign_placeholder"],
            ["[4].spec.indicator.prometheus.good", "rate_not_count"],
          ])
        expect(
          yield* findWarnings(organization, { kind: "SLO", project: "shop", name: "rated" }, decodeOptions),
        ).toMatchObject([{ path: "spec.indicator.prometheus.good", suggestion: "sum(increase(good[1m]))" }])
      }),
    )

    test(
      "spec/definitions §14: are about the minutes with events in the time window of an SLO, also where they are days ago",
      Effect.gen(function* () {
        const now = Date.UTC(2026, 0, 30, 12)
        yield* TestClock.setTime(now)
        const sliced = changed(
          changed(anSlo("sliced"), "spec.budgetingMethod", "Timeslices"),
          "spec.objectives",
          [
            { name: "often", target: 0.99, timeSliceTarget: 0.9 },
            { name: "seldom", target: 0.99, timeSliceTarget: 0.9 },
          ],
        )
        const inputs = [...owners, anAlertPolicy(), sliced]
        expect(yield* apply(inputs)).toEqual([])
        // Four days of counts, which ended two days ago: in all minutes, and in a quarter of them.
        const at = (index: number) => now - 2 * 86_400_000 - index * 60_000
        const key = { project: "shop", name: "sliced" }
        const event = { good: 1, total: 1 }
        for (let day = 0; day < 4; day++) {
          const counts = Array.from({ length: 1_440 }, (_, index) => day * 1_440 + index).flatMap((index) => [
            { objective: "often", at: at(index), ...event },
            ...(index % 4 === 0 ? [{ objective: "seldom", at: at(index), ...event }] : []),
          ])
          yield* (yield* CountStore).record(organization, [{ slo: key, counts }])
        }
        const warned = { path: "spec.budgetingMethod", code: "sparse_time_slices" }
        for (const dryRun of [true, false])
          expect(yield* apply(inputs, dryRun)).toEqual([["[4].spec.budgetingMethod", warned.code]])
        const found = yield* findWarnings(organization, { kind: "SLO", ...key }, decodeOptions)
        expect(found).toMatchObject([
          {
            ...warned,
            message: expect.stringContaining("seldom has events in 25% of the minutes of the last 28 days"),
          },
        ])
        const ofDay = changed(sliced, "spec.timeWindows", [{ unit: "Day", count: 1, isRolling: true }])
        const ignoring = changed(sliced, "spec.emptyTimeSlices", "ignored")
        for (const other of [ofDay, ignoring]) expect(yield* apply([other], true)).toEqual([])
      }),
    )

    test(
      "spec/definitions §14: of an alert policy that is applied alone are about the stored SLOs that use it",
      Effect.gen(function* () {
        const low = (name: string): Plain =>
          changed(anSlo(name), "spec.objectives", [
            { name: "good", target: 0.9 },
            { name: "great", target: 0.999 },
          ])
        const slow = changed(anAlertPolicy(), "spec.conditions[0].value", 9)
        const short = changed(anSlo("short"), "spec.timeWindows", [
          { unit: "Hour", count: 1, isRolling: true },
        ])
        yield* apply([...owners, slow, low("first"), low("second"), anSlo("third"), short])
        expect(yield* apply([slow])).toEqual([])
        // The warning is returned by a dry run, when it is written, when nothing changes, and of what is stored.
        const fast = changed(anAlertPolicy(), "spec.conditions[0].value", 14.4)
        const expected = [["spec.conditions[0]", "unreachable_condition"]]
        for (const dryRun of [true, false, false]) expect(yield* apply([fast], dryRun)).toEqual(expected)
        const key = { kind: "AlertPolicy", project: "shop", name: "fast-burn" } as const
        const [warning] = yield* findWarnings(organization, key, decodeOptions)
        expect(warning?.message).toBe(
          "can never be met for objective good of the SLO first (and of 1 other SLO): with a target of 90%, the burn rate is at most 10. Lower the value, or raise the target",
        )
        // An SLO of the same request has the warning itself, and the policy for the others.
        expect(yield* apply([fast, low("second")])).toEqual([
          ["[0].spec.conditions[0]", "unreachable_condition"],
          ["[1].spec.alertPolicies[0]", "unreachable_condition"],
        ])
        expect(yield* apply([fast, low("first"), low("second")])).toEqual([
          ["[1].spec.alertPolicies[0]", "unreachable_condition"],
          ["[2].spec.alertPolicies[0]", "unreachable_condition"],
        ])
        // Other organizations, and a policy of the same name in another project, have no such SLOs.
        yield* applyDefinitions("globex", [...owners, fast], decodeOptions)
        expect(yield* findWarnings("globex", key, decodeOptions)).toEqual([])
        const { conditions: _, ...spec } = anAlertPolicy()["spec"] as Plain
        const preset = { ...anAlertPolicy(), spec: { ...spec, sreWorkbook: "ticket" } }
        const [tooShort, ...others] = yield* applyDefinitions(organization, [preset], decodeOptions)
        expect(others).toEqual([])
        expect(tooShort?.warnings).toMatchObject([
          {
            path: "spec.sreWorkbook",
            code: "window_too_short",
            message: expect.stringContaining("time window of the SLO short") as string,
          },
        ])
      }),
    )

    test(
      "spec/definitions §14: of alert policies that many SLOs use read at most 100 SLOs of each",
      Effect.gen(function* () {
        const slos = Array.from({ length: 130 }, (_, index) =>
          changed(anSlo(`slo-${String(index).padStart(3, "0")}`), "spec.objectives", [
            { name: "good", target: index < 60 ? 0.999 : 0.5 },
          ]),
        )
        yield* apply([...owners, changed(anAlertPolicy(), "spec.conditions[0].value", 1), ...slos])
        const [applied] = yield* applyDefinitions(organization, [anAlertPolicy()], decodeOptions)
        expect(applied?.warnings.map(({ message }) => message)).toEqual([
          "can never be met for objective good of the SLO slo-060 (and of 39 other SLOs): with a target of 50%, the burn rate is at most 2. Lower the value, or raise the target",
        ])
      }),
    )

    test(
      "spec/definitions §14: there is none of a ratio where each minute is one event",
      Effect.gen(function* () {
        const bad = "sum(increase(bad[1m])) / sum(increase(all[1m]))"
        const of = (total: string) =>
          changed(anSlo(), "spec", {
            ...(anSlo()["spec"] as Plain),
            alertPolicies: [],
            indicator: { prometheus: { url: "https://metrics.example.com", bad, total } },
          })
        expect(yield* apply([...owners, of("vector(1)")])).toEqual([])
        expect(yield* apply([of(`(${bad}) * 0 + 1`)])).toEqual([])
        expect(yield* apply([of("sum(increase(all[1m]))")])).toEqual([
          ["spec.indicator.prometheus.bad", "ratio_not_count"],
        ])
      }),
    )

    test(
      "spec/definitions §14: change nothing of what is stored",
      Effect.gen(function* () {
        yield* apply([...owners, silent()])
        const { find } = yield* DefinitionStore
        const stored = Option.getOrThrow(
          yield* find(organization, "AlertPolicy", { project: "shop", name: "silent" }),
        )
        expect(definitionToJson(stored.definition, "tocsin")).toEqual(silent())
      }),
    )

    test(
      "spec/definitions §14: are sorted by path as issues are, and there are none of a policy that notifies later, nor of an SLO without policies",
      Effect.gen(function* () {
        const later = changed(silent("later"), "spec.then", [
          { after: "10m", alertMethods: [{ metadata: { name: "ops", project: "shop" } }] },
        ])
        const policies = Array.from({ length: 11 }, (_, index) => silent(`silent-${index}`))
        const quiet = changed(anSlo(), "spec.alertPolicies", [])
        expect(yield* apply([...owners, later, quiet, ...policies])).toEqual(
          policies.map((_, index) => [`[${index + 5}].spec.alertMethods`, "notifies_nobody"]),
        )
      }),
    )
  })
}
