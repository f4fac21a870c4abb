import * as Result from "effect/Result"
import { type Codec, described, type JsonOf, once, type TypeOf } from "../codec/Codec.ts"
import { eitherOf, type Fields, list, object, optional, storedOnly } from "../codec/Containers.ts"
import { durationOf } from "../codec/Duration.ts"
import { duration } from "../codec/DurationCodec.ts"
import { entryPath, type Issue, IssueList } from "../codec/Issue.ts"
import { isObject, number } from "../codec/Leaves.ts"
import { instant } from "../codec/Instant.ts"
import { minuteMs } from "../codec/MinuteInstant.ts"
import { recurrence, recurrenceRule } from "../codec/Recurrence.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import { labelSelector } from "../metadata/LabelFilter.ts"
import {
  annotations,
  type DefaultProjectContext,
  description,
  displayName,
  objectName,
  ownedKey,
  projectKey,
  sloName,
  unlabelledMetadata,
} from "../metadata/Metadata.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import { isAdjusted } from "./AdjustsSlo.ts"
import { defaultProjectName } from "./Project.ts"

/** Most budget adjustments that select the same SLO, or the same label of SLOs. */
export const adjustmentsPerSloMax = 100

const period = object(
  {
    startTime: instant,
    endTime: optional(instant),
    duration: optional(duration((ms) => ms > 0, "must be more than 0")),
  },
  {
    rules: (place) => {
      eitherOf("endTime", "duration")(place)
      const { startTime, endTime } = place.value
      if (startTime !== undefined && endTime !== undefined && endTime.ms <= startTime.ms) {
        place.issues.add(place.at("endTime"), "out_of_range", "must be after startTime")
      }
    },
  },
)

const setMinute = object(
  { good: number({ min: 0 }), total: number({ min: 0 }) },
  {
    rules: ({ value: { good, total }, at, issues }) => {
      if (good !== undefined && total !== undefined && good > total) {
        issues.add(at("good"), "out_of_range", "must be at most total")
      }
    },
  },
)

const secondText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** An instant in whole seconds, with its text in UTC. */
const wholeSecond: typeof instant = {
  ...instant,
  read: (input, path, issues) => {
    const read = instant.read(input, path, issues, undefined)
    if (read === undefined) return undefined
    return read.ms % 1_000 === 0
      ? { ms: read.ms, text: secondText(read.ms) }
      : issues.add(path, "out_of_range", "must be in whole seconds")
  },
}

/** Most events of one adjustment that differ from what its rule says, counted for each SLO. */
export const changedEventsMax = 1_000

const eventTimes = { from: number({}), to: number({}) }

const changedEvent = object({
  slo: projectKey(sloName),
  /** The minutes that the event would have by the rule, in Unix milliseconds. */
  ...eventTimes,
  /** When it was instead, in Unix milliseconds; absent: it was not. */
  update: optional(object(eventTimes)),
})

/** An event of one SLO that differs from what the rule of its adjustment says. */
export type ChangedEvent = TypeOf<typeof changedEvent>

const eventsFields = {
  description: optional(description),
  firstEventStart: described(wholeSecond, "When the first event begins"),
  duration: described(
    duration((ms) => ms >= minuteMs && ms % 1_000 === 0, "must be at least 1m, in whole seconds"),
    "How long each event is",
  ),
  rrule: optional(
    described(recurrenceRule, "When further events begin, in UTC; without it, there is one event"),
  ),
  filters: object({
    slos: list(projectKey(sloName), { min: 1, distinct: { by: projectKeyText } }),
  }),
  changedEvents: storedOnly(list(changedEvent, { max: changedEventsMax })),
}

const projectFields = {
  reason: described(description, "Why the minutes are adjusted"),
  slos: optional(
    described(
      list(ownedKey(sloName), { min: 1, distinct: { by: projectKeyText } }),
      "The SLOs; each has the project of the adjustment unless it names one. Or sloLabels",
    ),
  ),
  sloLabels: optional(
    described(
      labelSelector,
      "All SLOs of the same project with these labels: comma-separated key=value pairs, or keys alone",
    ),
  ),
  period: optional(
    described(period, "Either endTime or duration is required. Every minute that it touches is adjusted"),
  ),
  recurrence: optional(
    described(recurrence, "The period recurs by an RFC 5545 rule in a time zone, instead of period"),
  ),
  set: optional(
    described(
      setMinute,
      "The good and total events of each minute and objective, instead of those counted. Default: the minutes are excluded",
    ),
  ),
}

/** The form of a project, with a reason. */
const projectForm = definitionOf("BudgetAdjustment", {
  identifier: "BudgetAdjustmentDefinition",
  metadata: unlabelledMetadata,
  spec: object(projectFields, {
    rules: (place) => {
      eitherOf("slos", "sloLabels")(place)
      eitherOf("period", "recurrence")(place)
    },
  }),
})

/**
 * The form by events, which belongs to no project: each period is an event, which can be changed for single SLOs. It is kept as
 * the adjustment of the project `default` that its events describe (spec/budget-adjustments §9).
 */
const eventsForm = definitionOf("BudgetAdjustment", {
  identifier: "BudgetAdjustmentEvents",
  metadata: object({ name: objectName, displayName: optional(displayName) }),
  spec: object(eventsFields, {
    rules: ({ value: { firstEventStart, duration, rrule }, at, path, issues }) => {
      if (firstEventStart === undefined || duration === undefined || rrule === undefined) return
      if (firstEventStart.ms % minuteMs !== 0) {
        const message = "must be the start of a minute with rrule: its seconds must be 00"
        issues.add(at("firstEventStart"), "out_of_range", message)
      } else recurrence.read(recurrenceOf(firstEventStart.ms, duration.text, rrule), path, issues, undefined)
    },
  }),
})

/** Whether a document describes an adjustment by events. */
const describesEvents = (input: unknown): boolean =>
  isObject(input) &&
  isObject(input["spec"]) &&
  ["firstEventStart", "filters", "rrule", "duration"].some((name) =>
    Object.hasOwn(input["spec"] as object, name),
  )

const recurrenceOf = (startMs: number, duration: string, rrule: string) => ({
  startTime: new Date(startMs).toISOString().slice(0, 19).replace("T", " "),
  timeZone: "UTC",
  rrule,
  duration,
})

const fromEvents = ({ kind, metadata, spec }: TypeOf<typeof eventsForm>): BudgetAdjustment | undefined => {
  const { description: reason = "", firstEventStart, duration, rrule, filters, changedEvents = [] } = spec
  const recurring =
    rrule === undefined
      ? undefined
      : recurrence.read(
          recurrenceOf(firstEventStart.ms, duration.text, rrule),
          "",
          new IssueList(),
          undefined,
        )
  if (rrule !== undefined && recurring === undefined) return undefined
  return {
    kind,
    metadata: { ...metadata, project: defaultProjectName },
    changedEvents,
    spec: {
      reason,
      slos: filters.slos,
      ...(recurring === undefined
        ? { period: { startTime: firstEventStart, duration } }
        : { recurrence: recurring }),
    },
  }
}

const toEvents = ({
  kind,
  metadata,
  spec,
  changedEvents = [],
}: BudgetAdjustment): TypeOf<typeof eventsForm> => {
  const { reason, slos = [], period, recurrence } = spec
  const { name, displayName } = metadata
  const startMs = period?.startTime.ms ?? recurrence?.startTime.ms ?? 0
  return {
    kind,
    metadata: { name, ...(displayName !== undefined && { displayName }) },
    spec: {
      ...(reason !== "" && { description: reason }),
      firstEventStart: { ms: startMs, text: secondText(startMs) },
      duration: period?.duration ?? recurrence?.duration ?? durationOf("0"),
      ...(recurrence !== undefined && { rrule: recurrence.rrule }),
      filters: { slos },
      ...(changedEvents.length > 0 && { changedEvents }),
    },
  }
}

const optionalFields = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, "codec" in field ? field : optional(field)]),
  )

/** An adjustment of a project, or by events, as the properties of its document say. */
export const budgetAdjustment: Codec<
  BudgetAdjustment,
  DefaultProjectContext,
  JsonOf<typeof projectForm> | JsonOf<typeof eventsForm>
> = {
  read: (input, path, issues, context) => {
    if (!describesEvents(input)) return projectForm.read(input, path, issues, context)
    const events = eventsForm.read(input, path, issues, context)
    return events && fromEvents(events)
  },
  write: (value, options) =>
    isByEvents(value) ? eventsForm.write(toEvents(value), options) : projectForm.write(value, options),
  schema: once(
    definitionOf("BudgetAdjustment", {
      identifier: "BudgetAdjustmentDefinition",
      metadata: object({
        name: objectName,
        displayName: optional(displayName),
        project: optional(described(objectName, "With a reason")),
        annotations: optional(annotations),
      }),
      spec: described(
        object({
          ...optionalFields(projectFields),
          ...optionalFields(eventsFields),
        }),
        "Either reason and what belongs to it, or firstEventStart, duration, rrule, filters and description, which belong to no project",
      ),
    }).schema,
  ),
}

/** Excludes minutes of SLOs from everything that is computed of their counts, or sets what was counted in them. */
export type BudgetAdjustment = TypeOf<typeof projectForm> & {
  /** Of an adjustment by events, which belongs to no project: those that differ from what its rule says, if any do. */
  readonly changedEvents?: ReadonlyArray<ChangedEvent>
}

/** Whether the periods of an adjustment are events, which can be changed for single SLOs. */
const isByEvents = ({ changedEvents }: BudgetAdjustment): boolean => changedEvents !== undefined

/**
 * An adjustment that is applied, with the changed events of the stored one, as far as its rule and SLOs are the same. Fails if the
 * stored one belongs to a project and this one does not, or the other way around: whoever writes that does not know of this one.
 */
const withStoredEvents = (
  adjustment: BudgetAdjustment,
  stored: BudgetAdjustment | undefined,
): Result.Result<BudgetAdjustment, ReadonlyArray<Issue>> => {
  if (stored !== undefined && isByEvents(stored) !== isByEvents(adjustment)) {
    const other = isByEvents(stored) ? "without a project" : `of project ${defaultProjectName}`
    const message = `is the name of a BudgetAdjustment ${other}; choose another name, or delete that one first`
    return Result.fail([{ path: "metadata.name", code: "duplicate", message }])
  }
  if (stored?.changedEvents === undefined || ruleText(adjustment) !== ruleText(stored))
    return Result.succeed(adjustment)
  const changedEvents = stored.changedEvents.filter(({ slo }) => isAdjusted(adjustment.spec.slos, slo))
  return Result.succeed({ ...adjustment, changedEvents })
}

/** The rule of an adjustment by events; two with the same text have the same events. */
export const ruleText = (adjustment: BudgetAdjustment): string => {
  const { firstEventStart, duration, rrule } = toEvents(adjustment).spec
  return JSON.stringify([firstEventStart.ms, duration.ms, rrule])
}

export const budgetAdjustmentKind = {
  kind: "BudgetAdjustment",
  shortName: "ba",
  words: "a budget adjustment",
  home: "project",
  ofNoProject: { describedBy: describesEvents, is: isByEvents },
  codec: budgetAdjustment,
  name: objectName,
  references: ({ spec: { slos = [] } }) =>
    slos.map((slo, index) => ({
      kind: "SLO" as const,
      ...slo,
      path: `${entryPath("spec.slos", index)}.name`,
    })),
  selects: ({ spec }) => spec.sloLabels?.filter,
  resolve: withStoredEvents,
  whenMoved: {
    follow: (adjustment, to) => {
      const { spec, changedEvents } = adjustment
      if (spec.slos === undefined) return adjustment
      return {
        ...adjustment,
        spec: { ...spec, slos: spec.slos.map(to) },
        ...(changedEvents !== undefined && {
          changedEvents: changedEvents.map((each) => ({ ...each, slo: to(each.slo) })),
        }),
      }
    },
  },
} as const satisfies KindDescription<BudgetAdjustment, BudgetAdjustment, "SLO">
