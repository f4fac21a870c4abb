import { Button, Group, SegmentedControl, Stack, Textarea, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { useLocation } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import css from "../alert-methods/AlertMethodForm.module.css"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card, Page } from "../components/Page.tsx"
import { useIsEditor, useSession } from "../session/Session.ts"
import { SilenceCoverage } from "./SilenceCoverage.tsx"
import type { AlertSilence } from "./SilenceText.tsx"

/** Creates a silence, beside a preview of what it covers. */
const SilenceFormPage = () => (
  <Page title="Create silence" back={{ href: "/silences", text: "Silences" }}>
    {useIsEditor() ? (
      <SilenceForm />
    ) : (
      <Notice kind="info">
        Your role is viewer, which is read-only. Sign in as an editor to make changes.
      </Notice>
    )}
  </Page>
)
export default SilenceFormPage

const emptyValues = {
  name: "",
  project: "default",
  description: "",
  slo: "",
  sloLabels: "",
  alertPolicy: "",
  startTime: "",
  duration: "1h",
  rrule: "",
  before: "",
  alertMethods: "",
}

type Field = keyof typeof emptyValues

const SilenceForm = () => {
  const { apiVersion } = useSession()
  const [, navigate] = useLocation()
  const [values, setValues] = useState(emptyValues)
  const [isByLabels, setIsByLabels] = useState(false)
  const [submitted, setSubmitted] = useState<{ readonly issues: Issues } | undefined>()
  const [isSaving, setIsSaving] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const definition = definitionOf(values, isByLabels, apiVersion)
  const [settled] = useDebouncedValue(definition, 250)
  const { data, error: previewError } = useQuery({
    queryKey: ["silence-form", settled],
    queryFn: ({ signal }) => {
      // What it covers can be seen before it has a name.
      const body = { ...settled, metadata: { ...settled.metadata, name: settled.metadata.name || "new" } }
      return issuesOr(bodyOf(client.POST("/api/alertsilences/preview", { body, signal })))
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  })
  const found = data !== undefined && "errors" in data ? issuesOf(data.errors) : []
  const issues = [...found, ...(submitted?.issues ?? [])]

  const input = (field: Field) => ({
    id: field,
    value: values[field],
    error:
      (submitted !== undefined || values[field] !== "") &&
      issues.find((issue) => issue.field === field)?.message,
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) => {
      setSubmitted(undefined)
      setValues({ ...values, [field]: value })
    },
  })

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsSaving(true)
    setError(null)
    try {
      const query = { dry_run: "true" } as const
      const checked = await issuesOr(
        bodyOf(client.PUT("/api/apply", { params: { query }, body: definition })),
      )
      if ("errors" in checked) setSubmitted({ issues: issuesOf(checked.errors) })
      else if (checked.data[0]?.outcome !== "created") setSubmitted({ issues: [nameTaken] })
      else {
        await client.PUT("/api/apply", { body: definition })
        const { project, name } = definition.metadata
        return navigate(`/silences/${project}/${name}`)
      }
    } catch (failure) {
      setError(failure)
    }
    setIsSaving(false)
  }

  return (
    <form onSubmit={submit} noValidate className={css.columns}>
      <Stack gap={20}>
        <Card title="General">
          <Group className={css.pair ?? ""} gap={14} align="flex-start">
            <TextInput {...input("name")} label="Name" required withAsterisk={false} spellCheck={false} />
            <TextInput
              {...input("project")}
              label="Project"
              description="The project of the silence and its SLOs."
              spellCheck={false}
            />
          </Group>
          <Textarea {...input("description")} label="Description" rows={2} />
        </Card>
        <Card title="SLOs">
          <SegmentedControl
            aria-label="What to silence"
            value={isByLabels ? "labels" : "slo"}
            onChange={(value) => setIsByLabels(value === "labels")}
            data={[
              { value: "slo", label: "One SLO" },
              { value: "labels", label: "SLOs with labels" },
            ]}
          />
          {isByLabels ? (
            <TextInput
              {...input("sloLabels")}
              label="Labels"
              description="Comma-separated key:value pairs, all of which an SLO must have."
              placeholder="team:payments,env:prod"
              spellCheck={false}
            />
          ) : (
            <TextInput {...input("slo")} label="SLO" description="Name of the SLO." spellCheck={false} />
          )}
          <TextInput
            {...input("alertPolicy")}
            label="Alert policy"
            description="Optional. Default: all alert policies, and alerts on missing data."
            spellCheck={false}
          />
        </Card>
        <Card title="Time">
          <Group className={css.pair ?? ""} gap={14} align="flex-start">
            <TextInput
              {...input("startTime")}
              type="datetime-local"
              label="Start"
              description={`In the time zone ${timeZone}. Default: now.`}
            />
            <TextInput {...input("duration")} label="Duration" description="For example 30m or 2h." />
          </Group>
          <TextInput
            {...input("rrule")}
            label="Recurrence"
            description="Optional. An RFC 5545 rule such as FREQ=WEEKLY;BYDAY=SA. Requires a start."
            spellCheck={false}
          />
        </Card>
        <Card title="Notice">
          <Group className={css.pair ?? ""} gap={14} align="flex-start">
            <TextInput
              {...input("before")}
              label="Notify before the end"
              description="Optional. For example 15m."
            />
            <TextInput
              {...input("alertMethods")}
              label="Alert methods"
              description="Names in the project of the silence, comma-separated."
              spellCheck={false}
            />
          </Group>
        </Card>
        {submitted?.issues
          .filter(({ field }) => field === undefined)
          .map(({ message }) => (
            <Notice key={message} kind="bad" role="alert">
              {message}
            </Notice>
          ))}
        <ErrorNotice error={error} />
        <Group gap={10} className={css.save ?? ""}>
          <Button type="submit" loading={isSaving}>
            Create silence
          </Button>
          <Button variant="default" onClick={() => navigate("/silences")}>
            Cancel
          </Button>
        </Group>
      </Stack>
      <Stack gap={20} className={css.preview ?? ""}>
        <ErrorNotice error={previewError} />
        {data !== undefined && !("errors" in data) ? (
          <SilenceCoverage coverage={data} />
        ) : (
          <Card title="Preview">
            <p className="dim">
              Enter what to silence and for how long to see the SLOs and open alerts that the silence covers.
            </p>
          </Card>
        )}
      </Stack>
    </form>
  )
}

const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

/** The definition of the values; empty ones are omitted by the server. */
const definitionOf = (
  {
    name,
    project,
    description,
    slo,
    sloLabels,
    alertPolicy,
    startTime,
    duration,
    rrule,
    before,
    alertMethods,
  }: typeof emptyValues,
  isByLabels: boolean,
  apiVersion: string,
): AlertSilence => ({
  apiVersion,
  kind: "AlertSilence",
  metadata: { name: name.trim(), project: project.trim() },
  spec: {
    description,
    ...(isByLabels ? { sloLabels } : { slo: slo.trim() }),
    ...(alertPolicy.trim() !== "" && { alertPolicy: { name: alertPolicy.trim() } }),
    ...(rrule === ""
      ? { period: { startTime: startTime === "" ? "" : new Date(startTime).toISOString(), duration } }
      : {
          recurrence: {
            startTime: startTime === "" ? "" : `${startTime.replace("T", " ")}:00`,
            timeZone,
            rrule,
            duration,
          },
        }),
    ...(before.trim() + alertMethods.trim() !== "" && {
      notifyBeforeEnd: {
        before: before.trim(),
        alertMethods: alertMethods
          .split(",")
          .map((each) => ({ name: each.trim() }))
          .filter((each) => each.name !== ""),
      },
    }),
  },
})

type Issues = ReadonlyArray<{ readonly field: Field | undefined; readonly message: string }>

const issuesOf = (
  errors: ReadonlyArray<{
    readonly title: string
    readonly source?: { readonly propertyName?: string } | undefined
  }>,
): Issues =>
  errors.map(({ title, source }) => {
    const path = source?.propertyName ?? ""
    const field = path.startsWith("spec.notifyBeforeEnd.alertMethods")
      ? "alertMethods"
      : (fieldByPath[path] ?? fieldByPath[path.slice(path.lastIndexOf(".") + 1)])
    return { field, message: ruleText(field === undefined ? `${path} ${title}` : title) }
  })

const fieldByPath: Readonly<Record<string, Field | undefined>> = {
  "metadata.name": "name",
  "metadata.project": "project",
  "spec.alertPolicy.name": "alertPolicy",
  "spec.period": "duration",
  description: "description",
  slo: "slo",
  sloLabels: "sloLabels",
  startTime: "startTime",
  duration: "duration",
  rrule: "rrule",
  before: "before",
}

const nameTaken = {
  field: "name",
  message: "Is already the name of a silence in this project.",
} as const
