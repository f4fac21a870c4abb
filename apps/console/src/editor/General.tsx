import { Group, Textarea, TextInput } from "@mantine/core"
import { descriptionMaxCharacters, nameFromDisplayName } from "@tocsin/domain/forms"
import { useDocuments } from "../api/Definitions.ts"
import css from "../components/Form.module.css"
import { countText } from "../components/NumberFormat.ts"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { type AnnotationRow, AnnotationRows, annotationRows, annotationsOf } from "./AnnotationRows.tsx"
import type { Draft } from "./Draft.ts"
import { type Labels, labelsOf, labelsText } from "./Labels.ts"
import { LabelsInput } from "./LabelsInput.tsx"

/** What every definition of a project has. */
export interface GeneralValues {
  readonly name: string
  readonly displayName: string
  readonly project: string
  readonly description: string
  /** As pairs of key and value. */
  readonly labels: string
  readonly annotations: ReadonlyArray<AnnotationRow>
}

/** The project of a definition unless another one is entered. */
export const defaultProject = "default"

export const emptyGeneral: GeneralValues = {
  name: "",
  displayName: "",
  project: defaultProject,
  description: "",
  labels: "",
  annotations: [],
}

/** The values of a stored definition. */
export const generalOf = ({
  metadata,
  spec,
}: {
  readonly metadata: {
    readonly name: string
    readonly displayName?: string
    readonly project?: string
    readonly labels?: Labels
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: { readonly description?: string }
}): GeneralValues => ({
  name: metadata.name,
  displayName: metadata.displayName ?? "",
  project: metadata.project ?? "",
  description: spec?.description ?? "",
  labels: labelsText(metadata.labels),
  annotations: annotationRows(metadata.annotations),
})

/** The metadata of the values, without labels, which not every kind has. */
export const metadataOf = ({ name, displayName, project, annotations }: GeneralValues) => ({
  name: name.trim(),
  ...withText("displayName", displayName),
  project: project.trim() || defaultProject,
  annotations: annotationsOf(annotations),
})

/** The metadata of the values with their labels. */
export const labeledMetadataOf = (values: GeneralValues) => ({
  ...metadataOf(values),
  labels: values.labels.trim() === "" ? undefined : labelsOf(values.labels),
})

/** A property with a text, unless it is blank. */
export const withText = <K extends string>(key: K, text: string): { [P in K]?: string } =>
  (text.trim() === "" ? { [key]: undefined } : { [key]: text.trim() }) as { [P in K]?: string }

/** Name, project and description. The name and the project of a stored definition cannot be changed. */
export const GeneralCard = <V extends GeneralValues>({
  draft,
  isNew,
  hasProject = true,
  hasDescription = true,
  hasLabels = false,
}: {
  readonly draft: Draft<V, unknown>
  readonly isNew: boolean
  readonly hasProject?: boolean
  readonly hasDescription?: boolean
  readonly hasLabels?: boolean
}) => {
  const { values, set, input } = draft
  const projects = useDocuments("projects")
  return (
    <Card title={t("General")}>
      <TextInput
        {...input("displayName", "metadata.displayName")}
        label={t("Display name")}
        description={t("Optional.")}
        onChange={({ currentTarget: { value } }) => {
          const isDerived = values.name === "" || values.name === nameFromDisplayName(values.displayName)
          set({
            displayName: value,
            ...(isNew && isDerived && { name: nameFromDisplayName(value) }),
          } as Partial<V>)
        }}
      />
      <Group className={css.pair ?? ""} gap={14} align="flex-start">
        <TextInput
          {...input("name", "metadata.name")}
          label={t("Name")}
          description={
            isNew ? t("Derived from the display name. You can change it.") : t("Cannot be changed.")
          }
          required
          withAsterisk={false}
          readOnly={!isNew}
          autoCapitalize="none"
          spellCheck={false}
        />
        {hasProject && (
          <>
            <TextInput
              {...input("project", "metadata.project")}
              label={t("Project")}
              description={isNew ? undefined : t("Cannot be changed.")}
              list="projects"
              readOnly={!isNew}
              autoCapitalize="none"
              spellCheck={false}
            />
            <datalist id="projects">
              {projects.data?.map(({ metadata }) => (
                <option key={metadata.name} value={metadata.name}>
                  {metadata.displayName}
                </option>
              ))}
            </datalist>
          </>
        )}
      </Group>
      {hasDescription && (
        <Textarea
          {...input("description", "spec.description")}
          label={t("Description")}
          description={t("{count} of {max} characters.", {
            count: countText(Array.from(values.description).length),
            max: countText(descriptionMaxCharacters),
          })}
          rows={3}
        />
      )}
      {hasLabels && <LabelsInput {...input("labels", "metadata.labels")} />}
      <AnnotationRows draft={draft} />
    </Card>
  )
}
