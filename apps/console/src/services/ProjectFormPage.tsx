import { FormPage } from "../editor/FormPage.tsx"
import { ProjectForm } from "./ProjectForm.tsx"

/** Creates a project; with `name`, edits one. */
const ProjectFormPage = (key: { readonly name?: string }) => (
  <FormPage kind="projects" {...key}>
    {(edited) => <ProjectForm edited={edited} />}
  </FormPage>
)
export default ProjectFormPage
