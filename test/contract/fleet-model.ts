import { fleetTable, moveSlos, recordCounts, refreshStatus, type SloRecord } from "@tocsin/domain"
import { overallTrack, type SloStatuses } from "@tocsin/domain/adapter"
import { type BudgetAdjustment, type Objective, objectivesOf, type Slo } from "@tocsin/domain/definitions"
import { type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import {
  type AlertStore,
  type CountStore,
  DefinitionStore,
  RateLimiter,
  SloStore,
} from "@tocsin/domain/ports"
import { anSlo, changeDefinitions, instantOf, putDefinitions, removeSlos } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"

type Stores = AlertStore | CountStore | DefinitionStore | SloStore

const now = Date.UTC(2026, 0, 30, 12)
const organizations = ["acme", "other"]
const key = { project: "shop", name: "checkout" }

/** Runs as another process with the same data would: a process keeps what it reads for each store. */
const inProcess =
  (process: { readonly slos: SloStore["Service"]; readonly definitions: DefinitionStore["Service"] }) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(SloStore, process.slos),
      Effect.provideService(DefinitionStore, process.definitions),
      Effect.provideService(RateLimiter, unlimited),
    )

const unlimited = RateLimiter.of({
  take: () => Effect.succeed({ isAccepted: true, remaining: 1, retryAfterMs: 0 }),
})

const aProcess = Effect.gen(function* () {
  return inProcess({ slos: { ...(yield* SloStore) }, definitions: { ...(yield* DefinitionStore) } })
})

/** One line for each objective that the table has. */
const linesOfTable = (organization: string) =>
  Effect.map(fleetTable(organization), (table) => {
    if (table === undefined) return undefined
    const { labels, figures, displayNames } = table
    const textOf = (label: keyof typeof labels, row: number) =>
      labels[label].texts[labels[label].codes[row] ?? 0] ?? ""
    return Array.from({ length: table.rows }, (_, row) =>
      Number.isNaN(figures.target[row])
        ? []
        : [
            lineOf(
              [
                displayNames.get(
                  projectKeyText({ project: textOf("project", row), name: textOf("slo", row) }),
                ) ?? "",
                ...(["project", "service", "slo", "objective"] as const).map((label) => textOf(label, row)),
              ],
              figures.target[row] ?? 0,
              [
                figures.burnRate,
                figures.errorBudgetRemaining,
                figures.errorBudgetRemainingPercentage,
                figures.reliability,
              ].map((column) => column[row] ?? 0),
            ),
          ],
    )
      .flat()
      .toSorted()
  })

const lineOf = (labels: ReadonlyArray<string>, target: number, figures: ReadonlyArray<number>): string =>
  `${labels.join(" ")} ${target}: ${figures.join(" ")}`

const linesOfRecord = ({ slo, statuses }: SloRecord): ReadonlyArray<string> => {
  const { composite } = slo.spec
  const tracks = [
    ...(composite === undefined ? [] : [[overallTrack, composite.target] as const]),
    ...objectivesOf(slo).map(({ name, target }) => [name, target] as const),
  ]
  return tracks.map(([track, target]) => {
    const { burnRate, errorBudgetRemaining, errorBudgetRemainingPercentage, reliability } =
      statuses.get(track) ?? {}
    return lineOf(
      [slo.metadata.displayName ?? "", slo.metadata.project, slo.spec.service, slo.metadata.name, track],
      target,
      [burnRate, errorBudgetRemaining, errorBudgetRemainingPercentage, reliability].map(
        (figure) => figure ?? Number.NaN,
      ),
    )
  })
}

const linesOfStore = (organization: string) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.map(store.page(organization, { limit: 500 }), ({ items }) =>
      items.flatMap(linesOfRecord).toSorted(),
    ),
  )

const writeStatus = (organization: string, slo: ProjectKey, statuses: SloStatuses) =>
  Effect.gen(function* () {
    const store = yield* SloStore
    const due = yield* store.findForStatus(organization, slo)
    if (Option.isNone(due)) return
    yield* store.writeStatuses([{ organization, slo, revision: due.value.revision, statuses }])
  })

const keys = fc.constantFrom<ProjectKey>(
  key,
  { project: "shop", name: "search" },
  { project: "lab", name: "checkout" },
  { project: "lab", name: "new" },
)

const objectives = fc.uniqueArray(
  fc.record<Objective>({
    name: fc.constantFrom("good", "great", "fast"),
    target: fc.constantFrom(0, 0.5, 0.9, 0.99),
  }),
  { selector: ({ name }) => name, minLength: 1 },
)

const slo = fc
  .record({
    key: keys,
    objectives,
    service: fc.constantFrom("web", "api"),
    tier: fc.constantFrom("1", "2"),
    isComposite: fc.boolean(),
    displayName: fc.constantFrom(undefined, "Answers in time", "Zahlung möglich"),
  })
  .map(({ key, objectives, service, tier, isComposite, displayName }): Slo => {
    const made = anSlo(key, {
      objectives,
      service,
      ...(isComposite &&
        objectives.length > 1 && {
          composite: { target: 0.7, burnRateCondition: { value: 2, op: "gt" as const } },
        }),
    })
    const named = displayName !== undefined && { displayName }
    return { ...made, metadata: { ...made.metadata, ...named, labels: { tier: [tier] } } }
  })

const adjustment = ({ project, name }: ProjectKey): BudgetAdjustment => ({
  kind: "BudgetAdjustment",
  metadata: { project, name: "maintenance" },
  spec: {
    reason: "Maintenance.",
    slos: [{ project, name }],
    period: { startTime: instantOf("2026-01-30T11:00:00Z"), endTime: instantOf("2026-01-30T11:40:00Z") },
  },
})

type ObjectiveStatus = SloStatuses extends ReadonlyMap<string, infer Status> ? Status : never

type Step = (organization: string) => Effect.Effect<unknown, unknown, Stores | RateLimiter>

const figure = fc.double({ min: -2, max: 2, noNaN: true })

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.array(slo, { minLength: 1, maxLength: 3 }).map(
    (slos): Step =>
      (organization) =>
        putDefinitions(organization, [
          ...new Map(
            slos.map((each) => [JSON.stringify([each.metadata.project, each.metadata.name]), each]),
          ).values(),
        ]),
  ),
  keys.map(
    (each): Step =>
      (organization) =>
        removeSlos(organization, [each]),
  ),
  keys.map(
    ({ name, project }): Step =>
      (organization) =>
        Effect.ignore(
          moveSlos(organization, {
            sloNames: [name],
            oldProject: project,
            newProject: project === "shop" ? "lab" : "shop",
          }),
        ),
  ),
  fc
    .tuple(
      keys,
      fc.constantFrom("good", "great"),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 1, max: 90 }),
    )
    .map(
      ([each, objective, good, minute]): Step =>
        (organization) =>
          Effect.ignore(
            recordCounts(organization, {
              ...each,
              body: [{ objective, at: new Date(now - minute * 60_000).toISOString(), good, total: 100 }],
            }),
          ),
    ),
  fc.tuple(keys, figure, fc.boolean()).map(
    ([each, of, isWhole]): Step =>
      (organization) =>
        writeStatus(
          organization,
          each,
          new Map<string, ObjectiveStatus>([
            [
              "good",
              isWhole
                ? {
                    burnRate: of,
                    errorBudgetRemaining: of,
                    errorBudgetRemainingPercentage: of,
                    reliability: of,
                  }
                : {},
            ],
            ["great", { burnRate: of }],
          ]),
        ),
  ),
  keys.map(
    (each): Step =>
      (organization) =>
        Effect.andThen(putDefinitions(organization, [adjustment(each)]), refreshStatus(organization, each)),
  ),
  keys.map(
    ({ project }): Step =>
      (organization) =>
        changeDefinitions(organization, [], [{ kind: "BudgetAdjustment", project, name: "maintenance" }]),
  ),
)

/** That what a process keeps of the latest statuses is what the stores have. `layer` gives empty stores. */
export const fleetModelContract = <E>(name: string, layer: Layer.Layer<Stores, E>, numRuns: number): void => {
  describe(`the latest statuses of all objectives ${name}`, () => {
    it.effect.prop(
      "are those of the store, whatever was changed in this process or in another one, each organization's own",
      [
        fc.array(
          fc.record({
            organization: fc.constantFrom(...organizations),
            process: fc.constantFrom(0, 1),
            step,
          }),
          { minLength: 3, maxLength: 14 },
        ),
      ],
      ([steps]) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(now)
          const inFirst = yield* aProcess
          const processes = [inFirst, yield* aProcess]
          for (const { organization, process, step } of steps) {
            yield* (processes[process] ?? inFirst)(step(organization))
            for (const inEach of processes) {
              for (const each of organizations) {
                expect(yield* inEach(linesOfTable(each))).toEqual(yield* linesOfStore(each))
              }
            }
          }
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns } },
    )

    it.effect(
      "have what this process writes at once, and what another one writes once the versions are read again",
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(now)
          yield* putDefinitions("acme", [anSlo(key), anSlo({ project: "lab", name: "search" })])
          let reads = 0
          const slos = yield* SloStore
          const slow: SloStore["Service"] = {
            ...slos,
            projectVersions: (organization) =>
              Effect.suspend(() => {
                reads++
                return Effect.andThen(TestClock.adjust("1 second"), slos.projectVersions(organization))
              }),
          }
          const inThis = inProcess({ slos: slow, definitions: { ...(yield* DefinitionStore) } })
          const inOther = yield* aProcess
          const lines = inThis(linesOfTable("acme"))
          const burning = (burnRate: number): SloStatuses => new Map([["good", { burnRate }]])
          const counted = (good: number) =>
            recordCounts("acme", {
              ...key,
              body: [{ objective: "good", at: new Date(now - 60_000).toISOString(), good, total: 100 }],
            })

          const both = yield* Effect.all([lines, lines, lines], { concurrency: "unbounded" })
          expect([reads, new Set(both.map((each) => each?.length)).size]).toEqual([1, 1])
          const first = yield* lines
          expect([first, reads]).toEqual([yield* linesOfStore("acme"), 1])

          yield* inThis(counted(99))
          expect([yield* lines, reads]).toEqual([yield* linesOfStore("acme"), 1])
          expect(yield* lines).not.toEqual(first)

          const counts = yield* linesOfStore("acme")
          yield* inOther(writeStatus("acme", { project: "lab", name: "search" }, burning(7)))
          expect([yield* lines, reads]).toEqual([counts, 1])
          // What another process has written since then is not replaced by anything older.
          yield* inThis(counted(98))
          expect(reads).toBe(1)
          yield* TestClock.adjust("11 seconds")
          expect([yield* lines, reads]).toEqual([yield* linesOfStore("acme"), 2])

          yield* inOther(writeStatus("acme", key, burning(8)))
          yield* inThis(moveSlos("acme", { sloNames: ["search"], oldProject: "lab", newProject: "shop" }))
          expect([yield* lines, reads]).toEqual([yield* linesOfStore("acme"), 3])
          yield* inThis(refreshStatus("acme", key))
          expect([yield* lines, reads]).toEqual([yield* linesOfStore("acme"), 3])
          expect(yield* Clock.currentTimeMillis).toBeGreaterThan(now)
        }).pipe(Effect.provide(layer)),
    )
  })
}
