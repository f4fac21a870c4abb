import type { DefinitionKey } from "../api/Definitions.ts"
import { FormPage } from "../editor/FormPage.tsx"
import { t } from "../language/Text.tsx"
import { DataSourceForm } from "./DataSourceForm.tsx"

/** Creates a data source; with `project` and `name`, edits one. */
const DataSourceFormPage = ({ project, name }: Partial<DefinitionKey>) => (
  <FormPage
    kind="datasources"
    edited={project === undefined || name === undefined ? undefined : { project, name }}
    createTitle={t("Create data source")}
    list={{ href: "/data-sources", text: t("Data sources") }}
    folder="/data-sources"
    missing={t("Data source {name} was not found in project {project}.", { name, project })}
  >
    {(edited) => <DataSourceForm edited={edited} />}
  </FormPage>
)
export default DataSourceFormPage
