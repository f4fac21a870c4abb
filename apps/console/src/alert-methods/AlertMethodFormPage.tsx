import type { DefinitionKey } from "../api/Definitions.ts"
import { FormPage } from "../editor/FormPage.tsx"
import { t } from "../language/Text.tsx"
import { AlertMethodForm } from "./AlertMethodForm.tsx"

/** Creates an alert method; with `project` and `name`, edits one. */
const AlertMethodFormPage = ({ project, name }: Partial<DefinitionKey>) => (
  <FormPage
    kind="alertmethods"
    edited={project === undefined || name === undefined ? undefined : { project, name }}
    createTitle={t("Create alert method")}
    list={{ href: "/alert-methods", text: t("Alert methods") }}
    folder="/alert-methods"
    missing={t("Alert method {name} was not found in project {project}.", { name, project })}
  >
    {(edited) => <AlertMethodForm edited={edited} />}
  </FormPage>
)
export default AlertMethodFormPage
