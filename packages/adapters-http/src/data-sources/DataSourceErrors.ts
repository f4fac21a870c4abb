import type { DataSourceNotFound, DataSourceTestIsInvalid } from "@tocsin/domain/features/data-source"
import { checkNameAndProject, invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const dataSourceErrors: StatusTable<DataSourceNotFound | DataSourceTestIsInvalid> = {
  DataSourceNotFound: ({ project, name }) =>
    oneError(404, {
      title: "Data source not found",
      code: "data_source_not_found",
      detail: `The project ${project} has no data source with this name. ${checkNameAndProject}`,
      source: { propertyName: "name", propertyValue: name },
    }),
  DataSourceTestIsInvalid: ({ issues }) => invalidBody("Invalid test of a data source", issues),
}
