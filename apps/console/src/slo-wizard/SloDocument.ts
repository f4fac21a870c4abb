import type { DefinitionDocument } from "@tocsin/api"
import { type DraftFields, exactText, type Typing } from "../editor/Fields.ts"
import { newMetadata } from "../editor/General.tsx"
import { keyOf } from "../editor/NameList.tsx"

export type SloDefinition = DefinitionDocument<"SLO">
export type Definition = DefinitionDocument

export type Spec = SloDefinition["spec"]
export type Objective = Spec["objectives"][number]

/** The steps of the wizard, in order. */
export const steps = ["source", "query", "objectives", "alerts", "review"] as const

export type Step = (typeof steps)[number]

/** The alert policies that the wizard can create: the policies of the SRE Workbook, and one for an outage without traffic. */
export const presets = ["page", "ticket", "noTraffic"] as const

export type Preset = (typeof presets)[number]

/** The name of the alert policy of a preset. */
export const presetName = (preset: Preset): string => presetNames[preset]

const presetNames = { page: "fast-burn", ticket: "slow-burn", noTraffic: "no-traffic" } as const

/** A new SLO, with its properties in the order of its YAML. */
export const newSlo = (apiVersion: string) =>
  ({
    apiVersion,
    kind: "SLO",
    metadata: newMetadata(),
    spec: {
      description: undefined,
      service: "",
      budgetingMethod: "Occurrences",
      emptyTimeSlices: undefined,
      timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
      objectives: [newObjective("good", "Occurrences")],
      indicator: { prometheus: { dataSource: { name: "" }, good: "", total: "" } },
      anomalyConfig: undefined,
      alertPolicies: [],
    },
  }) as object as SloDefinition

/** The path of what reads Prometheus. */
export const promPath = "spec.indicator.prometheus"

const otlpPath = "spec.indicator.otlp"
const metricSourcePath = "spec.indicator.metricSource"
const objectivesPath = "spec.objectives"

/** Where counts come from; `pushed`: over the API or OTLP. What is at a URL or of a metric source, the form does not change. */
export type Source = "dataSource" | "pushed" | "url" | "other"

export const sourceOf = ({ spec: { indicator } }: SloDefinition): Source => {
  if (indicator?.metricSource !== undefined) return "other"
  if (indicator?.prometheus === undefined) return "pushed"
  return indicator.prometheus.dataSource === undefined ? "url" : "dataSource"
}

/** Whether queries are entered. */
export const isQueried = (slo: SloDefinition): boolean => ["dataSource", "url"].includes(sourceOf(slo))

/** The queries of each way to count events. */
const queries = {
  good: ["good", "total"],
  bad: ["bad", "total"],
  metric: ["metric"],
  histogram: ["histogram"],
} as const

export type Method = keyof typeof queries

/** How the queries count events. */
export const methodOf = (prometheus: object = {}): Method =>
  (["metric", "histogram", "bad"] as const).find(
    (each) => Object.hasOwn(prometheus, each) && prometheus[each as never] !== undefined,
  ) ?? "good"

const emptyQuery = (name: string): unknown => (name === "histogram" ? { series: "" } : "")

/** What an objective compares with a metric or the values of a histogram. */
const comparison = (method: Method | undefined): Readonly<Record<string, unknown>> =>
  method === "metric" ? { op: "lte", value: "" } : method === "histogram" ? { value: "" } : {}

/** The share of good events of a good minute, unless another one is entered. */
const sliceTarget = { timeSliceTarget: 0.95 }

/** An objective to begin with. */
export const newObjective = (method: Method | undefined, budgetingMethod: Spec["budgetingMethod"]) =>
  ({
    name: undefined,
    target: 0.999,
    ...comparison(method),
    ...(budgetingMethod === "Timeslices" && sliceTarget),
  }) as object as Objective

/** What objectives have by the way in which events are counted, by path: what they lose, and what they get. */
const comparisons = (draft: DraftFields, method: Method | undefined) => {
  const objectives = draft.at(objectivesPath) as ReadonlyArray<Objective>
  const compared = objectives.flatMap((each, at) =>
    isComposite(each) ? [] : [{ path: `${objectivesPath}[${at}]`, values: comparison(method) }],
  )
  return {
    removed: compared.flatMap(({ path, values }) =>
      ["op", "value"].filter((name) => !Object.hasOwn(values, name)).map((name) => `${path}.${name}`),
    ),
    added: Object.fromEntries(
      compared.flatMap(({ path, values }) =>
        Object.entries(values).map(([name, value]) => [`${path}.${name}`, value]),
      ),
    ),
  }
}

/** Chooses where counts come from. What was entered for another choice is there again with it. */
export const chooseSource = (draft: DraftFields, source: Source, edited: SloDefinition | undefined): void => {
  const stored = edited?.spec.indicator
  const isRead = source === "dataSource" || source === "url"
  const prometheus = draft.at(promPath) ?? draft.left(promPath) ?? { good: "", total: "" }
  const { removed, added } = comparisons(draft, isRead ? methodOf(prometheus as object) : undefined)
  const places = {
    dataSource: { [promPath]: prometheus, [`${promPath}.dataSource`]: { name: "" } },
    url: { [promPath]: prometheus, [`${promPath}.url`]: stored?.prometheus?.url },
    pushed: { [otlpPath]: stored?.otlp },
    other: { [metricSourcePath]: stored?.metricSource },
  }
  const isKept = (path: string): boolean => Object.hasOwn(places[source], path)
  const others = [`${promPath}.dataSource`, `${promPath}.url`].filter((path) => isRead && !isKept(path))
  draft.swap(
    [...others, ...[promPath, otlpPath, metricSourcePath].filter((path) => !isKept(path)), ...removed],
    { ...places[source], ...added },
  )
}

/** Chooses how events are counted. */
export const chooseMethod = (draft: DraftFields, method: Method): void => {
  const wanted: ReadonlyArray<string> = queries[method]
  const { removed, added } = comparisons(draft, method)
  const others = ["good", "bad", "total", "metric", "histogram"].filter((name) => !wanted.includes(name))
  draft.swap([...others.map((name) => `${promPath}.${name}`), ...removed], {
    ...Object.fromEntries(wanted.map((name) => [`${promPath}.${name}`, emptyQuery(name)])),
    ...added,
  })
}

/** Chooses whether events or minutes are counted. */
export const chooseBudgeting = (draft: DraftFields, budgetingMethod: Spec["budgetingMethod"]): void => {
  const objectives = draft.at(objectivesPath) as ReadonlyArray<Objective>
  const paths = objectives.map((_, at) => `${objectivesPath}[${at}].timeSliceTarget`)
  const chosen = { "spec.budgetingMethod": budgetingMethod }
  if (budgetingMethod === "Occurrences") draft.swap([...paths, "spec.emptyTimeSlices"], {}, chosen)
  else {
    const targets = Object.fromEntries(paths.map((path) => [path, sliceTarget.timeSliceTarget]))
    draft.swap([], { ...targets, "spec.emptyTimeSlices": undefined }, chosen)
  }
}

/** Chooses a rolling time window, or one of the calendar. */
export const chooseWindow = (draft: DraftFields, isRolling: boolean): void => {
  const path = "spec.timeWindows[0]"
  const [rolling, calendar] = [`${path}.isRolling`, `${path}.calendar`]
  if (isRolling)
    draft.swap([calendar], { [rolling]: true }, { [`${path}.count`]: 28, [`${path}.unit`]: "Day" })
  else {
    const first = { startTime: "2026-01-01 00:00:00", timeZone: "UTC" }
    draft.swap([rolling], { [calendar]: first }, { [`${path}.count`]: 1, [`${path}.unit`]: "Month" })
  }
}

/** Whether an objective combines objectives of other SLOs. */
export const isComposite = ({ composite }: Objective): boolean => composite !== undefined

/** Annotations as they are typed: one a line, as in `owner: Anna`; a line without a colon has an empty value. */
export const annotationLines: Typing<string> = {
  format: (annotations) =>
    Object.entries((annotations ?? {}) as Readonly<Record<string, string>>)
      .map(([key, value]) => `${key}: ${value}`)
      .join("\n"),
  parse: (text) => {
    const entries = text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line): readonly [string, string] => {
        const at = line.indexOf(":")
        return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      })
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  },
}

/** A share as a percentage; what is no number stays, so that the server reports it. */
export const percent: Typing<string> = {
  format: (share) =>
    typeof share === "number" ? String(Number((share * 100).toPrecision(12))) : String(share ?? ""),
  parse: (text) => {
    const typed = text.trim().replace(",", ".")
    const value = Number(typed)
    return typed === "" || Number.isNaN(value) ? text : Number((value / 100).toPrecision(12))
  },
}

/** A query for bad events, which is stored so that a series of errors which has not begun counts as none. */
export const badQuery = (
  { spec }: SloDefinition,
  edited?: SloDefinition,
  total = spec.indicator?.prometheus?.total ?? "",
): Typing<string> => ({
  ...exactText,
  parse: (text) => {
    const typed = text.trim()
    const stored = edited?.spec.indicator?.prometheus
    if (typed === "" || typed === stored?.bad?.trim() || /\bor\b[^"'`]*$/i.test(typed)) return text
    return stored?.groupBy === undefined ? `(${typed}) or vector(0)` : `(${typed}) or (${total.trim()}) * 0`
  },
})

/** What exists already, by which the wizard knows what it has to create. `undefined` while it is not known. */
export interface Existing {
  readonly projects: ReadonlySet<string> | undefined
  /** Each `project/name`. */
  readonly services: ReadonlySet<string> | undefined
  /** Each `project/name`. */
  readonly policies: ReadonlySet<string> | undefined
}

/** Whether an SLO uses the alert policy of a preset. */
export const usesPreset = ({ spec }: SloDefinition, preset: Preset): boolean =>
  spec.alertPolicies?.includes(presetName(preset)) === true

/** Everything to apply, the SLO last: what it refers to and does not exist is created with it, and notifies `methods`. */
export const definitionsOf = (
  slo: SloDefinition,
  methods: ReadonlyArray<string>,
  existing: Existing,
): ReadonlyArray<Definition> => {
  const { apiVersion } = slo
  const { project } = slo.metadata
  const isNew = (known: ReadonlySet<string> | undefined, key: string): boolean =>
    known !== undefined && !known.has(key)
  const service = slo.spec.service
  return [
    ...(project !== "" && isNew(existing.projects, project)
      ? [{ apiVersion, kind: "Project", metadata: { name: project }, spec: {} }]
      : []),
    ...(service !== "" && isNew(existing.services, `${project}/${service}`)
      ? [{ apiVersion, kind: "Service", metadata: { name: service, project }, spec: {} }]
      : []),
    ...presets
      .filter(
        (preset) => usesPreset(slo, preset) && isNew(existing.policies, `${project}/${presetName(preset)}`),
      )
      .map((preset) => policyOf(preset, methods, slo)),
    slo,
  ] as ReadonlyArray<Definition>
}

/** The alert policy of a preset. */
export const policyOf = (preset: Preset, methods: ReadonlyArray<string>, slo: SloDefinition) => ({
  apiVersion: slo.apiVersion,
  kind: "AlertPolicy" as const,
  metadata: { name: presetName(preset), project: slo.metadata.project },
  spec: {
    severity: preset === "ticket" ? ("Medium" as const) : ("High" as const),
    ...(preset === "noTraffic" ? { conditionGroups: noTraffic } : { sreWorkbook: preset }),
    alertMethods: methods.map((name) => ({ metadata: keyOf(name) })),
  },
})

/** Whether a preset compares with past weeks, so that a day alone never meets it. */
export const needsPastWeeks = (preset: Preset): boolean => preset === "noTraffic"

/**
 * Fewer than 5% of the usual events. Of these ranges, only those with at least 20 usual events are compared (`minUsual`), so that
 * chance alone meets none, whatever the traffic: the guide to alerting has the false alarms by backtest.
 */
const noTraffic = ["15m", "1h", "6h", "24h"].map((per) => ({
  conditions: [{ fewerThan: { ofUsual: 0.05, per, weeks: 4, minUsual: 20 } }],
}))

/** The step that has the field of a property of the SLO. */
export const stepOfPath = (path: string): Step => {
  if (/^spec\.indicator\.prometheus\.(?:url|dataSource)/.test(path)) return "source"
  if (path.startsWith("spec.indicator")) return "query"
  if (/^spec\.(?:objectives|timeWindows|budgetingMethod|emptyTimeSlices|composite)/.test(path))
    return "objectives"
  if (/^spec\.(?:alertPolicies|anomalyConfig)/.test(path)) return "alerts"
  if (/^(?:metadata|spec\.(?:service|description))/.test(path)) return "source"
  return "review"
}

const daysByUnit: Readonly<Record<string, number>> = {
  Minute: 1 / 1_440,
  Hour: 1 / 24,
  Day: 1,
  Week: 7,
  Month: 30,
  Quarter: 91,
  Year: 365,
}

/** The length of the time window in days; calendar months count as 30 days. */
export const windowDays = ({ spec: { timeWindows } }: SloDefinition): number =>
  Number(timeWindows[0]?.count) * (daysByUnit[timeWindows[0]?.unit ?? ""] ?? Number.NaN)

/** Minutes of complete failure that a target allows in a window; `undefined` if one of them is invalid. */
export const allowedMinutes = (target: unknown, days: number): number | undefined =>
  typeof target === "number" && target >= 0 && target < 1 && days > 0
    ? (1 - target) * days * 1_440
    : undefined

/** Targets that are usual, ascending. */
const usualTargets = [0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 0.99995, 0.99999]

/** The highest usual target below a reliability that was measured. */
export const realisticTarget = (reliability: number): number | undefined =>
  usualTargets.findLast((target) => target < reliability)
