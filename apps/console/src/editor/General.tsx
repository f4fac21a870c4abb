import { Group, Textarea, TextInput } from "@mantine/core"
import { NameInput } from "./NameInput.tsx"
import { nameFromDisplayName } from "@tocsin/domain/forms"
import { useDocuments } from "../api/Definitions.ts"
import css from "../components/Form.module.css"
import { countText } from "../components/NumberFormat.ts"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { AnnotationRows } from "./AnnotationRows.tsx"
import { type DraftFields, requiredText, type Typing } from "./Fields.ts"
import { labelTyping } from "./Labels.ts"
import { LabelsInput } from "./LabelsInput.tsx"

/** The project of a definition unless another one is entered. */
export const defaultProject = "default"

/** The metadata of a new definition, in the order of its YAML. */
export const newMetadata = (project: string | undefined = defaultProject) => ({
  name: "",
  displayName: undefined,
  project,
  annotations: undefined,
  labels: undefined,
})

const projectText: Typing<string> = { ...requiredText, parse: (text) => text.trim() || defaultProject }

/** The properties of the input of a display name, from which the name of a new definition is derived until it is changed. */
export const displayNameField = (
  { at, put, field }: DraftFields,
  isNew: boolean,
): ReturnType<DraftFields["field"]> => {
  const displayName = field("metadata.displayName")
  return {
    ...displayName,
    onChange: ({ currentTarget: { value } }) => {
      const name = at("metadata.name")
      const isDerived = name === "" || name === nameFromDisplayName(displayName.value)
      put(
        {
          [displayName.id]: value.trim() || undefined,
          ...(isNew && isDerived && { "metadata.name": nameFromDisplayName(value) }),
        },
        { [displayName.id]: value },
      )
    },
  }
}

/** Name, project and description. The name and the project of a stored definition cannot be changed. */
export const GeneralCard = ({
  draft,
  isNew,
  hasProject = true,
  hasDescription = true,
  hasLabels = false,
  note,
}: {
  readonly draft: DraftFields
  readonly isNew: boolean
  readonly hasProject?: boolean
  readonly hasDescription?: boolean
  readonly hasLabels?: boolean
  readonly note?: string
}) => {
  const { field, rules, hint } = draft
  const description = field("spec.description")
  const projects = useDocuments("projects")
  return (
    <Card title={t("General")}>
      {note !== undefined && <p className="dim">{note}</p>}
      <TextInput
        {...displayNameField(draft, isNew)}
        label={t("Display name")}
        description={hint("metadata.displayName")}
      />
      <Group className={css.pair ?? ""} gap="sm" align="flex-start">
        <NameInput
          {...field("metadata.name")}
          label={t("Name")}
          description={
            isNew ? t("Derived from the display name. You can change it.") : t("Cannot be changed.")
          }
          readOnly={!isNew}
        />
        {hasProject && (
          <NameInput
            {...field("metadata.project", projectText)}
            label={t("Project")}
            description={isNew ? undefined : t("Cannot be changed.")}
            suggestions={projects.data?.map(({ metadata: { name, displayName } }) => ({
              value: name,
              label: displayName,
            }))}
            readOnly={!isNew}
          />
        )}
      </Group>
      {hasDescription && (
        <Textarea
          {...description}
          label={t("Description")}
          description={t("{count} of {max} characters.", {
            count: countText(Array.from(description.value).length),
            max: countText(rules("spec.description").max ?? Infinity),
          })}
          rows={3}
        />
      )}
      {hasLabels && <LabelsInput {...field("metadata.labels", labelTyping)} />}
      <AnnotationRows draft={draft} />
    </Card>
  )
}
