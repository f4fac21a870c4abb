import type { ReportNotFound } from "@tocsin/domain/internal/report/ListReports"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const reportErrors: StatusTable<ReportNotFound> = {
  ReportNotFound: ({ id }) =>
    oneError(404, {
      title: "Report not found",
      code: "report_not_found",
      source: { propertyName: "id", propertyValue: id },
    }),
}
