import type { DefinitionDocument } from "@tocsin/api"
import { nameFromDisplayName } from "@tocsin/domain/forms"
import { labelsOf, labelsText } from "../editor/Labels.ts"
import { keyOf, keyText } from "../editor/NameList.tsx"

export type SloDefinition = DefinitionDocument<"SLO">
export type Definition = DefinitionDocument

type Spec = SloDefinition["spec"]
type Objective = Spec["objectives"][number]
type Window = Spec["timeWindows"][number]
type Prometheus = NonNullable<NonNullable<Spec["indicator"]>["prometheus"]>

/** The steps of the wizard, in order. */
export const steps = ["source", "query", "objectives", "alerts", "review"] as const

export type Step = (typeof steps)[number]

export interface ObjectiveRow {
  readonly id: number
  readonly name: string
  readonly displayName: string
  /** In percent, as it was typed. */
  readonly target: string
  readonly op: string
  readonly value: string
  /** In percent, as it was typed. */
  readonly timeSliceTarget: string
  /** What the form does not show, such as the components of a composite objective. */
  readonly stored?: Objective
}

/** What was entered in the wizard. It is plain data, so that a draft can be stored. */
export interface WizardValues {
  readonly project: string
  readonly service: string
  readonly displayName: string
  readonly name: string
  readonly description: string
  /** As in `team:payments, tier:gold`. */
  readonly labels: string
  /** One a line, as in `owner: Anna`. */
  readonly annotations: string
  /** `pushed`: counts arrive over the API or OTLP; `url` and `other`: as it is stored, which the form does not change. */
  readonly source: "dataSource" | "pushed" | "url" | "other"
  /** `project/name`. */
  readonly dataSource: string
  readonly method: "good" | "bad" | "metric" | "histogram"
  readonly good: string
  readonly bad: string
  readonly total: string
  readonly metric: string
  readonly series: string
  readonly histogramType: "classic" | "native"
  readonly budgetingMethod: Spec["budgetingMethod"]
  /** What a minute without events counts as, with Timeslices. */
  readonly emptyTimeSlices: NonNullable<Spec["emptyTimeSlices"]>
  readonly objectives: ReadonlyArray<ObjectiveRow>
  readonly windowKind: "rolling" | "calendar"
  readonly windowCount: string
  readonly windowUnit: string
  readonly windowStart: string
  readonly windowTimeZone: string
  /** Names of alert policies of the project. */
  readonly policies: ReadonlyArray<string>
  readonly presets: ReadonlyArray<Preset>
  /** Whether missing counts are reported. */
  readonly alertsNoData: boolean
  /** Alert methods that are notified of missing counts, each `project/name`. */
  readonly noDataMethods: ReadonlyArray<string>
  /** How long counts may be missing, as in `15m`. */
  readonly noDataAfter: string
  /** Whether minutes without events are missing, too. */
  readonly noDataZero: boolean
  /** Alert methods of the policies that presets create, each `project/name`. */
  readonly methods: ReadonlyArray<string>
  /** The definitions as they were edited by hand, instead of those of the form. */
  readonly yaml?: string
}

/** The alert policies that the wizard can create: those of the SRE Workbook, and one for an outage without traffic. */
export const presets = ["page", "ticket", "noTraffic"] as const

export type Preset = (typeof presets)[number]

/** The name of the alert policy of a preset. */
export const presetName = (preset: Preset): string => presetNames[preset]

const presetNames = { page: "fast-burn", ticket: "slow-burn", noTraffic: "no-traffic" } as const

export const emptyObjective = (id: number): ObjectiveRow => ({
  id,
  name: "",
  displayName: "",
  target: "99.9",
  op: "lte",
  value: "",
  timeSliceTarget: "95",
})

export const emptyValues: WizardValues = {
  project: "default",
  service: "",
  displayName: "",
  name: "",
  description: "",
  labels: "",
  annotations: "",
  source: "dataSource",
  dataSource: "",
  method: "good",
  good: "",
  bad: "",
  total: "",
  metric: "",
  series: "",
  histogramType: "classic",
  budgetingMethod: "Occurrences",
  emptyTimeSlices: "good",
  objectives: [emptyObjective(1)],
  windowKind: "rolling",
  windowCount: "28",
  windowUnit: "Day",
  windowStart: "2026-01-01 00:00:00",
  windowTimeZone: "UTC",
  policies: [],
  presets: [],
  methods: [],
  alertsNoData: false,
  noDataMethods: [],
  noDataAfter: "15m",
  noDataZero: true,
}

/** The values of a stored SLO. */
export const valuesOf = ({ metadata, spec }: SloDefinition): WizardValues => {
  const { prometheus } = spec.indicator ?? {}
  const [window] = spec.timeWindows
  const noData = spec.anomalyConfig?.noData
  return {
    ...emptyValues,
    project: metadata.project,
    name: metadata.name,
    displayName: metadata.displayName ?? "",
    description: spec.description ?? "",
    labels: labelsText(metadata.labels),
    annotations: annotationsText(metadata.annotations),
    service: spec.service,
    source: sourceOf(spec.indicator),
    dataSource:
      prometheus?.dataSource === undefined
        ? ""
        : `${prometheus.dataSource.project ?? metadata.project}/${prometheus.dataSource.name}`,
    method:
      prometheus?.metric !== undefined
        ? "metric"
        : prometheus?.histogram !== undefined
          ? "histogram"
          : prometheus?.bad !== undefined
            ? "bad"
            : "good",
    good: prometheus?.good ?? "",
    bad: prometheus?.bad ?? "",
    total: prometheus?.total ?? "",
    metric: prometheus?.metric ?? "",
    series: prometheus?.histogram?.series ?? "",
    histogramType: prometheus?.histogram?.type ?? "classic",
    budgetingMethod: spec.budgetingMethod,
    emptyTimeSlices: spec.emptyTimeSlices ?? "good",
    objectives: spec.objectives.map((each, at) => ({
      id: at + 1,
      name: each.name ?? "",
      displayName: each.displayName ?? "",
      target: percentText(each.target),
      op: each.op ?? "lte",
      value: each.value === undefined ? "" : String(each.value),
      timeSliceTarget: each.timeSliceTarget === undefined ? "95" : percentText(each.timeSliceTarget),
      stored: each,
    })),
    ...windowValues(window),
    policies: spec.alertPolicies ?? [],
    ...(noData !== undefined && {
      alertsNoData: true,
      noDataMethods: noData.alertMethods.map((each) => keyText(each, metadata.project)),
      noDataAfter: noData.alertAfter ?? emptyValues.noDataAfter,
      noDataZero: noData.treatZeroAsNoData ?? false,
    }),
  }
}

const annotationsText = (annotations: Readonly<Record<string, string>> = {}): string =>
  Object.entries(annotations)
    .map(([key, value]) => `${key}: ${value}`)
    .join("\n")

/** The annotations that were typed, one a line; a line without a colon has an empty value. */
const annotationsOf = (text: string): Record<string, string> | undefined => {
  const entries = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line): readonly [string, string] => {
      const at = line.indexOf(":")
      return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const sourceOf = (indicator: Spec["indicator"]): WizardValues["source"] => {
  if (indicator?.metricSource !== undefined) return "other"
  if (indicator?.prometheus === undefined) return "pushed"
  return indicator.prometheus.dataSource === undefined ? "url" : "dataSource"
}

/** Whether an objective combines objectives of other SLOs. */
export const isComposite = ({ stored }: ObjectiveRow): boolean => stored?.composite !== undefined

const windowValues = (window: Window | undefined): Partial<WizardValues> =>
  window === undefined
    ? {}
    : {
        windowKind: "calendar" in window ? "calendar" : "rolling",
        windowCount: String(window.count),
        windowUnit: window.unit,
        ...("calendar" in window && {
          windowStart: window.calendar.startTime,
          windowTimeZone: window.calendar.timeZone,
        }),
      }

const percentText = (share: number): string => String(Number((share * 100).toPrecision(12)))

/** A share of a percentage that was typed; what is no number stays, so that the server reports it. */
export const shareOf = (text: string): number => {
  const typed = text.trim().replace(",", ".")
  const value = Number(typed)
  return typed === "" || Number.isNaN(value)
    ? (text as unknown as number)
    : Number((value / 100).toPrecision(12))
}

const numberOf = (text: string): number =>
  text.trim() === "" || Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text)

/** A query for bad events as it is stored: a series of errors that has not begun counts as none. */
const badOf = ({ bad, total }: WizardValues, stored: Prometheus | undefined): string => {
  const typed = bad.trim()
  if (typed === "" || typed === stored?.bad?.trim() || /\bor\b[^"'`]*$/i.test(typed)) return bad
  return stored?.groupBy === undefined ? `(${typed}) or vector(0)` : `(${typed}) or (${total.trim()}) * 0`
}

/** The SLO that the values describe, valid or not. `edited` has what the form does not show. */
export const sloOf = (values: WizardValues, apiVersion: string, edited?: SloDefinition): SloDefinition => {
  const { indicator, composite, anomalyConfig, emptyTimeSlices: _, ...rest } = edited?.spec ?? {}
  const written = indicatorOf(values, indicator)
  return {
    ...edited,
    apiVersion,
    kind: "SLO",
    metadata: {
      ...edited?.metadata,
      name: values.name.trim(),
      displayName: values.displayName.trim() || undefined,
      project: values.project.trim(),
      labels: values.labels.trim() === "" ? undefined : labelsOf(values.labels),
      annotations: sameText(values.annotations, edited?.metadata.annotations),
    },
    spec: {
      ...rest,
      description: values.description.trim() || undefined,
      service: values.service.trim(),
      budgetingMethod: values.budgetingMethod,
      ...(values.budgetingMethod === "Timeslices" &&
        values.emptyTimeSlices !== "good" && { emptyTimeSlices: values.emptyTimeSlices }),
      timeWindows: [windowOf(values)],
      objectives: values.objectives.map((row) => objectiveOf(row, values)),
      ...(composite !== undefined && { composite }),
      ...(written !== undefined && { indicator: written }),
      ...(values.alertsNoData && {
        anomalyConfig: {
          noData: {
            ...anomalyConfig?.noData,
            alertMethods: values.noDataMethods.map((name) => keyOf(name)),
            alertAfter: values.noDataAfter.trim(),
            ...((values.noDataZero || anomalyConfig?.noData?.treatZeroAsNoData !== undefined) && {
              treatZeroAsNoData: values.noDataZero,
            }),
          },
        },
      }),
      alertPolicies: [...new Set([...values.policies, ...values.presets.map(presetName)])],
    },
  } as SloDefinition
}

/** The annotations of a text; what was not changed stays as it is, also if it has several lines. */
const sameText = (text: string, stored: Readonly<Record<string, string>> | undefined) =>
  text === annotationsText(stored) ? stored : annotationsOf(text)

const indicatorOf = (values: WizardValues, stored: Spec["indicator"]): Spec["indicator"] | undefined => {
  const { source, method, series, histogramType } = values
  // How metrics arrive over OTLP is edited as YAML.
  if (source === "other") return stored
  if (source === "pushed") return stored?.otlp === undefined ? undefined : stored
  const expressions =
    method === "metric"
      ? { metric: values.metric }
      : method === "histogram"
        ? { histogram: { series, ...(histogramType === "native" && { type: histogramType }) } }
        : {
            ...(method === "bad" ? { bad: badOf(values, stored?.prometheus) } : { good: values.good }),
            total: values.total,
          }
  const groupBy = stored?.prometheus?.groupBy
  return {
    prometheus: {
      ...(source === "url"
        ? { url: stored?.prometheus?.url ?? "" }
        : { dataSource: values.dataSource === "" ? { name: "" } : keyOf(values.dataSource) }),
      ...expressions,
      ...(groupBy !== undefined && { groupBy }),
    },
  }
}

const objectiveOf = (row: ObjectiveRow, { source, method, budgetingMethod }: WizardValues): Objective => {
  const { op: _op, value: _value, timeSliceTarget: _slice, ...stored } = row.stored ?? {}
  const isCompared = !isComposite(row) && (source === "dataSource" || source === "url")
  return {
    ...(source === "other" ? row.stored : stored),
    name: row.name.trim() || undefined,
    displayName: row.displayName.trim() || undefined,
    target: shareOf(row.target),
    ...(isCompared && method === "metric" && { op: row.op, value: numberOf(row.value) }),
    ...(isCompared && method === "histogram" && { value: numberOf(row.value) }),
    timeSliceTarget: budgetingMethod === "Timeslices" ? shareOf(row.timeSliceTarget) : undefined,
  } as Objective
}

const windowOf = (values: WizardValues): Window => {
  const [count, unit] = [numberOf(values.windowCount), values.windowUnit]
  return (
    values.windowKind === "rolling"
      ? { unit, count, isRolling: true }
      : { unit, count, calendar: { startTime: values.windowStart, timeZone: values.windowTimeZone } }
  ) as Window
}

/** What exists already, by which the wizard knows what it has to create. `undefined` while it is not known. */
export interface Existing {
  readonly projects: ReadonlySet<string> | undefined
  /** Each `project/name`. */
  readonly services: ReadonlySet<string> | undefined
  /** Each `project/name`. */
  readonly policies: ReadonlySet<string> | undefined
}

/** Everything to apply, the SLO last: what it refers to and does not exist is created with it. */
export const definitionsOf = (
  values: WizardValues,
  slo: SloDefinition,
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
    ...values.presets
      .filter((preset) => isNew(existing.policies, `${project}/${presetName(preset)}`))
      .map((preset) => policyOf(preset, values, slo)),
    slo,
  ] as ReadonlyArray<Definition>
}

/** The alert policy of a preset. */
export const policyOf = (preset: Preset, { methods }: WizardValues, slo: SloDefinition) => ({
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

/** The field of a query, by its path in what is applied or tested; `undefined` if none has it. */
export const fieldOfQuery = (path: string): "good" | "bad" | "total" | "metric" | "series" | undefined => {
  const [, name] =
    /(?:^|\.)spec\.indicator\.prometheus\.(good|bad|total|metric|histogram\.series)$/.exec(path) ?? []
  return name === "histogram.series" ? "series" : (name as "good" | "bad" | "total" | "metric" | undefined)
}

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

/** The name that a display name gives. */
export const derivedName = (displayName: string): string => nameFromDisplayName(displayName)

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
export const windowDays = ({ windowCount, windowUnit }: WizardValues): number =>
  Number(windowCount) * (daysByUnit[windowUnit] ?? Number.NaN)

/** Minutes of complete failure that a target allows in a window; `undefined` if one of them is invalid. */
export const allowedMinutes = (target: string, days: number): number | undefined => {
  const share = shareOf(target)
  if (typeof share !== "number" || !(share >= 0 && share < 1) || !(days > 0)) return undefined
  return (1 - share) * days * 1_440
}

/** Targets that are usual, ascending. */
const usualTargets = [0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 0.99995, 0.99999]

/** The highest usual target below a reliability that was measured. */
export const realisticTarget = (reliability: number): number | undefined =>
  usualTargets.findLast((target) => target < reliability)
