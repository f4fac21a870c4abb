import type { ApiOperations, BodyJsonOf } from "@tocsin/api"
import { Button, Group, Textarea, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import rules from "virtual:rules/createAnnotation"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import type { Range } from "../chart/Scale.ts"
import { Select } from "../components/Filters.tsx"
import { ChoiceField } from "../editor/ChoiceField.tsx"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import { labelTyping } from "../editor/Labels.ts"
import { LabelsInput } from "../editor/LabelsInput.tsx"
import { t } from "../language/Text.tsx"
import { TimeField } from "../editor/TimeField.tsx"
import { useObjectiveNames } from "./ObjectiveNames.ts"
import { typedRange } from "./RangeFields.tsx"
import { kindName, type WrittenAnnotation } from "./SloAnnotations.tsx"

type Request = BodyJsonOf<ApiOperations["createAnnotation"]>

interface DialogProps extends DefinitionKey {
  /** The time of a new annotation. */
  readonly range: Range
  /** What is changed; absent for a new annotation. */
  readonly annotation?: WrittenAnnotation
  readonly objectives: ReadonlyArray<string>
  readonly onClose: () => void
  readonly onDone: (outcome: "added" | "changed" | "deleted") => void
}

/** Adds an annotation to an SLO, changes or deletes one. */
export const AnnotationDialog = (props: DialogProps) => {
  const { project, name, annotation, objectives, onClose, onDone } = props
  const objectiveName = useObjectiveNames({ project, name })
  const params = { path: { sloName: name }, header: { project } }
  const paramsOf = (id: string) => ({ ...params, path: { sloName: name, id } })
  const remove = useMutation({
    mutationFn: (id: string) =>
      client.DELETE("/api/slos/{sloName}/annotations/{id}", { params: paramsOf(id) }),
    onSuccess: () => onDone("deleted"),
  })
  return (
    <BodyDialog
      title={annotation === undefined ? t("Add annotation") : t("Edit annotation")}
      submitLabel={annotation === undefined ? t("Add") : t("Save")}
      rules={rules}
      initial={() => requestOf(props)}
      send={(body) =>
        annotation === undefined
          ? bodyOf(client.POST("/api/slos/{sloName}/annotations", { params, body }))
          : bodyOf(
              client.PUT("/api/slos/{sloName}/annotations/{id}", { params: paramsOf(annotation.id), body }),
            )
      }
      error={remove.error}
      onClose={onClose}
      onDone={() => onDone(annotation === undefined ? "added" : "changed")}
    >
      {(draft, { objective = "" }) => (
        <>
          <Group gap="sm" grow align="flex-start">
            <ChoiceField draft={draft} path="kind" label={t("Kind")} names={kindName} />
            {objectives.length > 1 && (
              <Select
                label={t("Objective")}
                all={t("The whole SLO")}
                value={objective}
                onChange={(next) => draft.put({ objective: next || undefined })}
                data={objectives.map((value) => ({ value, label: objectiveName(value) }))}
              />
            )}
          </Group>
          <TextInput {...draft.field("title")} label={t("Title")} data-autofocus />
          <Textarea {...draft.field("text")} label={t("Text")} description={draft.hint("text")} rows={2} />
          <TextInput
            {...draft.field("url")}
            label={t("Link")}
            description={draft.hint("url", t("Begins with https://."))}
          />
          <Group gap="sm" grow align="flex-start">
            <TimeField draft={draft} path="from" label={t("From")} />
            <TimeField draft={draft} path="to" label={t("To")} description={draft.hint("to")} />
          </Group>
          <LabelsInput {...draft.field("labels", labelTyping)} />
          {annotation !== undefined && (
            <Group>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                loading={remove.isPending}
                onClick={() => remove.mutate(annotation.id)}
              >
                {t("Delete annotation")}
              </Button>
            </Group>
          )}
        </>
      )}
    </BodyDialog>
  )
}

/** What is written of an annotation, or a new one. */
const requestOf = ({ annotation, range }: DialogProps): Request => {
  if (annotation !== undefined) {
    const { id: _id, author: _author, createdAt: _createdAt, ...request } = annotation
    return request as Request
  }
  const { from, to } = typedRange(range)
  return { kind: "deployment", title: "", from, ...(range.to > range.from && { to }) }
}
