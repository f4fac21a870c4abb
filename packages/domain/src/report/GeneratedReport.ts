/** What a saved report, the definition of kind Report, shows when it is generated. */
import { type Codec, described, named, type TypeOf } from "../codec/Codec.ts"
import { choose, exactOptional, type Fields, list, object } from "../codec/Containers.ts"
import { anyString, literals, number } from "../codec/Leaves.ts"
import { utcInstant } from "../codec/Instant.ts"
import { objectiveStates } from "../slo/ObjectiveState.ts"
import { objectiveStatusCodec } from "../status/ObjectiveStatus.ts"
import { reportRange } from "./Report.ts"
import { measuredHead, reviewSlo, reviewSlosMax } from "./Review.ts"

/** The types of saved reports, which are the properties of the definition. */
const reportTypes = ["systemHealthReview", "sloHistory", "errorBudgetStatus", "reliabilityRollup"] as const

/** The type of a saved report. */
export type ReportType = (typeof reportTypes)[number]

/** The codecs of a type: a generated report without its SLOs, one of its SLOs, and the whole document. */
const generated = <const T extends ReportType, F extends Fields, S, J>(
  type: T,
  fields: F,
  slo: Codec<S, unknown, J>,
  identifier: string,
) => {
  const head = {
    name: anyString,
    displayName: anyString,
    type: literals([type]),
    generatedAt: described(utcInstant, "When the report was generated, from what was stored then"),
    ...fields,
  }
  return {
    head: object(head),
    slo,
    document: named(object({ ...head, slos: list(slo, { max: reviewSlosMax }) }), identifier),
  }
}

const count = number({ min: 0, isInteger: true })

const identity = { project: anyString, service: anyString, slo: anyString, displayName: anyString }

const budget = { target: number({}), status: objectiveStatusCodec }

const errorBudgetStatus = generated(
  "errorBudgetStatus",
  {
    states: described(
      object({ breached: count, atRisk: count, healthy: count, noData: count }),
      "How many SLOs are in each state",
    ),
  },
  object({
    ...identity,
    state: described(literals(objectiveStates), "The most urgent state of its objectives"),
    objectives: list(object({ name: anyString, displayName: anyString, ...budget })),
    composite: exactOptional(described(object(budget), "The legacy composite over all objectives")),
  }),
  "ErrorBudgetStatusReport",
)

/** The health of an SLO by the thresholds of a system health review; the worst first. */
export const healths = ["exhausted", "atRisk", "healthy", "noData"] as const

/** Maximum number of cells of a system health review. */
export const healthCellsMax = 5_000

const healthCounts = described(
  object({ exhausted: count, atRisk: count, healthy: count, noData: count }),
  "How many SLOs have each health",
)

const places = list(count, { max: healthCellsMax })

const systemHealthReview = generated(
  "systemHealthReview",
  {
    at: described(utcInstant, "When the SLOs had this health"),
    tableHeader: exactOptional(described(anyString, "Title of the column with the names of the rows")),
    redLte: described(number({}), "An SLO with at most this part of its error budget is exhausted"),
    greenGt: described(number({}), "An SLO with more than this part of its error budget is healthy"),
    total: described(healthCounts, "How many of the SLOs that are in a row and in a column have each health"),
    columns: list(object({ displayName: anyString, total: healthCounts })),
    rows: list(
      object({
        displayName: anyString,
        total: healthCounts,
        cells: described(list(healthCounts), "One for each column"),
      }),
      { max: healthCellsMax },
    ),
  },
  object({
    ...identity,
    health: literals(healths),
    errorBudgetRemainingPercentage: exactOptional(
      described(number({}), "The lowest of its objectives, as a fraction of the error budget"),
    ),
    rows: described(places, "Places of its rows in `rows`, from 0 on"),
    columns: described(places, "Places of its columns in `columns`, from 0 on"),
  }),
  "SystemHealthReviewReport",
)

const sloHistory = generated("sloHistory", measuredHead, reviewSlo, "SloHistoryReport")

const score = exactOptional(
  described(
    number({}),
    "Reliability score from 0 to 1: of an SLO, `daysMet` of its `days`; of a folder or the report, the average of what is in it. Absent without data",
  ),
)

const scored = {
  score,
  weight: exactOptional(
    described(number({}), "Part that it has in the score of the report, from 0 to 1; absent without a score"),
  ),
}

/** Maximum number of folders of a reliability roll-up: those of a definition are fewer. */
const foldersMax = 2 * reviewSlosMax

const reliabilityRollup = generated(
  "reliabilityRollup",
  {
    timeZone: anyString,
    period: described(reportRange, "The period that the scores are about"),
    score,
    folders: described(
      list(object({ displayName: anyString, depth: described(count, "0 at the top"), ...scored }), {
        max: foldersMax,
      }),
      "Each is followed by the folders in it",
    ),
  },
  object({
    project: anyString,
    service: exactOptional(described(anyString, "Absent if the SLO does not exist")),
    slo: anyString,
    displayName: anyString,
    folder: described(count, "Place of its folder in `folders`, from 0 on"),
    ...scored,
    days: described(count, "Days of the period, in UTC, at whose end the SLO had data in its time window"),
    daysMet: described(count, "Those at whose end every objective with data had at least its target"),
  }),
  "ReliabilityRollupReport",
)

/** The codecs of generated reports by their type. */
export const generatedReports = { systemHealthReview, sloHistory, errorBudgetStatus, reliabilityRollup }

/** The document of a generated report. */
export const generatedReport = choose("type", {
  systemHealthReview: systemHealthReview.document,
  sloHistory: sloHistory.document,
  errorBudgetStatus: errorBudgetStatus.document,
  reliabilityRollup: reliabilityRollup.document,
})

/** An SLO of a generated report of a type. */
export type GeneratedSlo<T extends ReportType> = TypeOf<(typeof generatedReports)[T]["slo"]>

/** A generated report of a type without its SLOs. */
export type GeneratedHead<T extends ReportType> = TypeOf<(typeof generatedReports)[T]["head"]>
