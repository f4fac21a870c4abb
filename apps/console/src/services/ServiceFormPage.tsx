import type { DefinitionKey } from "../api/Definitions.ts"
import { FormPage } from "../editor/FormPage.tsx"
import { defaultProject } from "../editor/General.tsx"
import { t } from "../language/Text.tsx"
import { ServiceForm } from "./ServiceForm.tsx"

/** Creates a service; with `project` and `name`, edits one. */
const ServiceFormPage = ({ project, name }: Partial<DefinitionKey>) => (
  <FormPage
    kind="services"
    edited={project === undefined || name === undefined ? undefined : { project, name }}
    createTitle={t("Create service")}
    list={{ href: "/services", text: t("Services") }}
    folder="/services"
    missing={t("Service {name} was not found in project {project}.", { name, project })}
  >
    {(edited) => (
      <ServiceForm
        edited={edited}
        initialProject={new URLSearchParams(location.search).get("project") ?? defaultProject}
      />
    )}
  </FormPage>
)
export default ServiceFormPage
