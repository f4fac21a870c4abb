import { Group, Textarea, TextInput } from "@mantine/core"
import { descriptionMaxCharacters, nameFromDisplayName } from "@tocsin/domain/forms"
import { useDocuments } from "../api/Definitions.ts"
import css from "../components/Form.module.css"
import { countText } from "../components/NumberFormat.ts"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { AnnotationRows } from "./AnnotationRows.tsx"
import { type DraftFields, requiredText, type Typing } from "./Draft.ts"
import { type Labels, labelsOf, labelsText } from "./Labels.ts"
import { LabelsInput } from "./LabelsInput.tsx"

/** What every definition of a project has, where the definition has it. */
export interface GeneralValues {
  readonly metadata: {
    readonly name: string
    readonly displayName?: string | undefined
    readonly project?: string | undefined
    readonly annotations?: Readonly<Record<string, string>> | undefined
    readonly labels?: Labels | undefined
  }
  readonly spec: { readonly description?: string | undefined }
}

/** The project of a definition unless another one is entered. */
export const defaultProject = "default"

/** The metadata of a new definition, in the order of its YAML. */
export const newMetadata = (project: string | undefined = defaultProject): GeneralValues["metadata"] => ({
  name: "",
  displayName: undefined,
  project,
  annotations: undefined,
  labels: undefined,
})

/** The values of a stored definition. */
export const generalOf = ({
  metadata,
  spec,
}: {
  readonly metadata: GeneralValues["metadata"]
  readonly spec?: GeneralValues["spec"]
}): GeneralValues => ({ metadata, spec: { description: spec?.description } })

const projectText: Typing<string> = { ...requiredText, parse: (text) => text.trim() || defaultProject }

/** Labels as pairs of key and value. */
const labelText: Typing<string> = {
  format: (labels) => labelsText(labels as Labels | undefined),
  parse: (text) => (text.trim() === "" ? undefined : labelsOf(text)),
}

/** Name, project and description. The name and the project of a stored definition cannot be changed. */
export const GeneralCard = ({
  draft,
  isNew,
  hasProject = true,
  hasDescription = true,
  hasLabels = false,
}: {
  readonly draft: DraftFields
  readonly isNew: boolean
  readonly hasProject?: boolean
  readonly hasDescription?: boolean
  readonly hasLabels?: boolean
}) => {
  const { at, put, field } = draft
  const displayName = field("metadata.displayName")
  const description = field("spec.description")
  const projects = useDocuments("projects")
  return (
    <Card title={t("General")}>
      <TextInput
        {...displayName}
        label={t("Display name")}
        description={t("Optional.")}
        onChange={({ currentTarget: { value } }) => {
          const name = at("metadata.name")
          const isDerived = name === "" || name === nameFromDisplayName(displayName.value)
          put(
            {
              "metadata.displayName": value.trim() || undefined,
              ...(isNew && isDerived && { "metadata.name": nameFromDisplayName(value) }),
            },
            { "metadata.displayName": value },
          )
        }}
      />
      <Group className={css.pair ?? ""} gap={14} align="flex-start">
        <TextInput
          {...field("metadata.name", requiredText)}
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
              {...field("metadata.project", projectText)}
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
          {...description}
          label={t("Description")}
          description={t("{count} of {max} characters.", {
            count: countText(Array.from(description.value).length),
            max: countText(descriptionMaxCharacters),
          })}
          rows={3}
        />
      )}
      {hasLabels && <LabelsInput {...field("metadata.labels", labelText)} />}
      <AnnotationRows draft={draft} />
    </Card>
  )
}
