/** The events of budget adjustments in the form of the service's public clients. Source: spec/budget-adjustments §10. */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { decode, type TypeOf } from "../codec/Codec.ts"
import { type Fields, list, object } from "../codec/Containers.ts"
import { entryPath, IssueList, joinPaths } from "../codec/Issue.ts"
import { dateTimeToMs, dayMs, instant } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { changeDefinitions } from "../definition/ChangeDefinitions.ts"
import { DefinitionsAreInvalid } from "../definition/ApplyDefinitions.ts"
import { type DefinitionChange, DefinitionStore } from "../definition/DefinitionStore.ts"
import { indexedReferences } from "../definition/References.ts"
import { projectKey, sloName } from "../metadata/Metadata.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { type BudgetAdjustment, type ChangedEvent, changedEventsMax } from "../slo/BudgetAdjustment.ts"
import { defaultProjectName } from "../slo/Project.ts"
import { adjustmentPeriods, wholeMinutes } from "../status/AdjustedMinutes.ts"
import { recorderOf } from "./ChangeBudgets.ts"

/** Most events that a list has. */
export const eventsListedMax = 250

/** Longest range of which events are listed, in days. */
export const eventsRangeMaxDays = 1_830

/** Longest event, in days. */
export const eventMaxDays = 31

export class BudgetAdjustmentNotFound extends Data.TaggedError("BudgetAdjustmentNotFound")<{
  readonly name: string
}> {}

/** An event, with the SLOs that it adjusts; times are in Unix milliseconds. */
export interface AdjustmentEvent extends MinuteRange {
  readonly slos: ReadonlyArray<ProjectKey>
}

export interface EventsQuery {
  readonly from?: string
  readonly to?: string
  readonly sloName?: string
  readonly sloProject?: string
}

/** Lists the events that have begun and overlap a range, the earliest first, at most `eventsListedMax`. */
export const listAdjustmentEvents = Effect.fn("listAdjustmentEvents")(function* (
  organization: OrganizationId,
  name: string,
  query: EventsQuery,
) {
  const issues = new IssueList()
  const times = (["from", "to"] as const).map((field) => {
    const text = query[field] ?? ""
    const ms = dateTimeToMs(text.replace(" ", "+"))
    if (text === "") issues.add(field, "required", "is required")
    else if (ms === undefined)
      issues.add(field, "invalid_format", "must be a date-time such as 2026-01-30T12:00:00Z")
    return ms ?? 0
  })
  const [from = 0, to = 0] = times
  if (issues.isEmpty && from >= to) issues.add("to", "out_of_range", "must be after from")
  if (to - from > eventsRangeMaxDays * dayMs)
    issues.add("to", "out_of_range", `must be at most ${eventsRangeMaxDays} days after from`)
  const { sloName = "", sloProject = "" } = query
  if ((sloName === "") !== (sloProject === "")) {
    const missing = sloName === "" ? "sloName" : "sloProject"
    issues.add(missing, "required", "is required: sloName and sloProject come together")
  }
  if (!issues.isEmpty) return yield* new DefinitionsAreInvalid({ issues: issues.sorted() })

  const found = yield* (yield* DefinitionStore).find(organization, "BudgetAdjustment", {
    project: defaultProjectName,
    name,
  })
  if (Option.isNone(found) || found.value.definition.form !== "events")
    return yield* new BudgetAdjustmentNotFound({ name })
  const now = yield* Clock.currentTimeMillis
  const wanted = sloName === "" ? undefined : projectKeyText({ project: sloProject, name: sloName })
  return eventsOf(found.value.definition, { from, to: Math.min(to, now + 1) })
    .filter(({ slos }) => wanted === undefined || slos.some((slo) => projectKeyText(slo) === wanted))
    .slice(0, eventsListedMax)
})

const times = { eventStart: instant, eventEnd: instant }

const eventOf = <F extends Fields>(fields: F) =>
  object({ ...times, slos: list(projectKey(sloName), { min: 1 }), ...fields })

const deletedEvents = list(eventOf({}), { min: 1, max: eventsListedMax })

const updatedEvents = list(
  eventOf({
    update: object(times, {
      rules: ({ value: { eventStart, eventEnd }, at, issues }) => {
        if (eventStart === undefined || eventEnd === undefined) return
        if (eventEnd.ms <= eventStart.ms)
          issues.add(at("eventEnd"), "out_of_range", "must be after eventStart")
        else if (eventEnd.ms - eventStart.ms > eventMaxDays * dayMs)
          issues.add(at("eventEnd"), "out_of_range", `must be at most ${eventMaxDays} days after eventStart`)
      },
    }),
  }),
  { min: 1, max: eventsListedMax },
)

interface EventChange extends Pick<TypeOf<typeof deletedEvents>[number], "slos"> {
  readonly was: MinuteRange
  /** Absent: the event is deleted. */
  readonly update?: MinuteRange
}

const rangeOf = ({
  eventStart,
  eventEnd,
}: TypeOf<typeof deletedEvents>[number] | TypeOf<typeof updatedEvents>[number]["update"]): MinuteRange => ({
  from: eventStart.ms,
  to: eventEnd.ms,
})

/** Deletes events for SLOs, all or none; each must be as it is listed. */
export const deleteAdjustmentEvents = (
  organization: OrganizationId,
  name: string,
  body: unknown,
  author: string,
) =>
  Effect.gen(function* () {
    const events = yield* decodedEvents(deletedEvents, body)
    const changes = events.map((each): EventChange => ({ slos: each.slos, was: rangeOf(each) }))
    yield* changeEvents(organization, name, changes, author)
  })

/** Gives events other times for SLOs, all or none; each must be as it is listed. */
export const updateAdjustmentEvents = (
  organization: OrganizationId,
  name: string,
  body: unknown,
  author: string,
) =>
  Effect.gen(function* () {
    const events = yield* decodedEvents(updatedEvents, body)
    const changes = events.map((each): EventChange => ({
      slos: each.slos,
      was: rangeOf(each),
      update: rangeOf(each.update),
    }))
    yield* changeEvents(organization, name, changes, author)
  })

const decodedEvents = <A>(codec: Parameters<typeof decode<A, unknown>>[0], body: unknown) =>
  Effect.mapError(
    Effect.fromResult(decode(codec, body, undefined)),
    (issues) => new DefinitionsAreInvalid({ issues }),
  )

const changeEvents = (
  organization: OrganizationId,
  name: string,
  changes: ReadonlyArray<EventChange>,
  author: string,
) =>
  Effect.gen(function* () {
    const store = yield* DefinitionStore
    const key = { kind: "BudgetAdjustment", project: defaultProjectName, name } as const
    const found = yield* store.find(organization, "BudgetAdjustment", key)
    if (Option.isNone(found) || found.value.definition.form !== "events")
      return yield* new BudgetAdjustmentNotFound({ name })
    const planned = yield* Effect.fromResult(withChanges(found.value.definition, changes))
    const { recordOf } = yield* recorderOf(organization, [planned], author)
    yield* changeDefinitions(
      organization,
      [key],
      author,
      (read): Result.Result<DefinitionChange, DefinitionsAreInvalid | BudgetAdjustmentNotFound> => {
        const before = read.find(key)?.definition
        if (before?.kind !== "BudgetAdjustment" || before.form !== "events")
          return Result.fail(new BudgetAdjustmentNotFound({ name }))
        return Result.map(withChanges(before, changes), (after) => ({
          put: [{ definition: after, references: indexedReferences(after) }],
          remove: [],
          record: recordOf?.([{ before, after }]),
        }))
      },
    )
  })

/** The adjustment with changed events; fails for every event that it does not have. */
const withChanges = (
  adjustment: BudgetAdjustment,
  changes: ReadonlyArray<EventChange>,
): Result.Result<BudgetAdjustment, DefinitionsAreInvalid> => {
  const issues = new IssueList()
  let changed: ReadonlyArray<ChangedEvent> = adjustment.changedEvents ?? []
  for (const [index, { slos, was, update }] of changes.entries()) {
    const asUpdate = update === undefined ? {} : { update }
    for (const [at, slo] of slos.entries()) {
      const isOfSlo = (each: ChangedEvent) => projectKeyText(each.slo) === projectKeyText(slo)
      const isSame = (a: MinuteRange) => a.from === was.from && a.to === was.to
      const earlier = changed.find(
        (each) => isOfSlo(each) && each.update !== undefined && isSame(each.update),
      )
      const byRule = eventsOfSlo({ ...adjustment, changedEvents: changed }, slo, was).find(isSame)
      if (earlier !== undefined) {
        const { update: _, ...rest } = earlier
        changed = changed.map((each) => (each === earlier ? { ...rest, ...asUpdate } : each))
      } else if (
        byRule !== undefined &&
        (adjustment.spec.slos ?? []).some((each) => projectKeyText(each) === projectKeyText(slo))
      ) {
        changed = [...changed, { slo, ...wholeMinutes(was), ...asUpdate }]
      } else {
        const message = `the SLO ${slo.name} of project ${slo.project} has no event with this start and end`
        issues.add(joinPaths(entryPath("", index), entryPath("slos", at)), "not_found", message)
      }
    }
  }
  if (changed.length > changedEventsMax)
    issues.add("", "too_many", `an adjustment can have at most ${changedEventsMax} changed events`)
  return issues.isEmpty
    ? Result.succeed({ ...adjustment, changedEvents: changed })
    : Result.fail(new DefinitionsAreInvalid({ issues: issues.sorted() }))
}

/** The events of an adjustment that overlap a range, by their start. */
const eventsOf = (adjustment: BudgetAdjustment, range: MinuteRange): ReadonlyArray<AdjustmentEvent> => {
  const events = new Map<
    string,
    { readonly from: number; readonly to: number; readonly slos: Array<ProjectKey> }
  >()
  for (const slo of adjustment.spec.slos ?? []) {
    for (const { from, to } of eventsOfSlo(adjustment, slo, range)) {
      const event = events.get(`${from} ${to}`) ?? { from, to, slos: [] }
      event.slos.push(slo)
      events.set(`${from} ${to}`, event)
    }
  }
  return [...events.values()].toSorted((a, b) => a.from - b.from || a.to - b.to)
}

/** As `adjustmentPeriods`, with the seconds of a single event and of updated ones. */
const eventsOfSlo = (
  adjustment: BudgetAdjustment,
  slo: ProjectKey,
  range: MinuteRange,
): ReadonlyArray<MinuteRange> => {
  const { period } = adjustment.spec
  const changed = (adjustment.changedEvents ?? []).filter(
    (each) => projectKeyText(each.slo) === projectKeyText(slo),
  )
  const exact = [
    ...(period === undefined
      ? []
      : [{ from: period.startTime.ms, to: period.startTime.ms + (period.duration?.ms ?? 0) }]),
    ...changed.flatMap(({ update }) => update ?? []),
  ]
  return adjustmentPeriods(adjustment, range, slo).map((whole) => {
    const isWhole = (each: MinuteRange) =>
      wholeMinutes(each).from === whole.from && wholeMinutes(each).to === whole.to
    return exact.find(isWhole) ?? whole
  })
}
