/** The events of budget adjustments in the form of the service's public clients. Source: spec/budget-adjustments §10. */
import { DefinitionsAreInvalid } from "@tocsin/domain"
import { groupBy, TaggedError } from "@tocsin/domain/adapter"
import {
  dateTimeToMs,
  dayMs,
  decode,
  entryPath,
  type Fields,
  instant,
  IssueList,
  joinPaths,
  list,
  type MinuteRange,
  object,
  rangeText,
  type TypeOf,
} from "@tocsin/domain/codec"
import {
  type BudgetAdjustment,
  type ChangedEvent,
  changedEventsMax,
  defaultProjectName,
  isOfNoProject,
  ruleText,
} from "@tocsin/domain/definitions"
import { periodsOfRule, reviseAdjustment, wholeMinutes } from "@tocsin/domain/features/budget-change"
import {
  type OrganizationId,
  type ProjectKey,
  projectKey,
  projectKeyText,
  sloName,
} from "@tocsin/domain/kernel"
import { DefinitionStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** Most events that a list has. */
const eventsListedMax = 250

/** Most SLOs of all events of a list together; the first event is listed in any case. */
const eventSlosListedMax = 50_000

/** Longest range of which events are listed, in days. */
const eventsRangeMaxDays = 1_830

/** Longest event, in days. */
const eventMaxDays = 31

/** The `default` project has no budget adjustment with this name in the form of public clients. */
export class BudgetAdjustmentNotFound extends TaggedError("BudgetAdjustmentNotFound")<{
  /** The requested name. */
  readonly name: string
}> {}

/** An event, with the SLOs that it adjusts; times are in Unix milliseconds. */
interface AdjustmentEvent extends MinuteRange {
  readonly slos: ReadonlyArray<ProjectKey>
}

export interface EventsQuery {
  readonly from?: string
  readonly to?: string
  readonly sloName?: string
  readonly sloProject?: string
}

/** Lists the events that have begun and overlap a range, the earliest first, at most `eventsListedMax` and `eventSlosListedMax`. */
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

  const adjustment = yield* findAdjustment(organization, name)
  const now = yield* Clock.currentTimeMillis
  const wanted = sloName === "" ? undefined : projectKeyText({ project: sloProject, name: sloName })
  return yield* eventsOf(adjustment, { from, to: Math.min(to, now + 1) }, wanted)
})

/** The adjustment in the form of public clients; fails with `BudgetAdjustmentNotFound`. */
const findAdjustment = Effect.fnUntraced(function* (organization: OrganizationId, name: string) {
  const store = yield* DefinitionStore
  const found = yield* store.find(organization, "BudgetAdjustment", { project: defaultProjectName, name })
  return Option.isNone(found) || !isOfNoProject(found.value.definition)
    ? yield* new BudgetAdjustmentNotFound({ name })
    : found.value.definition
})

const times = { eventStart: instant, eventEnd: instant }

const eventOf = <F extends Fields>(fields: F) =>
  object({ ...times, slos: list(projectKey(sloName), { min: 1, max: changedEventsMax }), ...fields })

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

/** Changes the events of a body; `updateOf` says what becomes of one. */
const changing =
  <A extends TypeOf<typeof deletedEvents>[number]>(
    codec: Parameters<typeof decode<ReadonlyArray<A>, unknown>>[0],
    updateOf: (event: A) => Pick<EventChange, "update">,
  ) =>
  (organization: OrganizationId, name: string, body: unknown, author: string) =>
    Effect.flatMap(decodedEvents(codec, body), (events) =>
      changeEvents(
        organization,
        name,
        events.map((each) => ({ slos: each.slos, was: rangeOf(each), ...updateOf(each) })),
        author,
      ),
    )

/** Deletes events for SLOs, all or none; each must be as it is listed. */
export const deleteAdjustmentEvents = changing(deletedEvents, () => ({}))

/** Gives events other times for SLOs, all or none; each must be as it is listed. */
export const updateAdjustmentEvents = changing(updatedEvents, ({ update }) => ({ update: rangeOf(update) }))

const decodedEvents = <A extends ReadonlyArray<Pick<EventChange, "slos">>>(
  codec: Parameters<typeof decode<A, unknown>>[0],
  body: unknown,
) =>
  Effect.fromResult(decode(codec, body, undefined)).pipe(
    Effect.filterOrFail(
      (events) => events.reduce((sum, { slos }) => sum + slos.length, 0) <= changedEventsMax,
      () => {
        const issues = new IssueList()
        issues.add(
          "",
          "too_many",
          `at most ${changedEventsMax} events can be changed at once, counted for each SLO`,
        )
        return issues.sorted()
      },
    ),
    Effect.mapError((issues) => new DefinitionsAreInvalid({ issues })),
  )

const changeEvents = (
  organization: OrganizationId,
  name: string,
  changes: ReadonlyArray<EventChange>,
  author: string,
) =>
  Effect.gen(function* () {
    const definition = yield* findAdjustment(organization, name)
    const ofRule = yield* eventsOfRule(definition, changes)
    const planned = yield* Effect.fromResult(withChanges(definition, changes, ofRule))
    const revise = (
      stored: BudgetAdjustment | undefined,
    ): Result.Result<BudgetAdjustment, BudgetAdjustmentNotFound | DefinitionsAreInvalid> => {
      if (stored === undefined || !isOfNoProject(stored))
        return Result.fail(new BudgetAdjustmentNotFound({ name }))
      // By another rule, they are not the events that were listed.
      const known = ruleText(stored) === ruleText(definition) ? ofRule : new Set<string>()
      return withChanges(stored, changes, known)
    }
    yield* reviseAdjustment(organization, planned, author, revise)
  })

/** Which of these events the rule of an adjustment says, by `rangeText`; fails for an event that is too long to be looked for. */
const eventsOfRule = Effect.fnUntraced(function* (
  adjustment: BudgetAdjustment,
  changes: ReadonlyArray<EventChange>,
) {
  const issues = new IssueList()
  const found = new Set<string>()
  for (const [index, { was }] of changes.entries()) {
    if (adjustment.spec.recurrence !== undefined && was.to - was.from > eventMaxDays * dayMs) {
      const message = `must be at most ${eventMaxDays} days after eventStart`
      issues.add(joinPaths(entryPath("", index), "eventEnd"), "out_of_range", message)
      continue
    }
    if (ruleEvents(adjustment, was).some(({ from, to }) => from === was.from && to === was.to)) {
      found.add(rangeText(was))
    }
    yield* Effect.yieldNow
  }
  return issues.isEmpty ? found : yield* new DefinitionsAreInvalid({ issues: issues.sorted() })
})

/** The adjustment with changed events; fails for every event that it does not have. `ofRule` are those of `eventsOfRule`. */
const withChanges = (
  adjustment: BudgetAdjustment,
  changes: ReadonlyArray<EventChange>,
  ofRule: ReadonlySet<string>,
): Result.Result<BudgetAdjustment, DefinitionsAreInvalid> => {
  const issues = new IssueList()
  const changedBySlo = changedEventsBySlo(adjustment)
  const adjusted = new Set((adjustment.spec.slos ?? []).map(projectKeyText))
  for (const [index, { slos, was, update }] of changes.entries()) {
    const asUpdate = update === undefined ? {} : { update }
    const whole = wholeMinutes(was)
    for (const [at, slo] of slos.entries()) {
      const key = projectKeyText(slo)
      const changed = changedBySlo.get(key) ?? []
      const earlier = changed.findIndex((each) => each.update?.from === was.from && each.update.to === was.to)
      const isByRule = ofRule.has(rangeText(was)) && changed.every(({ from }) => from !== whole.from)
      if (adjusted.has(key) && earlier !== -1) {
        changedBySlo.set(
          key,
          changed.map((each, place) => {
            if (place !== earlier) return each
            const { update: _, ...rest } = each
            return { ...rest, ...asUpdate }
          }),
        )
      } else if (adjusted.has(key) && isByRule) {
        changedBySlo.set(key, [...changed, { slo, ...whole, ...asUpdate }])
      } else {
        const message = `the SLO ${slo.name} of project ${slo.project} has no event with this start and end`
        issues.add(joinPaths(entryPath("", index), entryPath("slos", at)), "not_found", message)
      }
    }
  }
  const changedEvents = [...changedBySlo.values()].flat()
  if (changedEvents.length > changedEventsMax)
    issues.add("", "too_many", `an adjustment can have at most ${changedEventsMax} changed events`)
  return issues.isEmpty
    ? Result.succeed({ ...adjustment, changedEvents })
    : Result.fail(new DefinitionsAreInvalid({ issues: issues.sorted() }))
}

/** The first events of an adjustment that overlap a range, by their start; with `wanted`, those of this SLO. */
const eventsOf = Effect.fnUntraced(function* (
  adjustment: BudgetAdjustment,
  range: MinuteRange,
  wanted: string | undefined,
) {
  const slos = (adjustment.spec.slos ?? []).map((slo) => ({ slo, key: projectKeyText(slo) }))
  if (wanted !== undefined && slos.every(({ key }) => key !== wanted)) return []
  const ofRule = new Map(ruleEvents(adjustment, range).map((each) => [rangeText(each), each]))
  const events = new Map(ofRule)
  /** The events of SLOs with changed events; the others have those of the rule. */
  const ownBySlo = new Map<string, ReadonlySet<string>>()
  for (const [key, changed] of changedEventsBySlo(adjustment)) {
    const replaced = new Set(changed.map(({ from }) => from))
    const kept = [...ofRule].filter(([, each]) => !replaced.has(wholeMinutes(each).from))
    const updated = changed.flatMap(({ update }) =>
      update !== undefined && overlaps(wholeMinutes(update), range) ? [update] : [],
    )
    for (const each of updated) events.set(rangeText(each), each)
    ownBySlo.set(key, new Set([...kept.map(([text]) => text), ...updated.map(rangeText)]))
    yield* Effect.yieldNow
  }
  const listed: Array<AdjustmentEvent> = []
  let listedSlos = 0
  for (const [text, { from, to }] of [...events].toSorted(([, a], [, b]) => a.from - b.from || a.to - b.to)) {
    const isOf = (key: string): boolean => (ownBySlo.get(key) ?? ofRule).has(text)
    if (wanted !== undefined && !isOf(wanted)) continue
    const some = slos.filter(({ key }) => isOf(key))
    if (some.length === 0) continue
    listedSlos += some.length
    if (listed.length > 0 && listedSlos > eventSlosListedMax) break
    listed.push({ from, to, slos: some.map(({ slo }) => slo) })
    if (listed.length === eventsListedMax) break
    yield* Effect.yieldNow
  }
  return listed
})

/** The events of the rule of an adjustment, with the seconds of a single event. */
const ruleEvents = (adjustment: BudgetAdjustment, range: MinuteRange): ReadonlyArray<MinuteRange> => {
  const { period } = adjustment.spec
  const periods = periodsOfRule(adjustment, range)
  if (period === undefined) return periods
  const from = period.startTime.ms
  return periods.map(() => ({ from, to: from + (period.duration?.ms ?? 0) }))
}

const changedEventsBySlo = ({
  changedEvents = [],
}: BudgetAdjustment): Map<string, ReadonlyArray<ChangedEvent>> =>
  new Map(groupBy(changedEvents, ({ slo }) => projectKeyText(slo)))

const overlaps = (a: MinuteRange, b: MinuteRange): boolean => a.from < b.to && b.from < a.to
