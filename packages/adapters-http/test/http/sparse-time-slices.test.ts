import { definitionToJson } from "@tocsin/domain"
import { CountStore, DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { aPolicy } from "../../../../test/alerting/Incident.ts"
import { aProject, aService } from "../../../../test/definition/valid-definitions.ts"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { apiServer, headersOf, send } from "../../../../test/http/api-client.ts"

const now = Date.UTC(2026, 0, 30, 12)
const minute = 60_000

const names = ["sparse", "busy", "ignoring", "occurrences", "new"]

const sloOf = (name: string) =>
  anSlo(
    { project: "shop", name },
    {
      budgetingMethod: name === "occurrences" ? "Occurrences" : "Timeslices",
      ...(name === "ignoring" && { emptyTimeSlices: "ignored" as const }),
      objectives: [{ name: "good", target: 0.99, ...(name !== "occurrences" && { timeSliceTarget: 0.9 }) }],
    },
  )

/** Six hours of minutes, of which one in ten has events, or nearly all (`busy`); half an hour (`new`). */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  yield* putDefinitions("acme", [aPolicy([]), ...names.map(sloOf)])
  const countsOf = (name: string) =>
    Array.from({ length: name === "new" ? 30 : 360 }, (_, index) => ({
      objective: "good",
      at: now - (index + 1) * minute,
      good: 0,
      total: (name === "busy" ? index % 10 !== 0 : index % 10 === 0) ? 1 : 0,
    })).filter(({ total }) => name !== "ignoring" || total > 0)
  yield* (yield* CountStore).record(
    "acme",
    names.map((name) => ({ slo: { project: "shop", name }, counts: countsOf(name) })),
  )
})

const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof apiServer>>): void =>
  it.effect(what, () => Effect.provide(Effect.andThen(prepare, effect), apiServer))

const sparse = {
  path: "spec.budgetingMethod",
  code: "sparse_time_slices",
  message:
    "counts minutes without events as good, but objective good has events in 10% of the minutes of the last 28 days, so that an outage burns little of the error budget. Set emptyTimeSlices to ignored or lastState, or use Occurrences",
}

const isSparse = ({ code }: { readonly code: string }) => code === "sparse_time_slices"

describe("the warning sparse_time_slices", () => {
  test(
    "spec/definitions §14: is returned of a stored SLO and by an explanation",
    Effect.gen(function* () {
      const headers = { project: "shop", ...(yield* headersOf("acme", "viewer")) }
      for (const name of names) {
        const expected = name === "sparse" ? [sparse] : []
        const stored = yield* send(`/api/definitions/slo/${name}/warnings`, { headers })
        expect(JSON.parse(stored.text).warnings.filter(isSparse)).toEqual(expected)
        const explained = yield* send(`/api/slos/${name}/explain?alertPolicy=fast-burn`, { headers })
        expect(JSON.parse(explained.text).warnings).toEqual(expected)
      }
    }),
  )

  test(
    "spec/definitions §14: is returned by an apply and a dry run, of the SLO as it is then",
    Effect.gen(function* () {
      const headers = yield* headersOf("acme", "editor")
      const documents = yield* Effect.forEach(names, (name) =>
        Effect.map(
          Effect.flatMap(DefinitionStore, ({ find }) => find("acme", "SLO", { project: "shop", name })),
          (found) =>
            definitionToJson(Option.getOrThrow(found).definition, "tocsin") as {
              readonly spec: object
            },
        ),
      )
      const apply = (query: string, inputs: ReadonlyArray<unknown>) =>
        Effect.map(
          send(`/api/apply${query}`, {
            method: "PUT",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify([...inputs, aProject(), aService("web")]),
          }),
          ({ text }) => JSON.parse(text).warnings.filter(isSparse),
        )
      const expected = [{ ...sparse, path: "[0].spec.budgetingMethod" }]
      expect(yield* apply("?dry_run=true", documents)).toEqual(expected)
      expect(yield* apply("", documents)).toEqual(expected)
      const carried = documents.map((each, index) =>
        index === 0 ? { ...each, spec: { ...each.spec, emptyTimeSlices: "lastState" } } : each,
      )
      expect(yield* apply("?dry_run=true", carried)).toEqual([])
      expect(yield* apply("", carried)).toEqual([])
    }),
  )
})
