import type { DefinitionKey } from "../api/Definitions.ts"
import { FormPage } from "../editor/FormPage.tsx"
import { DataSourceForm } from "./DataSourceForm.tsx"

/** Creates a data source; with `project` and `name`, edits one. */
const DataSourceFormPage = (key: Partial<DefinitionKey>) => (
  <FormPage kind="datasources" {...key}>
    {(edited) => <DataSourceForm edited={edited} />}
  </FormPage>
)
export default DataSourceFormPage
