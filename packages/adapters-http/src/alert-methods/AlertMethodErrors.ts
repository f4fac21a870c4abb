import type { AlertMethodNotFound, AlertMethodTestIsInvalid } from "@tocsin/domain"
import { checkNameAndProject, invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const alertMethodErrors: StatusTable<AlertMethodNotFound | AlertMethodTestIsInvalid> = {
  AlertMethodTestIsInvalid: ({ issues }) => invalidBody("Invalid test of an alert method", issues),
  AlertMethodNotFound: ({ project, name }) =>
    oneError(404, {
      title: "Alert method not found",
      code: "alert_method_not_found",
      detail: `The project ${project} has no alert method with this name. ${checkNameAndProject}`,
      source: { propertyName: "name", propertyValue: name },
    }),
}
