import {
  type FleetService,
  type FleetSlo,
  fleetTable,
  moveSlos,
  recordCounts,
  refreshStatus,
  type SloRecord,
  type TrackStatus,
} from "@tocsin/domain"
import { overallTrack, type SloStatuses } from "@tocsin/domain/adapter"
import {
  type BudgetAdjustment,
  type Objective,
  objectivesOf,
  type Slo,
  type TimeWindow,
} from "@tocsin/domain/definitions"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  type AlertStore,
  type CountStore,
  DefinitionStore,
  RateLimiter,
  SloStore,
} from "@tocsin/domain/ports"
import {
  anSlo,
  calendarOf,
  changeDefinitions,
  instantOf,
  putDefinitions,
  removeSlos,
} from "@tocsin/testing/fixtures"
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
    const { labels, figures, tracksOf } = table
    const textOf = (label: keyof typeof labels, row: number) =>
      labels[label].texts[labels[label].codes[row] ?? 0] ?? ""
    const ofSlos = table.slos.flatMap((slo) =>
      tracksOf(slo).map((track, index) => {
        const row = slo.first + index
        const columns = {
          project: slo.project,
          service: slo.service.name,
          slo: slo.name,
          objective: track.track,
        }
        for (const [label, text] of Object.entries(columns))
          expect(textOf(label as keyof typeof labels, row)).toBe(text)
        for (const name of figureNames) expect(figures[name][row]).toBe(track[name] ?? Number.NaN)
        return lineOf(slo, slo.service, track)
      }),
    )
    const rows = Array.from({ length: table.rows }, (_, row) => figures.target[row] ?? Number.NaN)
    expect(rows.filter((target) => !Number.isNaN(target)).length).toBe(ofSlos.length)
    return ofSlos
  })

const figureNames = [
  "target",
  "burnRate",
  "errorBudgetRemaining",
  "errorBudgetRemainingPercentage",
  "reliability",
] as const

const lineOf = (
  slo: Pick<FleetSlo, "project" | "name" | "displayName" | "labels" | "timeWindow" | "alertPolicies">,
  service: FleetService,
  { track, displayName, isOutdated, ...figures }: TrackStatus,
): string =>
  JSON.stringify([
    [slo.project, service.project.displayName, service.name, service.displayName, slo.name, slo.displayName],
    [slo.labels, slo.timeWindow, slo.alertPolicies],
    [track, displayName, isOutdated, ...figureNames.map((name) => figures[name])],
  ])

const linesOfRecord = ({ slo, statuses, project, service }: SloRecord): ReadonlyArray<string> => {
  const { metadata, spec } = slo
  const tracks = [
    ...(spec.composite === undefined ? [] : [{ track: overallTrack, target: spec.composite.target }]),
    ...objectivesOf(slo).map(({ name, displayName, target }) => ({
      track: name,
      target,
      ...(displayName !== undefined && { displayName }),
    })),
  ]
  return tracks.map((track) =>
    lineOf(
      { ...spec, ...metadata, displayName: metadata.displayName ?? metadata.name, labels: metadata.labels },
      { ...service, project },
      { ...track, ...statuses.get(track.track) },
    ),
  )
}

const linesOfStore = (organization: string) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.map(store.page(organization, { limit: 500 }), ({ items }) => items.flatMap(linesOfRecord)),
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

const projects = fc.constantFrom("shop", "lab")

const services = fc.constantFrom("web", "api")

const objectives = fc.uniqueArray(
  fc.record<Objective>({
    name: fc.constantFrom("good", "great", "fast"),
    target: fc.constantFrom(0, 0.5, 0.9, 0.99),
    displayName: fc.constantFrom("Good", "Fast enough"),
  }),
  { selector: ({ name }) => name, minLength: 1 },
)

const slo = fc
  .record({
    key: keys,
    objectives,
    service: services,
    tier: fc.constantFrom("1", "2"),
    isComposite: fc.boolean(),
    displayName: fc.constantFrom(undefined, "Answers in time", "Zahlung möglich"),
    timeWindow: fc.constantFrom<TimeWindow>(
      { unit: "Day", count: 28 },
      {
        unit: "Month",
        count: 1,
        calendar: calendarOf({ startTime: "2026-01-01 00:00:00", timeZone: "Europe/Berlin" }),
      },
    ),
    alertPolicies: fc.constantFrom([], ["fast"], ["fast", "slow"]),
  })
  .map(({ key, objectives, tier, isComposite, displayName, ...spec }): Slo => {
    const made = anSlo(key, {
      ...spec,
      objectives,
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
  fc.tuple(projects, services, fc.constantFrom("One", "Two")).map(
    ([project, service, displayName]): Step =>
      (organization) =>
        putDefinitions(organization, [
          { kind: "Project", metadata: { name: project, displayName }, spec: {} },
          { kind: "Service", metadata: { project, name: service, displayName }, spec: {} },
        ]),
  ),
  fc.tuple(projects, services).map(
    ([project, service]): Step =>
      (organization) =>
        changeDefinitions(
          organization,
          [],
          [
            { kind: "Project", project: "", name: project },
            { kind: "Service", project, name: service },
          ],
        ),
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
          expect([reads, new Set(both.map((each) => each.length)).size]).toEqual([1, 1])
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
