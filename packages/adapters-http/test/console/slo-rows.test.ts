import { MemoryStores } from "@tocsin/adapters-memory"
import { type SloRowList, urgentRowsMax } from "@tocsin/api"
import { atOnce, type SloStatuses } from "@tocsin/domain/adapter"
import { objectivesOf, type Slo, sloOutline } from "@tocsin/domain/definitions"
import { readFleetSummary, readSloPage, type SloPage } from "@tocsin/domain/features/overview"
import { compareProjectKeys, type ProjectKey, projectKeyText } from "@tocsin/domain/kernel"
import { SloStore } from "@tocsin/domain/ports"
import { anSlo } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { sloRowsJson } from "../../src/console/SloRows.ts"

type Row = SloRowList["data"][number]
type State = "breached" | "atRisk" | "healthy" | "noData"

interface SloRow {
  readonly key: string
  readonly displayName: string
  readonly state: State
  readonly objectives: ReadonlyArray<{ readonly name: string; readonly state: State }>
}

interface SloRowFilter {
  readonly search: string
  readonly projects: ReadonlyArray<string>
  readonly services: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  readonly states: ReadonlyArray<string>
}

type Rows = ReadonlyArray<SloRow>

type Sort = { readonly by: string; readonly isDescending: boolean }

// The console's modules are no part of what the tests are compiled with.
const {
  filterRows,
  groupRows,
  labelCounts,
  parseSort,
  rowsToCsv,
  sharedValues,
  sloRowsOf,
  sortRows,
  sortText,
} = (await import(new URL("../../../../apps/console/src/slos/SloRows.ts", import.meta.url).href)) as {
  readonly sloRowsOf: (pages: ReadonlyArray<SloRowList>, compositeName: string) => Rows
  readonly filterRows: (rows: Rows, filter: SloRowFilter) => { readonly found: Rows; readonly total: number }
  readonly sortRows: (rows: Rows, sort: Sort) => Rows
  readonly parseSort: (text: string) => Sort
  readonly sortText: (sort: Sort) => string
  readonly groupRows: (
    rows: Rows,
    by: string,
  ) => ReadonlyArray<{ readonly title: string; readonly rows: Rows }>
  readonly labelCounts: (rows: Rows) => ReadonlyMap<string, number>
  readonly sharedValues: (rows: Rows) => Readonly<Record<string, string | number>>
  readonly rowsToCsv: (rows: Rows) => string
}

const row = (name: string, change: Partial<Row> = {}): Row => ({
  project: "shop",
  service: "web",
  name,
  objectives: [{ name: "good", target: 0.99 }],
  ...change,
})

const withBudget = (budget: number, burnRate = 1) => [
  { name: "good", target: 0.99, reliability: 0.99, errorBudgetRemainingPercentage: budget, burnRate },
]

const list: SloRowList = {
  data: [
    row("a-healthy", { objectives: withBudget(0.7, 0.5), labels: { team: ["core"], env: ["prod"] } }),
    row("b-breached", {
      displayName: "Größe",
      objectives: withBudget(-2, 9),
      labels: { team: ["core", "pay"] },
    }),
    row("c-silent", { service: "mail" }),
    row("d-at-risk", { project: "pay", objectives: withBudget(0.1, 2), labels: { env: ["test"] } }),
    row("e-mixed", {
      project: "pay",
      objectives: [
        { target: 0.5, reliability: 1, errorBudgetRemainingPercentage: 1, burnRate: 0 },
        {
          name: "slow",
          displayName: "Slow",
          target: 0.9,
          reliability: 0.8,
          errorBudgetRemainingPercentage: 0,
          burnRate: 3,
        },
        { name: "quiet", target: 0.9 },
      ],
    }),
  ],
  projects: [{ name: "shop", displayName: "The shop" }, { name: "pay" }],
  services: [
    { project: "shop", name: "web", displayName: "Web" },
    { project: "shop", name: "mail" },
    { project: "pay", name: "web" },
  ],
  openAlerts: [{ project: "shop", name: "b-breached", open: 3, acknowledged: 1 }],
  links: { self: "" },
}

interface StoredSlo {
  readonly slo: Slo
  readonly statuses: SloStatuses
}

type OpenAlerts = SloPage["openAlerts"]

/** Runs with a store that has these SLOs alone. */
const withSlos =
  (slos: ReadonlyArray<StoredSlo>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const store = yield* SloStore
      const version = { definition: 1, status: 1 }
      const items = slos
        .map(({ slo, statuses }) => ({ ...keyOf(slo), version, outline: sloOutline(slo), statuses }))
        .toSorted(compareProjectKeys)
      const storing = SloStore.of({
        ...store,
        projectVersions: () =>
          Effect.succeed([{ project: "shop", slos: items.length, ...version, names: "" }]),
        changedSlos: () => Effect.succeed({ items, hasMore: false }),
      })
      return yield* Effect.provideService(effect, SloStore, storing)
    }).pipe(Effect.provide(MemoryStores.layer))

const keyOf = ({ metadata: { project, name } }: Slo): ProjectKey => ({ project, name })

/** The SLOs that the server returns first. */
const urgentOf = (openAlerts: OpenAlerts) =>
  Effect.map(
    readFleetSummary("acme", { now: 0, urgentMax: urgentRowsMax, itemsMax: 0, servicesMax: 0, openAlerts }),
    ({ urgent }) => urgent.map(projectKeyText),
  )

/** The list as the server returns it. */
const listOf = (openAlerts: OpenAlerts = new Map()) =>
  Effect.map(readSloPage("acme"), (page) => {
    const text = new TextDecoder().decode(atOnce(sloRowsJson({ ...page, openAlerts }, { self: "" })))
    return JSON.parse(text) as SloRowList
  })

const rows = sloRowsOf([list], "Composite")
const all: SloRowFilter = { search: "", projects: [], services: [], labels: [], states: [] }
const names = (found: ReadonlyArray<{ readonly key: string }>) =>
  found.map(({ key }) => key.split("/")[1]?.[0]).join("")

const someMetrics = fc.oneof(
  fc.constant(undefined),
  fc.record({
    reliability: fc.constantFrom(0.5, 1),
    errorBudgetRemainingPercentage: fc.constantFrom(-1, 0, 1e-9, 0.1, 0.10001, 0.2, 1),
    burnRate: fc.constantFrom(0, 0.9999, 0.99999, 1),
  }),
)
const slos = fc.array(
  fc.tuple(
    fc.constantFrom("Search 2", "Search 10", "search", "Übersicht", undefined),
    fc.boolean(),
    someMetrics,
    someMetrics,
  ),
  { minLength: 90, maxLength: 130 },
)

describe("the rows of the list of SLOs", () => {
  it.effect.prop(
    "begin with those that the server returns first",
    [slos],
    ([each]) =>
      Effect.gen(function* () {
        const stored = each.map(([displayName, , ...tracks], at): StoredSlo => {
          const slo = anSlo({ project: "shop", name: `slo-${at}` })
          const [objective] = objectivesOf(slo)
          return {
            slo: {
              ...slo,
              metadata: { ...slo.metadata, ...(displayName !== undefined && { displayName }) },
              spec: {
                ...slo.spec,
                objectives: tracks.flatMap((_, index) => objective && [{ ...objective, name: `o-${index}` }]),
              },
            } as Slo,
            statuses: new Map(
              tracks.flatMap((found, index) =>
                found === undefined ? [] : [[`o-${index}`, { ...found, errorBudgetRemaining: 1 }]],
              ),
            ),
          }
        })
        const alerting = stored.filter((_, at) => each[at]?.[1]).map(({ slo }) => keyOf(slo))
        const openAlerts = new Map(
          alerting.map((slo) => [projectKeyText(slo), { slo, open: 1, acknowledged: 0 }]),
        )
        const [urgent, list] = yield* withSlos(stored)(Effect.all([urgentOf(openAlerts), listOf(openAlerts)]))
        const first = sortRows(sloRowsOf([list], "Composite"), parseSort("")).slice(0, urgentRowsMax)
        expect(urgent).toEqual(first.map(({ key }) => key))
      }),
    { fastCheck: { numRuns: 30 } },
  )

  it("have the most urgent state of their objectives, and this objective first", () => {
    expect(rows.map(({ state }) => state)).toEqual(["healthy", "breached", "noData", "atRisk", "breached"])
    expect(rows[4]?.objectives.map(({ name, state }) => [name, state])).toEqual([
      ["Slow", "breached"],
      ["Composite", "healthy"],
      ["quiet", "noData"],
    ])
    expect(rows[1]).toMatchObject({
      href: "/slos/shop/b-breached",
      projectName: "The shop",
      serviceName: "Web",
      openAlerts: 3,
      acknowledgedAlerts: 1,
      labels: ["team=core", "team=pay"],
    })
    expect(sloRowsOf([{ ...list, data: [row("x", { objectives: [] })] }], "")[0]?.state).toBe("noData")
  })

  it("are filtered by name, project, service, labels and states, and counted before the states", () => {
    const find = (filter: Partial<SloRowFilter>) => names(filterRows(rows, { ...all, ...filter }).found)
    expect(find({})).toBe("abcde")
    expect(find({ search: "  GRÖSSE" })).toBe("")
    expect(find({ search: " gröẞe " })).toBe("b")
    expect(find({ search: "-B" })).toBe("b")
    expect(find({ projects: ["pay"] })).toBe("de")
    expect(find({ services: ["shop/mail", "pay/web"] })).toBe("cde")
    expect(find({ projects: ["shop"], services: ["shop/mail", "pay/web"] })).toBe("c")
    expect(find({ labels: ["team=core"] })).toBe("ab")
    expect(find({ labels: ["team=core", "env=prod"] })).toBe("a")
    expect(find({ labels: ["env=prod", "env=test"] })).toBe("ad")
    expect(find({ states: ["breached", "noData"] })).toBe("bce")
    expect(filterRows(rows, { ...all, projects: ["pay"], states: ["healthy"] })).toMatchObject({
      found: [],
      total: 2,
      counts: { breached: 1, atRisk: 1, healthy: 0, noData: 0 },
    })
  })

  it.effect("say which figures are those of an earlier definition", () =>
    Effect.gen(function* () {
      const slo = anSlo({ project: "shop", name: "changed" })
      const [objective] = objectivesOf(slo)
      const statuses = new Map([[objective?.name ?? "", { reliability: 1, isOutdated: true }]])
      const { data } = yield* withSlos([{ slo, statuses }])(listOf())
      expect(data[0]?.objectives[0]).toMatchObject({ reliability: 1, isOutdated: true })
    }),
  )

  it("have in common what is the same in all of them, if there are several", () => {
    const [healthy, , silent] = rows
    expect(sharedValues(rows)).toEqual({})
    expect(sharedValues(rows.slice(0, 1))).toEqual({})
    expect(sharedValues([healthy, silent].flatMap((each) => each ?? []))).toEqual({
      project: "The shop",
      objective: "good",
      target: 0.99,
      alerts: 0,
    })
    expect(sharedValues(rows.slice(0, 2))).toEqual({
      project: "The shop",
      service: "Web",
      objective: "good",
      target: 0.99,
    })
    expect(sharedValues(rows.slice(3))).toEqual({ project: "pay", service: "web", alerts: 0 })
  })

  it("begin with what burns now, before a budget that was exhausted once", () => {
    const burns = (name: string, budget: number, burnRate: number) =>
      row(name, { objectives: withBudget(budget, burnRate) })
    const listed = sloRowsOf(
      [
        {
          ...list,
          data: [
            burns("a", -30.58, 0),
            burns("b", 0.9, 0.2),
            burns("c", 0.8, 1),
            burns("d", -0.1, 3),
            burns("e", 1, 0),
          ],
          openAlerts: [{ project: "shop", name: "b", open: 1, acknowledged: 1 }],
        },
      ],
      "Composite",
    )
    expect(names(sortRows(listed, parseSort("")))).toBe("dcbae")
    expect(names(sortRows(listed, parseSort("-status")))).toBe("eabcd")
    expect(groupRows(listed, "service").map(({ title }) => title)).toEqual(["The shop / Web"])
  })

  it("are sorted by any column, those without a value last in both directions", () => {
    const by = (text: string) => names(sortRows(rows, parseSort(text)))
    expect(by("")).toBe("bedac")
    expect(by("-status")).toBe("cadeb")
    expect(by("budget")).toBe("bedac")
    expect(by("-budget")).toBe("adebc")
    expect(by("-burn")).toBe("bedac")
    expect(by("burn")).toBe("adebc")
    expect(by("-alerts")[0]).toBe("b")
    expect(by("name")).toBe("acdeb")
    expect(by("target")[0]).toBe("e")
    expect(by("unknown")).toBe(by("status"))
    expect(sortText(parseSort("-burn"))).toBe("-burn")
    const numbered = sloRowsOf([{ ...list, data: ["n10", "n9", "n1"].map((name) => row(name)) }], "")
    expect(sortRows(numbered, parseSort("name")).map(({ displayName }) => displayName)).toEqual([
      "n1",
      "n9",
      "n10",
    ])
  })

  it("are grouped with the most urgent group first, and that without a value last", () => {
    const groups = (by: string) =>
      groupRows(sortRows(rows, parseSort("")), by).map((group) => [group.title, names(group.rows)])
    expect(groups("service")).toEqual([
      ["pay / web", "ed"],
      ["The shop / Web", "ba"],
      ["The shop / mail", "c"],
    ])
    expect(groups("project")).toEqual([
      ["pay", "ed"],
      ["The shop", "bac"],
    ])
    expect(groups("label:team")).toEqual([
      ["core, pay", "b"],
      ["core", "a"],
      ["", "edc"],
    ])
    expect([...labelCounts(rows)]).toEqual([
      ["env=prod", 1],
      ["env=test", 1],
      ["team=core", 2],
      ["team=pay", 1],
    ])
  })

  it("become CSV that no spreadsheet takes for formulas", () => {
    const hostile = row("x", {
      displayName: '=HYPERLINK("http://127.0.0.1"),1',
      objectives: withBudget(-0.5),
    })
    const lines = rowsToCsv(
      sloRowsOf([{ ...list, data: [hostile, row("e", list.data[4])] }], "Composite"),
    ).split("\r\n")
    expect(lines[1]).toBe(
      `shop,web,x,"'=HYPERLINK(""http://127.0.0.1""),1",good,breached,0.99,0.99,-0.5,1,0,`,
    )
    expect(lines.length).toBe(1 + 1 + 3 + 1)
  })
})
