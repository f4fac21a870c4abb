/** A review: a report about many SLOs, with notes and the date of the next review beside it. */
import { described, named, stored, type TypeOf } from "../codec/Codec.ts"
import { exactOptional, list, object } from "../codec/Containers.ts"
import { anyString, boolean, literals, number } from "../codec/Leaves.ts"
import { utcInstant } from "../codec/Instant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { budgetingMethods } from "../slo/BudgetingMethod.ts"
import { viewFilters } from "../slo/SavedView.ts"
import { measured, reportAdjustment, reportAdjustmentsMax, reportRange } from "./Report.ts"
import { reportResults } from "./ReportResult.ts"
import type { SignedDocument } from "./SignDocument.ts"
import { utf8Length } from "../work/Utf8Bytes.ts"

/** Maximum number of SLOs of a review. */
export const reviewSlosMax = 3_000

/** Maximum number of objectives of all SLOs of a review together. */
export const reviewObjectivesMax = 5_000

/** Which SLOs a review is about, as lists of SLOs are filtered; without a property, all of the organization. */
export const reviewScope = object({
  project: exactOptional(described(anyString, "Project of the SLOs")),
  service: exactOptional(described(anyString, "Name of their service")),
  labels: exactOptional(described(anyString, "Labels that they have, such as `team=payments,tier`")),
  search: exactOptional(described(anyString, "Part of their name or display name, in any letter case")),
  view: exactOptional(described(anyString, "Name of the saved view that selects them")),
})

/** The stored form of a scope, which is the same for the same scope. */
export const storedScope = stored(reviewScope, [])

/** Which SLOs a review is about. */
export type ReviewScope = TypeOf<typeof reviewScope>

const reviewed = {
  ...measured,
  weeks: described(
    list(
      object({
        budgetSpent: exactOptional(
          described(
            number({}),
            "Part of the whole error budget of the period that was burned in the week: 1 is all of it; absent without data or budget",
          ),
        ),
      }),
    ),
    "The weeks of the review, in their order. They add up to the error budget burned in the period",
  ),
  previous: exactOptional(
    described(
      object({
        reliability: measured.reliability,
        errorBudgetRemainingPercentage: measured.errorBudgetRemainingPercentage,
      }),
      "The figures of the period before, with the target and the adjustments of today; absent if its counts may have been deleted",
    ),
  ),
}

/** An SLO of a review. */
export const reviewSlo = named(
  object({
    project: anyString,
    service: anyString,
    slo: anyString,
    displayName: anyString,
    budgetingMethod: literals(budgetingMethods),
    result: described(literals(reportResults), "The worst result of its objectives"),
    alerts: described(number({ min: 0, isInteger: true }), "Alerts that triggered in the period"),
    adjustedMinutes: described(number({}), "Minutes of the period that budget adjustments of the SLO change"),
    objectives: list(object({ name: anyString, displayName: anyString, ...reviewed })),
    composite: exactOptional(described(object(reviewed), "The legacy composite over all objectives")),
  }),
  "ReviewedSlo",
)

/** An SLO of a review. */
export type ReviewedSlo = TypeOf<typeof reviewSlo>

/** A measured objective or composite of a review. */
export type ReviewedTrack = NonNullable<ReviewedSlo["composite"]>

const count = number({ min: 0, isInteger: true })

const head = {
  id: anyString,
  organization: anyString,
  title: anyString,
  scope: reviewScope,
  filters: exactOptional(
    described(
      object(viewFilters),
      "The filters of the saved view when the review was created; absent without one",
    ),
  ),
  timeZone: described(anyString, "Time zone of the weeks and of calendar months"),
  period: described(reportRange, "The period that the review is about"),
  previous: exactOptional(
    described(reportRange, "The period before it; absent if its counts may have been deleted"),
  ),
  weeks: described(
    list(reportRange),
    "The weeks of the period, from Monday on; the first and the last can be shorter",
  ),
  minCoverage: described(number({}), "The coverage that an objective must have to be met"),
  createdAt: utcInstant,
  results: described(
    object({ met: count, missed: count, insufficient_data: count }),
    "How many SLOs have each result",
  ),
  hasMoreAlerts: described(boolean, "Whether SLOs have more alerts than were counted"),
  adjustments: described(
    list(
      object({
        ...reportAdjustment,
        slos: described(count, "How many SLOs of the review have adjusted minutes"),
      }),
      { max: reportAdjustmentsMax },
    ),
    "The budget adjustments of these SLOs that are included in the figures, by project and name",
  ),
  hasMoreAdjustments: described(
    boolean,
    `Whether only the first ${reportAdjustmentsMax} adjustments are listed`,
  ),
}

const {
  id: _id,
  organization: _organization,
  title: _title,
  scope: _scope,
  filters: _filters,
  createdAt: _at,
  ...measuredFields
} = head

/** What a review says of all its SLOs as they were measured. */
export const measuredHead = measuredFields

/** A review without its SLOs. */
export const reviewHead = object(head)

/** The document that is signed and never changes. */
export const reviewDocument = named(
  object({
    ...head,
    slos: described(
      list(reviewSlo, { max: reviewSlosMax }),
      "Missed SLOs first, then those with insufficient data; of each result by the lowest error budget remaining",
    ),
  }),
  "Review",
)

/** A review without its SLOs. */
export type ReviewHead = TypeOf<typeof reviewHead>

/** What was true of many SLOs over a period, at the time when the review was created. */
export type ReviewDocument = TypeOf<typeof reviewDocument>

/** What reviews are listed by. */
export interface ReviewSummary {
  /** A UUIDv7. */
  readonly id: string
  /** What is reviewed, in a line. */
  readonly title: string
  /** Which SLOs are reviewed. */
  readonly scope: ReviewScope
  /** The minutes that the review is about. */
  readonly period: MinuteRange
  /** In Unix milliseconds. */
  readonly createdAt: number
  /** How many SLOs have each result. */
  readonly results: ReviewHead["results"]
  /** When the next review of the same SLOs is due, in Unix milliseconds; absent without one, and once it was created. */
  readonly nextReviewAt?: number
}

/** A review as it is stored: a signed `ReviewDocument`. */
export interface Review extends ReviewSummary, SignedDocument {}

/** The size of the document of a review, in bytes of UTF-8. */
export const reviewBytes = ({ document }: Review): number => utf8Length(document)

/**
 * Writes the JSON of a review, of which each line after the first is the JSON of one SLO, so that readers need not parse all of it
 * in one step; `reviewLines` is the inverse.
 */
export const reviewText = (head: unknown, slos: ReadonlyArray<string>): string =>
  [
    `${JSON.stringify(head).slice(0, -1)},"slos":[`,
    ...slos.map((slo, index) => (index + 1 < slos.length ? `${slo},` : slo)),
    "]}",
  ].join(slos.length === 0 ? "" : "\n")

/** The JSON of a review without its SLOs, and that of each SLO. */
export const reviewLines = (
  text: string,
): { readonly head: string; readonly slos: ReadonlyArray<string> } => {
  const [first = "", ...rest] = text.split("\n")
  const end = first.lastIndexOf(',"slos":[')
  return {
    head: `${first.slice(0, end)}}`,
    slos: rest.slice(0, -1).map((line) => (line.endsWith(",") ? line.slice(0, -1) : line)),
  }
}
