import { describe, expect, it } from "@tocsin/testing/vitest"
import { applyDefinitions, deleteDefinitions, type Participants, participantsLayer } from "@tocsin/domain"
import type { Issue } from "@tocsin/domain/codec"
import type { CountStore, DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  aProject,
  aService,
  anAlertMethod,
  anAlertPolicy,
  anSlo,
  changed,
  decodeOptions,
  type Plain,
} from "../definition/valid-definitions.ts"

const apply = (...inputs: ReadonlyArray<Plain>) => applyDefinitions("acme", inputs, decodeOptions)
const remove = (...inputs: ReadonlyArray<Plain>) => deleteDefinitions("acme", inputs, decodeOptions)
const owners = [aProject(), aService(), anAlertMethod(), anAlertPolicy()]

const issuesOf = <A, R>(effect: Effect.Effect<A, unknown, R>) =>
  Effect.map(Effect.flip(effect), (error) =>
    (error as { readonly issues: ReadonlyArray<Issue> }).issues.map(({ path, code }) => [path, code]),
  )

/** An SLO with a plain objective and a composite one over these objectives of other SLOs. */
const aComposite = (components: ReadonlyArray<readonly [slo: string, objective: string]>): Plain =>
  changed(anSlo("journey"), "spec.objectives", [
    { name: "own", target: 0.9 },
    {
      name: "whole",
      target: 0.9,
      composite: {
        maxDelay: "5m",
        components: {
          objectives: components.map(([slo, objective]) => ({
            slo,
            objective,
            weight: 1,
            whenDelayed: "Ignore",
          })),
        },
      },
    },
  ])

const at = (index: number): string => `spec.objectives[1].composite.components.objectives[${index}]`
/** What holds of components whatever store keeps the definitions; `layer` gives an empty one. */
export const componentRulesContract = <E>(
  name: string,
  layer: Layer.Layer<CountStore | DefinitionStore, E>,
): void => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, CountStore | DefinitionStore | Participants>,
  ): void => it.effect(what, () => Effect.provide(effect, Layer.merge(layer, participantsLayer([]))))

  describe(`the components of composite objectives ${name}`, () => {
    test(
      "spec/slos §6: name objectives of SLOs that are stored, or in the same list",
      Effect.gen(function* () {
        const composite = aComposite([
          ["checkout", "good"],
          ["checkout", "great"],
          ["search", "good"],
        ])
        expect(yield* issuesOf(apply(...owners, anSlo(), composite))).toEqual([
          [`[5].${at(2)}.slo`, "not_found"],
        ])
        yield* apply(...owners, anSlo())
        expect(yield* issuesOf(apply(composite))).toEqual([[`${at(2)}.slo`, "not_found"]])
        expect((yield* apply(composite, anSlo("search"))).map(({ outcome }) => outcome)).toEqual([
          "created",
          "created",
        ])
        expect((yield* apply(composite)).map(({ outcome }) => outcome)).toEqual(["unchanged"])
      }),
    )

    test(
      "spec/slos §6: reference an existing, non-composite objective of the SLO",
      Effect.gen(function* () {
        yield* apply(...owners, anSlo(), aComposite([["checkout", "good"]]))
        const over = changed(
          aComposite([
            ["journey", "whole"],
            ["journey", "own"],
            ["checkout", "best"],
          ]),
          "metadata.name",
          "over",
        )
        expect(yield* issuesOf(apply(over))).toEqual([
          [`${at(0)}.objective`, "not_allowed_value"],
          [`${at(2)}.objective`, "not_found"],
        ])
        // What the list says counts, not what is stored.
        const best = changed(anSlo(), "spec.objectives[1].name", "best")
        const plain = changed(anSlo("journey"), "spec.objectives[0].name", "whole")
        const further = changed(plain, "spec.objectives[1].name", "own")
        expect(yield* issuesOf(apply(over, best))).toEqual([[`[0].${at(0)}.objective`, "not_allowed_value"]])
        expect((yield* apply(over, best, further)).map(({ outcome }) => outcome)).toEqual([
          "created",
          "updated",
          "updated",
        ])
      }),
    )

    test(
      "spec/slos §6: are kept by their SLO as long as they are named",
      Effect.gen(function* () {
        const composite = aComposite([["checkout", "good"]])
        yield* apply(...owners, anSlo(), composite)
        const without = (objective: string): Plain =>
          changed(anSlo(), "spec.objectives", [{ name: objective, target: 0.9 }])
        expect(yield* issuesOf(apply(without("great")))).toEqual([["spec.objectives", "in_use"]])
        expect((yield* apply(without("good"))).map(({ outcome }) => outcome)).toEqual(["updated"])
        const other = aComposite([["checkout", "better"]])
        expect((yield* apply(without("better"), other)).map(({ outcome }) => outcome)).toEqual([
          "updated",
          "updated",
        ])
      }),
    )

    test(
      "spec/slos §6: cannot be deleted before the SLO that references them",
      Effect.gen(function* () {
        const composite = aComposite([["checkout", "good"]])
        yield* apply(...owners, anSlo(), composite)
        expect(yield* issuesOf(remove(anSlo()))).toEqual([["metadata.name", "in_use"]])
        yield* remove(anSlo(), composite)
        expect(yield* issuesOf(apply(composite))).toEqual([[`${at(0)}.slo`, "not_found"]])
      }),
    )

    test(
      "spec/definitions §1: an alert method to notify of missing data exists, and is not deleted before the SLO",
      Effect.gen(function* () {
        const noData = { noData: { alertMethods: [{ name: "ops" }, { name: "gone" }] } }
        const slo = changed(anSlo(), "spec.anomalyConfig", noData)
        const policy = changed(anAlertPolicy(), "spec.alertMethods", undefined)
        const path = "spec.anomalyConfig.noData.alertMethods"
        yield* apply(aProject(), aService(), anAlertMethod(), policy)
        expect(yield* issuesOf(apply(slo))).toEqual([[`${path}[1].name`, "not_found"]])
        yield* apply(changed(slo, path, [{ name: "ops" }]))
        expect(yield* issuesOf(remove(anAlertMethod()))).toEqual([["metadata.name", "in_use"]])
      }),
    )
  })
}
