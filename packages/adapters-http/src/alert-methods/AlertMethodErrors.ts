import type { AlertMethodNotFound } from "@tocsin/domain/internal/notification/FindAlertMethod"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const alertMethodErrors: StatusTable<AlertMethodNotFound> = {
  AlertMethodNotFound: ({ project, name }) =>
    oneError(404, {
      title: "Alert method not found",
      code: "alert_method_not_found",
      detail: `The project ${project} has no alert method with this name.`,
      source: { propertyName: "name", propertyValue: name },
    }),
}
