import { Button, Group, Stack, TextInput } from "@mantine/core"
import { type FormEvent, useState } from "react"
import type { Schemas } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { api } from "../api/Queries.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Select } from "../components/Filters.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { useIsEditor } from "../session/Session.ts"
import { localText } from "./TimeRange.ts"
import css from "./SloAnnotations.module.css"

export type Annotation = Schemas["AnnotationList"]["annotations"][number]

const kindNames: Readonly<Record<Annotation["kind"], string>> = {
  deployment: "Deployment",
  incident: "Incident",
  note: "Note",
  alert: "Alert",
  adjustment: "Budget adjustment",
  gap: "Gap",
}

const writtenKinds = ["deployment", "incident", "note"] as const

/** What an annotation says, for the values at a point of a chart. */
export const annotationText = ({ kind, title }: Annotation): string => `${kindNames[kind]}: ${title}`

/** The annotations of the range that the charts show, and a form that adds one. */
export const AnnotationList = ({
  project,
  name,
  annotations,
  onChange,
}: DefinitionKey & { readonly annotations: ReadonlyArray<Annotation>; readonly onChange: () => void }) => {
  const isEditor = useIsEditor()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Stack gap={8}>
      {annotations.length > 0 && (
        <ul className={css.annotations} aria-label="Annotations">
          {annotations.map((each) => (
            <li key={`${each.kind} ${each.id} ${each.from}`}>
              <span className={css.key} data-kind={each.kind} aria-hidden="true" />
              <DateTime at={each.from} /> <span className="dim">{kindNames[each.kind]}</span>{" "}
              {"url" in each && each.url !== undefined ? (
                <a href={each.url} target="_blank" rel="noreferrer">
                  <bdi>{each.title}</bdi>
                </a>
              ) : (
                <bdi>{each.title}</bdi>
              )}
              {"text" in each && each.text !== undefined && <span className="dim small"> {each.text}</span>}
            </li>
          ))}
        </ul>
      )}
      {isEditor &&
        (isOpen ? (
          <AnnotationForm
            project={project}
            name={name}
            onDone={(isAdded) => {
              setIsOpen(false)
              if (isAdded) onChange()
            }}
          />
        ) : (
          <Group>
            <Button variant="default" size="compact-sm" onClick={() => setIsOpen(true)}>
              Add annotation
            </Button>
          </Group>
        ))}
    </Stack>
  )
}

const AnnotationForm = ({
  project,
  name,
  onDone,
}: DefinitionKey & { readonly onDone: (isAdded: boolean) => void }) => {
  const [kind, setKind] = useState<(typeof writtenKinds)[number]>("deployment")
  const [title, setTitle] = useState("")
  const [at, setAt] = useState(() => localText(Date.now()))
  const create = api.useMutation("post", "/api/slos/{sloName}/annotations", { onSuccess: () => onDone(true) })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const time = Date.parse(at)
    create.mutate({
      params: { path: { sloName: name }, header: { project } },
      body: { kind, title, ...(!Number.isNaN(time) && { from: new Date(time).toISOString() }) },
    })
  }
  return (
    <form onSubmit={submit} aria-label="New annotation">
      <Group gap="10px 16px" align="flex-end">
        <Select
          label="Kind"
          value={kind}
          onChange={(chosen) => setKind(writtenKinds.find((each) => each === chosen) ?? "note")}
          data={writtenKinds.map((value) => ({ value, label: kindNames[value] }))}
        />
        <TextInput
          label="Title"
          required
          maxLength={63}
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label="Time"
          value={at}
          onChange={({ currentTarget }) => setAt(currentTarget.value)}
        />
        <Button type="submit" loading={create.isPending}>
          Add
        </Button>
        <Button variant="default" onClick={() => onDone(false)}>
          Cancel
        </Button>
      </Group>
      <ErrorNotice error={create.error} />
    </form>
  )
}

/** The annotations of a range in a chart: a line where each begins, and a band as long as it lasts. */
export const AnnotationMarks = ({
  annotations,
  x,
  bottom,
  to,
}: {
  readonly annotations: ReadonlyArray<Annotation>
  readonly x: (time: number) => number
  readonly bottom: number
  readonly to: number
}) =>
  annotations.map((each) => {
    const start = x(Date.parse(each.from))
    const isOpenAlert = each.kind === "alert" && each.to === undefined
    const end = each.to === undefined ? (isOpenAlert ? x(to) : start) : x(Date.parse(each.to))
    return (
      <g key={`${each.kind} ${each.id} ${each.from}`} className={css.mark} data-kind={each.kind}>
        {end - start > 1 && <rect x={start} y={0} width={end - start} height={bottom} />}
        <line x1={start} x2={start} y1={0} y2={bottom} />
      </g>
    )
  })
