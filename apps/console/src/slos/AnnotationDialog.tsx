import type { ApiOperations, BodyJsonOf } from "@tocsin/api"
import { Button, Group, Textarea, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { bodyOf, client, type ErrorItem } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import type { Range } from "../chart/Scale.ts"
import { ActionDialog } from "../components/Dialog.tsx"
import { Select } from "../components/Filters.tsx"
import { IssueTexts } from "../components/IssueTexts.tsx"
import { labelsOf, labelsText } from "../editor/Labels.ts"
import { LabelsInput } from "../editor/LabelsInput.tsx"
import { t } from "../language/Text.tsx"
import { TimeInput } from "../time/TimeInput.tsx"
import { timeText } from "../time/TimeZone.ts"
import { useObjectiveNames } from "./ObjectiveNames.ts"
import { kindName, type WrittenAnnotation } from "./SloAnnotations.tsx"

type Request = BodyJsonOf<ApiOperations["createAnnotation"]>

const kinds = ["deployment", "incident", "note", "review"] as const

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
  const [values, setValues] = useState(() => valuesOf(props))
  const [issues, setIssues] = useState<ReadonlyArray<ErrorItem>>([])
  const set = (changed: Partial<Values>): void => setValues({ ...values, ...changed })
  const objectiveName = useObjectiveNames({ project, name })
  const params = { path: { sloName: name }, header: { project } }
  const save = useMutation({
    mutationFn: async () => {
      setIssues([])
      const body = requestOf(values)
      const saved = await issuesOr(
        annotation === undefined
          ? bodyOf(client.POST("/api/slos/{sloName}/annotations", { params, body }))
          : bodyOf(
              client.PUT("/api/slos/{sloName}/annotations/{id}", {
                params: { ...params, path: { sloName: name, id: annotation.id } },
                body,
              }),
            ),
      )
      if ("errors" in saved) setIssues(saved.errors)
      else onDone(annotation === undefined ? "added" : "changed")
    },
  })
  const remove = useMutation({
    mutationFn: (id: string) =>
      client.DELETE("/api/slos/{sloName}/annotations/{id}", {
        params: { ...params, path: { sloName: name, id } },
      }),
    onSuccess: () => onDone("deleted"),
  })
  const fieldOf = ({ source }: ErrorItem) =>
    textFields.find((key) => source?.propertyName?.split(/[.[]/)[0] === key)
  const field = (key: TextField) => ({
    value: values[key],
    error:
      issues
        .filter((issue) => fieldOf(issue) === key)
        .map(({ title, detail = title }) => ruleText(detail))
        .join(" ") || undefined,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [key]: currentTarget.value }),
  })
  const others = issues.filter((issue) => fieldOf(issue) === undefined)
  return (
    <ActionDialog
      title={annotation === undefined ? t("Add annotation") : t("Edit annotation")}
      submitLabel={annotation === undefined ? t("Add") : t("Save")}
      isBusy={save.isPending}
      error={save.error ?? remove.error}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <Group gap={12} grow align="flex-start">
        <Select
          label={t("Kind")}
          value={values.kind}
          onChange={(kind) => set({ kind: kinds.find((each) => each === kind) ?? "note" })}
          data={kinds.map((value) => ({ value, label: kindName(value) }))}
        />
        {objectives.length > 1 && (
          <Select
            label={t("Objective")}
            all={t("The whole SLO")}
            value={values.objective}
            onChange={(objective) => set({ objective })}
            data={objectives.map((value) => ({ value, label: objectiveName(value) }))}
          />
        )}
      </Group>
      <TextInput label={t("Title")} data-autofocus {...field("title")} />
      <Textarea label={t("Text")} description={t("Optional.")} rows={2} {...field("text")} />
      <TextInput label={t("Link")} description={t("Optional. Begins with https://.")} {...field("url")} />
      <Group gap={12} grow align="flex-start">
        <TimeInput label={t("From")} {...field("from")} onChange={(from) => set({ from })} />
        <TimeInput
          label={t("To")}
          description={t("Optional.")}
          {...field("to")}
          onChange={(to) => set({ to })}
        />
      </Group>
      <LabelsInput {...field("labels")} />
      <IssueTexts issues={others} />
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
    </ActionDialog>
  )
}

interface Values {
  readonly kind: (typeof kinds)[number]
  readonly objective: string
  readonly title: string
  readonly text: string
  readonly url: string
  readonly from: string
  readonly to: string
  readonly labels: string
}

const textFields = ["title", "text", "url", "from", "to", "labels"] as const
type TextField = (typeof textFields)[number]

const valuesOf = ({ annotation, range }: DialogProps): Values => ({
  kind: annotation?.kind ?? "deployment",
  objective: annotation?.objective ?? "",
  title: annotation?.title ?? "",
  text: annotation?.text ?? "",
  url: annotation?.url ?? "",
  from: annotation?.from ?? timeText(range.from),
  to: annotation === undefined ? (range.to > range.from ? timeText(range.to) : "") : (annotation.to ?? ""),
  labels: labelsText(annotation?.labels),
})

const requestOf = ({ kind, objective, title, text, url, from, to, labels }: Values): Request => ({
  kind,
  title: title.trim(),
  ...(objective !== "" && { objective }),
  ...(text.trim() !== "" && { text: text.trim() }),
  ...(url.trim() !== "" && { url: url.trim() }),
  ...(from !== "" && { from }),
  ...(to !== "" && { to }),
  ...(labels.trim() !== "" && { labels: labelsOf(labels) }),
})
