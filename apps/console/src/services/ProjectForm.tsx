import type { DefinitionDocument } from "@tocsin/api"
import { Textarea, TextInput } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import rules from "virtual:rules/Project"
import { useDocuments } from "../api/Definitions.ts"
import { Card } from "../components/Page.tsx"
import { useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import type { DraftFields } from "../editor/Fields.ts"
import { GeneralCard, newMetadata } from "../editor/General.tsx"
import { NameList } from "../editor/NameList.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"

type Project = DefinitionDocument<"Project">

/** The form of a project. */
export const ProjectForm = ({ edited }: { readonly edited: Project | undefined }) => {
  const { apiVersion } = useSession()
  const isNew = edited === undefined
  const { project: _none, ...metadata } = newMetadata()
  const draft = useDraft<Project>("Project", {
    rules,
    initial: () => ({ apiVersion, kind: "Project", metadata, spec: {} }) as Project,
    edited,
  })
  return (
    <Editor
      draft={draft}
      submitLabel={isNew ? t("Create project") : t("Save project")}
      listHref="/services?tab=projects"
    >
      <GeneralCard draft={draft} isNew={isNew} hasProject={false} hasLabels />
      <StatusPageCard draft={draft} />
    </Editor>
  )
}

const componentsPath = "spec.statusPage.components"

const StatusPageCard = ({ draft: { at, put, field, hint, errorOf } }: { readonly draft: DraftFields }) => {
  const { baseUrl } = useSession()
  const project = at("metadata.name") as string
  const services = useDocuments("services", { project }, { enabled: project !== "" })
  const slug = field("spec.statusPage.slug")
  const components = (at(componentsPath) ?? []) as ReadonlyArray<{ readonly service: string }>
  return (
    <Card title={t("Status page")}>
      <p className="dim">
        {t(
          "Publishes service statuses for 90 days, incidents, and the display names of budget adjustments that run now or within 30 days, for anyone to read without signing in. Without a slug, there is no page.",
        )}
      </p>
      <NameInput
        {...slug}
        label={t("Slug")}
        description={t("The page is at {url}.", { url: `${baseUrl}/status/${slug.value.trim() || "…"}` })}
      />
      <TextInput
        {...field("spec.statusPage.title")}
        label={t("Title")}
        description={t("Default: the display name of the project.")}
      />
      <Textarea
        {...field("spec.statusPage.description")}
        label={t("Description of the page")}
        description={hint("spec.statusPage.description")}
        rows={2}
      />
      <NameList
        id={componentsPath}
        legend={t("Components")}
        description={t("Services in the order of the page. Default: all services that have SLOs.")}
        names={components.map(({ service }) => service)}
        choices={services.data?.map(({ metadata }) => metadata.name) ?? []}
        addLabel={t("Add component")}
        error={errorOf(componentsPath, componentsPath)}
        onChange={(names) =>
          put({ [componentsPath]: names.length === 0 ? undefined : names.map((service) => ({ service })) })
        }
      />
    </Card>
  )
}
