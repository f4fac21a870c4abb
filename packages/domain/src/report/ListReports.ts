import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { parseTimes } from "../pagination/ListFilter.ts"
import { type PagedList, type PageQuery, readPage } from "../pagination/Page.ts"
import { findPublicKey } from "../signature/PublicKeys.ts"
import type { ReportSummary } from "./Report.ts"
import { type ReportPlace, ReportStore } from "./ReportStore.ts"
import type { SignedDocument } from "./SignDocument.ts"

/** The filters of the query; empty strings are treated as omitted. */
export interface ListReportsQuery extends PageQuery {
  readonly project?: string | undefined
  /** The name of the SLO. */
  readonly slo?: string | undefined
  /** Periods that start at from ≤ t < to: date-times in UTC. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Lists the reports of an organization, latest periods first: a page, its limit, and the cursor of the next page. */
export const listReports = (organization: OrganizationId, query: ListReportsQuery) =>
  readPage(reportList, query, (page) =>
    Effect.gen(function* () {
      const times = yield* Effect.fromResult(parseTimes(query))
      const filter = {
        ...(query.project && { project: query.project }),
        ...(query.slo && { slo: query.slo }),
        ...times,
      }
      return yield* (yield* ReportStore).list(organization, filter, page)
    }),
  )

/** The order of reports and of reviews. */
export const placeOfReport: Omit<PagedList<Pick<ReportSummary, "id" | "period">, ReportPlace>, "endpoint"> = {
  keyLength: 2,
  partsToKey: ([time, id = ""]) => {
    const from = Number(time)
    return Number.isSafeInteger(from) ? { from, id } : undefined
  },
  itemToParts: ({ period, id }) => [`${period.from}`, id],
}

const reportList: PagedList<ReportSummary, ReportPlace> = { endpoint: "reports", ...placeOfReport }

/** Finds a report; fails with `ReportNotFound`. */
export const findReport = Effect.fnUntraced(function* (organization: OrganizationId, id: string) {
  const found = yield* (yield* ReportStore).find(organization, id)
  return Option.isSome(found) ? found.value : yield* new ReportNotFound({ id })
})

/** Finds the signature of a report, with the key that verifies it; fails with `ReportNotFound`. */
export const findReportSignature = (organization: OrganizationId, id: string) =>
  Effect.flatMap(findReport(organization, id), (report) => publicKeyOf(organization, report))

/** The signature of a document, with the key that verifies it: of the organization, or of the server. */
export const publicKeyOf = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { keyId, signature }: SignedDocument,
) {
  const key = yield* Effect.catchTag(findPublicKey(keyId, organization), "PublicKeyNotFound", () =>
    findPublicKey(keyId, undefined),
  )
  return { ...key, signature }
})

/** The organization has no report with this ID. */
export class ReportNotFound extends TaggedError("ReportNotFound")<{
  /** The requested ID. */
  readonly id: string
}> {}
