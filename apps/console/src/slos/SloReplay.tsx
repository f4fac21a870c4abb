import { Button, Group, Progress, Stack, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { apiErrorOf, bodyOf, client, type Schemas } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { Card } from "../components/Page.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { useIsEditor } from "../session/Session.ts"

/** The latest replay of an SLO with an indicator, and a form that starts one. */
export const SloReplay = ({ project, name }: DefinitionKey) => {
  const query = useDocuments("slos", { project, name })
  return query.data?.[0]?.spec.indicator?.prometheus === undefined ? null : (
    <Replay project={project} name={name} />
  )
}

type Issues = ReadonlyArray<Schemas["Error"]["errors"][number]>

const Replay = ({ project, name }: DefinitionKey) => {
  const isEditor = useIsEditor()
  const params = { path: { sloName: name }, header: { project } }
  const query = api.useQuery(
    "get",
    "/api/slos/{sloName}/indicator/replay",
    { params },
    { refetchInterval: (read) => poll(read.state.data?.state === "running" ? pollMs : undefined)(read) },
  )
  const error: unknown = query.error
  const isMissing = error !== null && apiErrorOf(error).status === 404
  const replay = isMissing ? undefined : query.data
  const change = useMutation({
    mutationFn: (action: "cancel" | "resume") =>
      action === "cancel"
        ? client.DELETE("/api/slos/{sloName}/indicator/replay", { params })
        : client.POST("/api/slos/{sloName}/indicator/replay/resume", { params }),
    onSettled: () => query.refetch(),
  })
  return (
    <Card title="Replay">
      {!isMissing && <QueryError query={query} />}
      {replay === undefined ? (
        <p className="dim">
          Read a range again from the data source when its counts were wrong or incomplete. Alerts are not
          triggered.
        </p>
      ) : (
        <Progressing replay={replay} />
      )}
      <ErrorNotice error={change.error} />
      {isEditor && replay?.state === "running" && (
        <Group>
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate("cancel")}>
            Cancel replay
          </Button>
        </Group>
      )}
      {isEditor && (replay?.reason === "requested" || replay?.reason === "source_unavailable") && (
        <Group>
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate("resume")}>
            Resume replay
          </Button>
        </Group>
      )}
      {isEditor && replay?.state !== "running" && (
        <StartForm project={project} name={name} onStarted={() => query.refetch()} />
      )}
    </Card>
  )
}

const Progressing = ({ replay }: { readonly replay: Schemas["Replay"] }) => {
  const { from, to, state, reason, percent, firstMinute, problem } = replay
  return (
    <Stack gap={8}>
      <p role="status">
        <DateTime at={from} /> to <DateTime at={to} />: {stateTexts[state]}
        {reason !== undefined && `, ${reasonTexts[reason]}`}
        {state !== "complete" && `, ${percent} % read`}
      </p>
      {state === "running" && <Progress value={percent} aria-label="Progress of the replay" />}
      {firstMinute !== undefined && firstMinute > from && (
        <p className="dim small">
          The data source has values from <DateTime at={firstMinute} />. Earlier counts stay as they are.
        </p>
      )}
      {problem !== undefined && <p className="bad small">{ruleText(problem.detail)}</p>}
    </Stack>
  )
}

const stateTexts: Readonly<Record<Schemas["Replay"]["state"], string>> = {
  running: "Running",
  complete: "Complete",
  canceled: "Canceled",
  failed: "Failed",
}

const reasonTexts: Readonly<Record<NonNullable<Schemas["Replay"]["reason"]>, string>> = {
  requested: "on request",
  indicator_changed: "as the indicator was changed",
  no_values: "as the data source has no values of the range",
  source_unavailable: "as the data source was unavailable for a day",
}

const StartForm = ({
  project,
  name,
  onStarted,
}: DefinitionKey & { readonly onStarted: () => Promise<unknown> }) => {
  const [range, setRange] = useState({ from: "", to: "" })
  const [issues, setIssues] = useState<Issues>([])
  const start = useMutation({
    mutationFn: async () => {
      const params = { path: { sloName: name }, header: { project } }
      const body = { from: timeText(range.from), to: timeText(range.to) }
      const started = await issuesOr(
        bodyOf(client.POST("/api/slos/{sloName}/indicator/replay", { params, body })),
      )
      if ("errors" in started) setIssues(started.errors)
      else await onStarted()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setIssues([])
    start.mutate()
  }
  const input = (field: "from" | "to", label: string) => {
    const issue = issues.find(({ source }) => source?.propertyName === field)
    return (
      <TextInput
        type="datetime-local"
        label={label}
        value={range[field]}
        error={issue && ruleText(issue.detail ?? issue.title)}
        onChange={({ currentTarget }) => setRange({ ...range, [field]: currentTarget.value })}
      />
    )
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap={14}>
        <Group align="flex-start">
          {input("from", "Replay from")}
          {input("to", "Replay to")}
        </Group>
        <ErrorNotice error={start.error} />
        <Group>
          <Button type="submit" loading={start.isPending}>
            Start replay
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The time of an input of type `datetime-local`, as the API takes it. */
const timeText = (value: string): string => {
  const time = Date.parse(value)
  return Number.isNaN(time) ? "" : new Date(time).toISOString()
}
