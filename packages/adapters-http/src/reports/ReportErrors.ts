import type { ReportNotFound, ReportRequestIsInvalid } from "@tocsin/domain/features/report"
import { invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const reportErrors: StatusTable<ReportNotFound | ReportRequestIsInvalid> = {
  ReportRequestIsInvalid: ({ issues }) => invalidBody("Invalid request for a report", issues),
  ReportNotFound: ({ id }) =>
    oneError(404, {
      title: "Report not found",
      code: "report_not_found",
      detail: "No report has this ID. GET /api/reports lists reports (tocsin report list).",
      source: { propertyName: "id", propertyValue: id },
    }),
}
