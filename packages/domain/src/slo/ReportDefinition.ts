/** A saved report, which is kept as it is and generated when it is read. Source: spec/clients §4, spec/reports §11. */
import * as Schema from "effect/Schema"
import { type Codec, type JsonOf, once, type TypeOf } from "../codec/Codec.ts"
import { hasNoEntries, list, object, optional, type ObjectPlace } from "../codec/Containers.ts"
import type { IssueList } from "../codec/Issue.ts"
import { boolean, isObject, literals, number, string } from "../codec/Leaves.ts"
import { instant } from "../codec/Instant.ts"
import { parseUtcInstant } from "../codec/MinuteInstant.ts"
import { recurrenceRule } from "../codec/Recurrence.ts"
import { timeZone } from "../codec/WallClock.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import { displayName, labels, objectName, projectKey, sloName } from "../metadata/Metadata.ts"

/** Deepest folder of a hierarchy. */
const hierarchyDepthMax = 8

/** Most columns of a system health review. */
const reviewColumnsMax = 30

/** Most rows of a system health review that are selected by labels. */
const reviewRowsMax = 50

/** Labels to select by, where a key without values is any value. */
const selectedLabels: typeof labels = {
  ...labels,
  read: (input, path, issues, context) =>
    labels.read(
      isObject(input)
        ? Object.fromEntries(Object.entries(input).map(([key, values]) => [key, values ?? []]))
        : input,
      path,
      issues,
      context,
    ),
}

const filters = object(
  {
    projectScope: optional(literals(["selected", "all"])),
    projects: optional(list(objectName), { isEmpty: hasNoEntries }),
    services: optional(list(projectKey(objectName)), { isEmpty: hasNoEntries }),
    slos: optional(list(projectKey(sloName)), { isEmpty: hasNoEntries }),
    labels: optional(selectedLabels, { isEmpty: (each) => Object.keys(each).length === 0 }),
  },
  {
    rules: ({ value, given, path, issues }) => {
      const isSelected = (["projects", "services", "slos"] as const).some((name) => {
        const entries = given(name)
        return Array.isArray(entries) && entries.length > 0
      })
      if (value.projectScope === "all" && isSelected) {
        const message = "must not have projects, services or slos with projectScope all"
        issues.add(path, "mutually_exclusive", message)
      }
      if (value.projectScope !== "all" && !isSelected)
        issues.add(path, "required", "must have projectScope all, or projects, services or slos")
    },
  },
)

const units = ["Week", "Month", "Quarter", "Year"] as const

const count = number({ min: 1, max: 4, isInteger: true })

const rolling = object(
  { unit: literals(units), count },
  {
    rules: ({ value: { unit, count }, at, issues }) => {
      if (unit === undefined || count === undefined) return
      const isAllowed = unit === "Week" ? [1, 2, 4].includes(count) : count === 1
      if (!isAllowed) issues.add(at("count"), "not_allowed_value", "must be 1, or 2 or 4 with the unit Week")
    },
  },
)

const dateRule = "must be a date such as 2026-01-31"

const date: Codec<string, unknown, string> = string({
  max: 10,
  format: { pattern: /^\d{4}-\d\d-\d\d$/, message: dateRule },
})

/** Whether a day of this form is one of the calendar. */
const isDate = (text: string): boolean => parseUtcInstant(`${text}T00:00:00Z`) !== undefined

const calendar = object(
  {
    from: optional(date),
    to: optional(date),
    unit: optional(literals(units)),
    count: optional(number({ min: 1, max: 1 })),
  },
  {
    rules: ({ value: { from, to }, has, at, path, issues }) => {
      const isPeriod = has("unit") && has("count") && !has("from") && !has("to")
      const isRange = has("from") && has("to") && !has("unit") && !has("count")
      if (!isPeriod && !isRange)
        issues.add(path, "required", "must have either unit and count, or from and to")
      for (const [name, text] of Object.entries({ from, to }))
        if (text !== undefined && !isDate(text)) issues.add(at(name), "invalid_format", dateRule)
      if (from !== undefined && to !== undefined && from >= to)
        issues.add(at("to"), "out_of_range", "must be after from")
    },
  },
)

const timeFrame = object(
  { rolling: optional(rolling), calendar: optional(calendar), timeZone },
  { rules: oneOfProperties("rolling", "calendar") },
)

const labelled = object({
  displayName: optional(displayName),
  labels: selectedLabels,
})

const systemHealthReview = object(
  {
    timeFrame: object({
      snapshot: object(
        {
          point: literals(["past", "latest"]),
          dateTime: optional(instant),
          rrule: optional(recurrenceRule),
        },
        {
          rules: ({ value: { point }, has, at, issues }) => {
            if (point === "past" && !has("dateTime")) issues.add(at("dateTime"), "required", "is required")
            if (point !== "latest") return
            for (const name of ["dateTime", "rrule"] as const)
              if (has(name)) issues.add(at(name), "not_allowed_value", "is only for the point past")
          },
        },
      ),
      timeZone,
    }),
    rowGroupBy: literals(["project", "service", "label", "customRows"]),
    columns: list(labelled, { min: 1, max: reviewColumnsMax }),
    labelRows: optional(list(labelled, { max: reviewRowsMax }), { isEmpty: hasNoEntries }),
    thresholds: object(
      {
        redLte: number({ min: 0, max: 1 }),
        greenGt: number({ min: 0, max: 1 }),
        showNoData: optional(boolean, { default: () => false }),
      },
      {
        rules: ({ value: { redLte, greenGt }, at, issues }) => {
          if (redLte !== undefined && greenGt !== undefined && redLte > greenGt)
            issues.add(at("redLte"), "out_of_range", "must be at most greenGt")
        },
      },
    ),
    tableHeader: optional(displayName),
    hideUngrouped: optional(boolean),
  },
  {
    rules: ({ value: { rowGroupBy }, has, at, issues }) => {
      const isByLabels = rowGroupBy === "label" || rowGroupBy === "customRows"
      if (isByLabels && !has("labelRows")) issues.add(at("labelRows"), "required", "is required")
      if (rowGroupBy !== undefined && !isByLabels && has("labelRows"))
        issues.add(at("labelRows"), "not_allowed_value", "is only for rowGroupBy label and customRows")
      if (rowGroupBy !== "label" && has("hideUngrouped"))
        issues.add(at("hideUngrouped"), "not_allowed_value", "is only for rowGroupBy label")
    },
  },
)

const folderSlo = object({ name: sloName, project: objectName, displayName: optional(displayName) })

/** A folder of a hierarchy of SLOs. */
export interface Folder {
  /** Its title. */
  readonly displayName: string
  /** The folders within it. */
  readonly children?: ReadonlyArray<Folder>
  /** The SLOs in it. */
  readonly slos?: ReadonlyArray<JsonOf<typeof folderSlo>>
}

const tooDeep: Codec<Folder, unknown, Folder> = {
  read: (_, path, issues) =>
    issues.add(path, "too_many", `must be at most ${hierarchyDepthMax} folders deep`),
  write: (value) => value,
  schema: once(() => Schema.Never),
}

const folder = (depth: number): Codec<Folder, unknown, Folder> => {
  if (depth === 0) return tooDeep
  const fields = object({
    displayName,
    children: optional(list(folder(depth - 1)), { isEmpty: hasNoEntries }),
    slos: optional(list(folderSlo), { isEmpty: hasNoEntries }),
  })
  return fields as Codec<Folder, unknown, Folder>
}

/** Rejects an object that does not have exactly one of these properties. */
function oneOfProperties<N extends string>(...names: ReadonlyArray<N>) {
  return ({
    has,
    path,
    issues,
  }: Pick<ObjectPlace<Readonly<Record<N, unknown>>, unknown>, "has"> & {
    readonly path: string
    readonly issues: IssueList
  }): void => {
    const given = names.filter(has)
    if (given.length === 1) return
    const code = given.length === 0 ? "required" : "mutually_exclusive"
    issues.add(path, code, `must have exactly one of ${names.join(", ")}`)
  }
}

/** What a saved report shows. */
const reportDefinition = definitionOf("Report", {
  identifier: "ReportDefinition",
  metadata: object({ name: objectName, displayName: optional(displayName) }),
  spec: object(
    {
      shared: optional(boolean, { default: () => false }),
      filters: optional(filters),
      systemHealthReview: optional(systemHealthReview),
      sloHistory: optional(object({ timeFrame })),
      errorBudgetStatus: optional(object({})),
      reliabilityRollup: optional(
        object({
          timeFrame,
          customHierarchy: optional(list(folder(hierarchyDepthMax)), { isEmpty: hasNoEntries }),
        }),
      ),
    },
    {
      ignored: ["createdAt", "updatedAt", "createdBy"],
      rules: (place) => {
        oneOfProperties("systemHealthReview", "sloHistory", "errorBudgetStatus", "reliabilityRollup")(place)
        const { value, has, at, issues } = place
        const hierarchy = value.reliabilityRollup?.customHierarchy
        if (has("filters") && hierarchy !== undefined) {
          const message = "must not be given with reliabilityRollup.customHierarchy"
          issues.add(at("filters"), "mutually_exclusive", message)
        }
        const hasOwn =
          has("reliabilityRollup") && (value.reliabilityRollup === undefined || hierarchy !== undefined)
        if (!has("filters") && !hasOwn) issues.add(at("filters"), "required", "is required")
      },
    },
  ),
})

export type ReportDefinition = TypeOf<typeof reportDefinition>

/** What a report selects need not exist, so it refers to nothing. */
export const reportKind = {
  kind: "Report",
  shortName: "rep",
  words: "a report",
  home: "organization",
  codec: reportDefinition,
  name: objectName,
} as const satisfies KindDescription<ReportDefinition>
