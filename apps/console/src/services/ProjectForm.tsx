import { Textarea, TextInput } from "@mantine/core"
import type { Schemas } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { Card } from "../components/Page.tsx"
import { duplicateAnnotations } from "../editor/AnnotationRows.tsx"
import { type Draft, useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import {
  emptyGeneral,
  GeneralCard,
  generalOf,
  type GeneralValues,
  labeledMetadataOf,
  withText,
} from "../editor/General.tsx"
import { NameList } from "../editor/NameList.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"

type Project = Schemas["ProjectDefinition"]

interface ProjectValues extends GeneralValues {
  /** Empty: the project has no status page. */
  readonly slug: string
  readonly pageTitle: string
  readonly pageDescription: string
  /** The services on the status page; none: all. */
  readonly components: ReadonlyArray<string>
}

const valuesOf = (project: Project): ProjectValues => {
  const { slug = "", title = "", description = "", components = [] } = project.spec?.statusPage ?? {}
  return {
    ...generalOf(project),
    slug,
    pageTitle: title,
    pageDescription: description,
    components: components.map(({ service }) => service),
  }
}

const statusPageOf = ({ slug, pageTitle, pageDescription, components }: ProjectValues) =>
  [slug, pageTitle, pageDescription, ...components].every((text) => text.trim() === "")
    ? undefined
    : {
        slug: slug.trim(),
        ...withText("title", pageTitle),
        ...withText("description", pageDescription),
        components: components.length === 0 ? undefined : components.map((service) => ({ service })),
      }

/** The form of a project. */
export const ProjectForm = ({ edited }: { readonly edited: Project | undefined }) => {
  const { apiVersion } = useSession()
  const isNew = edited === undefined
  const draft = useDraft<ProjectValues, Project>("Project", {
    newValues: () => ({ ...emptyGeneral, slug: "", pageTitle: "", pageDescription: "", components: [] }),
    valuesOf,
    definitionOf: (values) => {
      const { project: _none, ...metadata } = labeledMetadataOf(values)
      return {
        apiVersion,
        kind: "Project",
        metadata,
        spec: { ...withText("description", values.description), statusPage: statusPageOf(values) },
      } as Project
    },
    edited,
    ownIssues: duplicateAnnotations,
  })
  return (
    <Editor
      draft={draft}
      submitLabel={isNew ? t("Create project") : t("Save project")}
      listHref="/services?tab=projects"
    >
      {() => (
        <>
          <GeneralCard draft={draft} isNew={isNew} hasProject={false} hasLabels />
          <StatusPageCard draft={draft} />
        </>
      )}
    </Editor>
  )
}

const StatusPageCard = ({
  draft: { values, set, input, errorOf },
}: {
  readonly draft: Draft<ProjectValues, Project>
}) => {
  const { baseUrl } = useSession()
  const services = useDocuments("services", { project: values.name }, { enabled: values.name !== "" })
  return (
    <Card title={t("Status page")}>
      <p className="dim">
        {t(
          "Publishes the state of the services, 90 days and incidents, for anyone to read without signing in. Without a slug, there is no page.",
        )}
      </p>
      <TextInput
        {...input("slug", "spec.statusPage.slug")}
        label={t("Slug")}
        description={t("The page is at {url}.", { url: `${baseUrl}/status/${values.slug.trim() || "…"}` })}
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextInput
        {...input("pageTitle", "spec.statusPage.title")}
        label={t("Title")}
        description={t("Default: the display name of the project.")}
      />
      <Textarea
        {...input("pageDescription", "spec.statusPage.description")}
        label={t("Description of the page")}
        description={t("Optional.")}
        rows={2}
      />
      <NameList
        id="components"
        legend={t("Components")}
        description={t("Services in the order of the page. Default: all services that have SLOs.")}
        names={values.components}
        choices={services.data?.map(({ metadata }) => metadata.name) ?? []}
        addLabel={t("Add component")}
        error={errorOf("components", "spec.statusPage.components")}
        onChange={(components) => set({ components })}
      />
    </Card>
  )
}
