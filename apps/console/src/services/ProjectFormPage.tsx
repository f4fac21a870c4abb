import { FormPage } from "../editor/FormPage.tsx"
import { t } from "../language/Text.tsx"
import { ProjectForm } from "./ProjectForm.tsx"

/** Creates a project; with `name`, edits one. */
const ProjectFormPage = ({ name }: { readonly name?: string }) => (
  <FormPage
    kind="projects"
    edited={name === undefined ? undefined : { name }}
    createTitle={t("Create project")}
    list={{ href: "/services?tab=projects", text: t("Projects") }}
    folder="/projects"
    missing={t("Project {name} was not found.", { name })}
  >
    {(edited) => <ProjectForm edited={edited} />}
  </FormPage>
)
export default ProjectFormPage
