import type { DefinitionKey } from "../api/Definitions.ts"
import { FormPage } from "../editor/FormPage.tsx"
import { defaultProject } from "../editor/General.tsx"
import { ServiceForm } from "./ServiceForm.tsx"

/** Creates a service; with `project` and `name`, edits one. */
const ServiceFormPage = (key: Partial<DefinitionKey>) => (
  <FormPage kind="services" {...key}>
    {(edited) => (
      <ServiceForm
        edited={edited}
        initialProject={new URLSearchParams(location.search).get("project") ?? defaultProject}
      />
    )}
  </FormPage>
)
export default ServiceFormPage
