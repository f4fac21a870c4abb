import { isSourceType } from "@tocsin/domain/definitions"
import { isObject, percentText } from "@tocsin/domain/codec"
import type { ListedObject } from "../client/Objects.ts"

/** The columns of the tables of `tocsin get`, by kind; those of `wide` only with `-o wide`. */
interface Columns {
  readonly header: ReadonlyArray<string>
  readonly wide: ReadonlyArray<string>
  readonly cells: (object: ListedObject) => ReadonlyArray<string>
}

/** Reads a part of an object by its path, such as `spec.service`. */
export const at = (object: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), object)

export const text = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  if (typeof value === "object") return JSON.stringify(value)
  return String(value)
}

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const percent = (share: unknown): string => (typeof share === "number" ? percentText(share) : "")

export const labelsOf = (object: unknown): string => {
  const labels = at(object, "metadata.labels")
  if (!isObject(labels)) return ""
  return Object.entries(labels)
    .flatMap(([key, values]) => {
      const all = list(values)
      return all.length === 0 ? [key] : all.map((value) => `${key}=${text(value)}`)
    })
    .join(",")
}

/** `4w rolling` or `1 month from 2026-01-01`. */
export const windowOf = (slo: unknown): string => {
  const [window] = list(at(slo, "spec.timeWindows"))
  if (!isObject(window)) return ""
  const unit = text(window["unit"]).toLowerCase()
  const length = `${text(window["count"])} ${unit}${window["count"] === 1 ? "" : "s"}`
  return window["isRolling"] === true ? `${length}, rolling` : `${length}, calendar`
}

const namesOf = (references: unknown): string =>
  list(references)
    .map((reference) => (typeof reference === "string" ? reference : text(at(reference, "metadata.name"))))
    .join(",")

export const conditionsOf = (policy: unknown): string => {
  const workbook = at(policy, "spec.sreWorkbook")
  if (workbook !== undefined) return `SRE Workbook, ${text(workbook)}`
  const groups = list(at(policy, "spec.conditionGroups"))
  if (groups.length > 0) return `${groups.length} groups`
  if (
    at(policy, "spec.anomalyConfig.noData") !== undefined &&
    list(at(policy, "spec.conditions")).length === 0
  )
    return "no data"
  return list(at(policy, "spec.conditions"))
    .map((condition) =>
      [
        at(condition, "fewerThan") === undefined ? at(condition, "measurement") : "fewerThan",
        at(condition, "op"),
        at(condition, "value") ?? at(condition, "fewerThan.events") ?? at(condition, "fewerThan.ofUsual"),
        at(condition, "alertingWindow") ?? at(condition, "fewerThan.per") ?? at(condition, "lastsFor"),
      ]
        .map(text)
        .filter((part) => part !== "")
        .join(" "),
    )
    .join("; ")
}

export const indicatorOf = (slo: unknown): string => {
  const indicator = at(slo, "spec.indicator")
  return isObject(indicator) ? Object.keys(indicator).join(",") : "counts"
}

const loginOf = (source: unknown): string => {
  const prometheus = at(source, "spec.prometheus")
  if (!isObject(prometheus)) return ""
  const known = ["basic", "bearer", "oauth2"].find((method) => prometheus[method] !== undefined)
  return known ?? "none"
}

const columns = (
  header: ReadonlyArray<string>,
  wide: ReadonlyArray<string>,
  cells: (object: ListedObject) => ReadonlyArray<unknown>,
): Columns => ({
  header,
  wide,
  cells: (object) => [text(object.metadata.name), ...cells(object).map(text)],
})

const displayName = (object: ListedObject) => at(object, "metadata.displayName")

/** When an alert silence or a budget adjustment begins, and how long it lasts or when it ends. */
const timesOf = (object: ListedObject): readonly [from: unknown, lasts: unknown] => {
  const times = at(object, "spec.recurrence") ?? at(object, "spec.period")
  return [at(times, "startTime"), at(times, "duration") ?? at(times, "endTime")]
}

const agentCells = (each: ListedObject): ReadonlyArray<unknown> => {
  const spec = at(each, "spec")
  const type = isObject(spec) ? Object.keys(spec).find(isSourceType) : undefined
  return [type, at(each, `spec.${type}.url`), displayName(each)]
}

/** `Triggered, acknowledged`, or `Triggered, silenced`. */
const alertStatusOf = (alert: ListedObject): string =>
  [
    text(at(alert, "spec.status")),
    ...(at(alert, "spec.acknowledgement") === undefined ? [] : ["acknowledged"]),
    ...(at(alert, "spec.isSilenced") === true ? ["silenced"] : []),
  ].join(", ")

const byKind: Readonly<Record<string, Columns>> = {
  Project: columns(["NAME", "DISPLAY NAME"], ["LABELS"], (each) => [displayName(each), labelsOf(each)]),
  Service: columns(["NAME", "DISPLAY NAME"], ["LABELS"], (each) => [displayName(each), labelsOf(each)]),
  SLO: columns(["NAME", "SERVICE", "TARGETS", "WINDOW"], ["SOURCE", "ALERT POLICIES", "LABELS"], (each) => [
    at(each, "spec.service"),
    list(at(each, "spec.objectives"))
      .map((objective) => percent(at(objective, "target")))
      .join(","),
    windowOf(each),
    indicatorOf(each),
    namesOf(at(each, "spec.alertPolicies")),
    labelsOf(each),
  ]),
  AlertPolicy: columns(["NAME", "SEVERITY", "CONDITIONS"], ["COOL-DOWN", "ALERT METHODS"], (each) => [
    at(each, "spec.severity"),
    conditionsOf(each),
    at(each, "spec.coolDown"),
    namesOf(at(each, "spec.alertMethods")),
  ]),
  AlertMethod: columns(["NAME", "DISPLAY NAME", "BODY"], ["HEADERS"], (each) => [
    displayName(each),
    at(each, "spec.webhook") === undefined
      ? "without effect"
      : at(each, "spec.webhook.template") === undefined
        ? "fields"
        : "template",
    list(at(each, "spec.webhook.headers"))
      .map((header) => text(at(header, "name")))
      .join(","),
  ]),
  AlertSilence: columns(["NAME", "SLO", "FROM", "LASTS"], ["POLICY", "RECURRENCE"], (each) => [
    at(each, "spec.slo") ?? at(each, "spec.sloLabels"),
    ...timesOf(each),
    at(each, "spec.alertPolicy.name"),
    at(each, "spec.recurrence.rrule"),
  ]),
  DataSource: columns(["NAME", "URL", "AUTH"], ["TENANT", "QUERY DELAY"], (each) => [
    at(each, "spec.prometheus.url"),
    loginOf(each),
    at(each, "spec.prometheus.tenant"),
    at(each, "spec.prometheus.queryDelay"),
  ]),
  Agent: columns(["NAME", "TYPE", "URL"], ["DISPLAY NAME"], agentCells),
  Direct: columns(["NAME", "TYPE", "URL"], ["DISPLAY NAME"], agentCells),
  BudgetAdjustment: columns(["NAME", "FROM", "LASTS"], ["RECURRENCE"], (each) => [
    ...timesOf(each),
    at(each, "spec.recurrence.rrule"),
  ]),
  Alert: columns(
    ["ID", "SLO", "OBJECTIVE", "POLICY", "SEVERITY", "STATUS", "TRIGGERED"],
    ["ENDED", "ACKNOWLEDGED BY"],
    (each) => [
      at(each, "spec.slo.name"),
      at(each, "spec.objective.name"),
      at(each, "spec.alertPolicy.name"),
      at(each, "spec.severity"),
      alertStatusOf(each),
      at(each, "spec.triggeredClockTime"),
      at(each, "spec.resolvedClockTime"),
      at(each, "spec.acknowledgement.by"),
    ],
  ),
}

const anyKind = columns(["NAME"], [], () => [])

/** The header and the rows of objects of one kind. With `withProject`, the project comes first. */
export const tableOf = (
  kind: string,
  objects: ReadonlyArray<ListedObject>,
  { isWide, withProject }: { readonly isWide: boolean; readonly withProject: boolean },
): { readonly header: ReadonlyArray<string>; readonly rows: ReadonlyArray<ReadonlyArray<string>> } => {
  const { header, wide, cells } = byKind[kind] ?? anyKind
  const shown = isWide ? [...header, ...wide] : header
  return {
    header: withProject ? ["PROJECT", ...shown] : shown,
    rows: objects.map((object) => {
      const row = cells(object).slice(0, shown.length)
      return withProject ? [object.metadata.project ?? "", ...row] : row
    }),
  }
}
