import type { DefinitionKey } from "../api/Definitions.ts"
import { FormPage } from "../editor/FormPage.tsx"
import { AlertMethodForm } from "./AlertMethodForm.tsx"

/** Creates an alert method; with `project` and `name`, edits one. */
const AlertMethodFormPage = (key: Partial<DefinitionKey>) => (
  <FormPage kind="alertmethods" {...key}>
    {(edited) => <AlertMethodForm edited={edited} />}
  </FormPage>
)
export default AlertMethodFormPage
