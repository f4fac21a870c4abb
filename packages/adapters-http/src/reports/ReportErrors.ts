import type {
  ReportCannotBeGenerated,
  ReportNotFound,
  ReportRequestIsInvalid,
  ReviewNotesHaveChanged,
  ReviewNotFound,
  ReviewRequestIsInvalid,
  SavedReportNotFound,
} from "@tocsin/domain/features/report"
import { invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const reportErrors: StatusTable<
  | ReportCannotBeGenerated
  | ReportNotFound
  | ReportRequestIsInvalid
  | ReviewNotFound
  | ReviewNotesHaveChanged
  | ReviewRequestIsInvalid
  | SavedReportNotFound
> = {
  ReportRequestIsInvalid: ({ issues }) => invalidBody("Invalid request for a report", issues),
  ReportNotFound: ({ id }) =>
    oneError(404, {
      title: "Report not found",
      code: "report_not_found",
      detail: "No report has this ID. GET /api/reports lists reports (tocsin report list).",
      source: { propertyName: "id", propertyValue: id },
    }),
  ReviewRequestIsInvalid: ({ issues }) => invalidBody("Invalid request for a review", issues),
  ReviewNotFound: ({ id }) =>
    oneError(404, {
      title: "Review not found",
      code: "review_not_found",
      detail: "No review has this ID. GET /api/reviews lists reviews (tocsin review list).",
      source: { propertyName: "id", propertyValue: id },
    }),
  ReviewNotesHaveChanged: ({ id }) =>
    oneError(412, {
      title: "Notes have changed",
      code: "review_notes_changed",
      detail: `The notes were changed after they were read. Read them again with GET /api/reviews/${id}/notes.`,
      source: { propertyName: "revision" },
    }),
  SavedReportNotFound: ({ name }) =>
    oneError(404, {
      title: "Report not found",
      code: "saved_report_not_found",
      detail: "No Report has this name. GET /api/get/report lists Reports (tocsin get reports).",
      source: { propertyName: "name", propertyValue: name },
    }),
  ReportCannotBeGenerated: ({ issues }) => ({
    ...invalidBody("Report cannot be generated", issues),
    status: 409,
  }),
}
