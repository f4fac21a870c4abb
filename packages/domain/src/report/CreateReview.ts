import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { decode, described, named, type TypeOf } from "../codec/Codec.ts"
import { object, optional } from "../codec/Containers.ts"
import type { Issue } from "../codec/Issue.ts"
import { string } from "../codec/Leaves.ts"
import { utcInstant } from "../codec/Instant.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { timeZoneRules } from "../codec/TimeZones.ts"
import { type NamedTimeZone, timeZone } from "../codec/WallClock.ts"
import { CountsRetention } from "../counts/CountsRetention.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { labelSelector } from "../metadata/LabelFilter.ts"
import { displayName, objectName } from "../metadata/Metadata.ts"
import { displayNameMaxCharacters } from "../metadata/MetadataLimits.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { costlyWritesPolicy } from "../quota/CostlyRequests.ts"
import { enforceRateLimit } from "../rate-limit/RateLimiter.ts"
import { type SavedView, savedViewKind } from "../slo/SavedView.ts"
import { serviceKind } from "../slo/Service.ts"
import { recordKey } from "../status/SloRecord.ts"
import { foldedText, type SloFilter } from "../status/SloStore.ts"
import { TaggedError } from "../TaggedError.ts"
import { makeReview } from "./MakeReview.ts"
import { periodEndRule, periodIssues } from "./PeriodIssues.ts"
import type { ReviewScope } from "./Review.ts"
import { nextInCycle, reviewReminderDays } from "./ReviewCycle.ts"
import { ReviewStore } from "./ReviewStore.ts"
import { addSizeIssues, selectSlos, type SloSelection } from "./SelectSlos.ts"

/** How much an organization can store: the largest review has some 4 MB. */
const reviewLimits = { reviews: 2_000, bytes: 512 * 1_048_576 }

/** SLOs, and days of a period over which they are measured, for which one more unit of costly requests is counted. */
const slosPerUnit = 20
const daysPerUnit = 100

/** More units are not counted: the limit leaves room for those of the request itself, and of two that it rejected before. */
const measuringUnitsMax = 210

/** The units of costly requests for measuring so many SLOs over a period. */
export const measuringUnits = (slos: number, { from, to }: MinuteRange): number =>
  Math.min(measuringUnitsMax, Math.ceil(slos / slosPerUnit) * Math.ceil((to - from) / (daysPerUnit * dayMs)))

const utc: NamedTimeZone = { name: "UTC", rules: timeZoneRules("UTC") ?? { offsetAt: () => 0 } }

/** A request for a review. */
export const reviewRequest = named(
  object(
    {
      title: optional(described(displayName, "Default: what the review is about")),
      project: optional(described(objectName, "Project of the SLOs. Default: all projects")),
      service: optional(described(objectName, "Name of their service. Default: all services")),
      labels: optional(
        described(labelSelector, "Labels that the SLOs have, such as `team=payments,tier`. Default: any"),
      ),
      search: optional(
        described(
          string({ max: displayNameMaxCharacters }),
          "Part of the name or display name of the SLOs, in any letter case. Default: any",
        ),
      ),
      view: optional(
        described(objectName, "Name of a saved view that selects the SLOs, instead of the filters above"),
      ),
      from: described(utcInstant, "Start of the period (inclusive), a whole minute"),
      to: described(utcInstant, periodEndRule),
      timeZone: optional(
        described(timeZone, "IANA time zone of the weeks and of calendar months. Default: UTC"),
      ),
      nextReviewAt: optional(
        described(
          utcInstant,
          "When the next review is due. Default: the next time of the `reviewCycle` of the service, if the review is of one service of a project that has any",
        ),
      ),
    },
    {
      rules: ({ has, at, issues }) => {
        if (has("view") && (["project", "service", "labels", "search"] as const).some(has))
          issues.add(at("view"), "mutually_exclusive", "must not be given with other filters")
      },
    },
  ),
  "ReviewRequest",
)

type ReviewFilters = Omit<ReviewScope, "labels"> & Pick<TypeOf<typeof reviewRequest>, "labels">

/** No review was created. */
export class ReviewRequestIsInvalid extends TaggedError("ReviewRequestIsInvalid")<{
  /** Every issue of the request, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/**
 * Creates the review of the SLOs of a scope over a period, from what is stored now, and signs it (spec/reports §9).
 *
 * Counts as units of costly requests by the number of the SLOs, before they are measured. Fails with `ReviewRequestIsInvalid` and
 * every issue, or with `RateLimitIsExceeded`.
 */
export const createReview = Effect.fn("createReview")(function* (
  organization: OrganizationId,
  body: unknown,
) {
  const decoded = decode(reviewRequest, body, undefined)
  if (Result.isFailure(decoded)) return yield* new ReviewRequestIsInvalid({ issues: decoded.failure })
  const { from, to, title, labels, timeZone = utc, nextReviewAt, ...where } = decoded.success
  const period = { from, to }
  const now = yield* Clock.currentTimeMillis
  const countsFrom = now - (yield* CountsRetention) * dayMs
  const issues = periodIssues(period, now, countsFrom)
  const wanted = yield* selectionOf(organization, { ...where, ...(labels !== undefined && { labels }) })
  if (wanted === undefined) issues.add("view", "not_found", "must be the name of a saved view")
  const selected = wanted === undefined ? [] : yield* selectSlos(organization, wanted.selection)
  if (wanted !== undefined && selected.length === 0)
    issues.add("", "not_found", "must select at least one SLO")
  addSizeIssues(issues, "", selected)
  const found = issues.sorted()
  if (found.length > 0) return yield* new ReviewRequestIsInvalid({ issues: found })
  yield* enforceRateLimit(organization, costlyWritesPolicy, "", measuringUnits(selected.length, period))
  const scope: ReviewScope = { ...where, ...(labels !== undefined && { labels: labels.text }) }
  const next = nextReviewAt ?? (yield* nextOfService(organization, scope, now))
  const review = yield* makeReview(
    organization,
    {
      title: title ?? wanted?.title ?? scopeTitle(scope),
      scope,
      ...(wanted?.filters !== undefined && { filters: wanted.filters }),
      period,
      timeZone,
      ...(next !== undefined && { nextReviewAt: next }),
    },
    selected.map(recordKey),
    now,
    countsFrom,
  )
  if (yield* (yield* ReviewStore).add(organization, review, reviewLimits)) return review
  const message = `the organization has ${reviewLimits.reviews} reviews or ${reviewLimits.bytes / 1_048_576} MiB of them: delete old ones`
  return yield* new ReviewRequestIsInvalid({ issues: [{ path: "", code: "too_many", message }] })
})

/** What a request selects, and the saved view that it names; `undefined` if there is no such view. */
const selectionOf = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { view, labels, search, ...where }: ReviewFilters,
) {
  if (view === undefined) {
    const filter: SloFilter = { ...where, ...textOf(search) }
    return { selection: { filters: [filter], labels: labels?.filter } satisfies SloSelection }
  }
  const [found] = yield* (yield* DefinitionStore).findAll(organization, savedViewKind.kind, [
    { project: "", name: view },
  ])
  if (found === undefined) return undefined
  const { metadata, spec } = found.definition
  const { groupBy: _groupBy, sortBy: _sortBy, columns: _columns, ...filters } = spec
  const selection: SloSelection = {
    filters: filtersOfView(filters),
    labels: filters.labels,
    statuses: filters.statuses,
  }
  return { selection, filters, title: metadata.displayName ?? metadata.name }
})

/** By service or project, so that the store reads by an index. */
const filtersOfView = ({
  projects = [],
  services = [],
  search,
}: Pick<SavedView["spec"], "projects" | "services" | "search">): ReadonlyArray<SloFilter> => {
  const text = textOf(search)
  if (services.length === 0)
    return projects.length === 0 ? [text] : projects.map((project) => ({ project, ...text }))
  return services.flatMap(({ project, name }) =>
    projects.length === 0 || projects.includes(project) ? [{ project, service: name, ...text }] : [],
  )
}

const textOf = (search: string | undefined): SloFilter =>
  search === undefined ? {} : { text: foldedText(search) }

/** What a review without a title is called. */
const scopeTitle = ({ project, service, labels, search }: ReviewScope): string => {
  const owner = [project, service].filter((each) => each !== undefined).join("/")
  const parts = [owner, labels ?? "", search ?? ""].filter((each) => each !== "")
  return parts.length === 0 ? "All SLOs" : [...parts.join(", ")].slice(0, displayNameMaxCharacters).join("")
}

/** The next time of the review cycle of the service that a review is about, after the one of which this review was reminded. */
const nextOfService = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { project, service, labels, search }: ReviewScope,
  now: number,
) {
  const isOfService = project !== undefined && service !== undefined
  if (!isOfService || labels !== undefined || search !== undefined) return undefined
  const [found] = yield* (yield* DefinitionStore).findAll(organization, serviceKind.kind, [
    { project, name: service },
  ])
  const cycle = found?.definition.spec.reviewCycle
  const next = cycle && nextInCycle(cycle, now)
  const reminderMs = reviewReminderDays * dayMs
  if (cycle === undefined || next === undefined || next - now > reminderMs) return next
  // There was a reminder of this time already: this review is the one.
  const later = nextInCycle(cycle, next)
  return later !== undefined && later - next > 2 * reminderMs ? later : next
})
