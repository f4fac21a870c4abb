import { describe, expect, it } from "@tocsin/testing/internal/contract/EffectTest"
import { applyDefinitions } from "@tocsin/domain/internal/definition/ApplyDefinitions"
import { definitionToJson } from "@tocsin/domain/internal/definition/Definition"
import { DefinitionStore } from "@tocsin/domain/internal/definition/DefinitionStore"
import { findWarnings } from "@tocsin/domain/internal/definition/FindWarnings"
import { listedWarnings } from "@tocsin/domain/internal/definition/ReadWarnings"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
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

const organization = "acme"
const silent = (name = "silent"): Plain => changed(anAlertPolicy(name), "spec.alertMethods", [])

const apply = (inputs: ReadonlyArray<Plain>, dryRun = false) =>
  Effect.map(applyDefinitions(organization, inputs, { ...decodeOptions, dryRun }), (applied) =>
    listedWarnings(applied).map(({ path, code }) => [path, code]),
  )

const owners = [aProject(), aService(), anAlertMethod()]

/** What holds of warnings whatever store keeps the definitions; `layer` gives an empty one. */
export const warningsContract = <E>(name: string, layer: Layer.Layer<DefinitionStore, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, DefinitionStore>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

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
        expect(yield* findWarnings(organization, key)).toMatchObject([
          { path: "spec.alertMethods", code: "notifies_nobody" },
        ])
        const absent = yield* Effect.flip(findWarnings("globex", key))
        expect(absent).toMatchObject({ issues: [{ path: "name", code: "not_found" }] })
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
