import type { StatusPageNotFound } from "@tocsin/domain/features/status-page"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const statusPageErrors: StatusTable<StatusPageNotFound> = {
  StatusPageNotFound: ({ slug }) =>
    oneError(404, {
      title: "Status page not found",
      code: "not_found",
      source: { propertyName: "slug", propertyValue: slug },
    }),
}
