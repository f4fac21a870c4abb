import type { Backfill } from "@tocsin/api"
import { Button, Group, Progress, Stack } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import type { FormEvent } from "react"
import rules from "virtual:rules/startBackfill"
import { apiErrorOf, bodyOf, client } from "../api/Client.ts"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { ruleText } from "../api/Issues.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { Card } from "../components/Page.tsx"
import { shareText } from "../components/NumberFormat.ts"
import { DateTime } from "../components/RelativeTime.tsx"
import { useBody } from "../editor/Body.ts"
import { OtherIssues } from "../editor/OtherIssues.tsx"
import { rich, t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { RangeFields } from "./RangeFields.tsx"
import { isPolled } from "./SloIndicator.ts"

/** The latest backfill of an SLO with an indicator, and a form that starts one. */
export const SloBackfill = ({ project, name }: DefinitionKey) => {
  const query = useDocuments("slos", { project, name })
  return !isPolled(query.data?.[0]) ? null : <Backfill project={project} name={name} />
}

const Backfill = ({ project, name }: DefinitionKey) => {
  const isEditor = useIsEditor()
  const params = { path: { sloName: name }, header: { project } }
  const query = api.useQuery(
    "get",
    "/api/slos/{sloName}/indicator/backfill",
    { params },
    { refetchInterval: (read) => poll(read.state.data?.state === "running" ? pollMs : undefined)(read) },
  )
  const error: unknown = query.error
  const isMissing = error !== null && apiErrorOf(error).status === 404
  const backfill = isMissing ? undefined : query.data
  const change = useMutation({
    mutationFn: (action: "cancel" | "resume") =>
      action === "cancel"
        ? client.DELETE("/api/slos/{sloName}/indicator/backfill", { params })
        : client.POST("/api/slos/{sloName}/indicator/backfill/resume", { params }),
    onSettled: () => query.refetch(),
  })
  return (
    <Card title={t("Backfill")}>
      {!isMissing && <QueryError query={query} />}
      {backfill === undefined ? (
        <p className="dim">
          {t(
            "Read a range again from the data source when its counts were wrong or incomplete. Alerts are not triggered.",
          )}
        </p>
      ) : (
        <Progressing backfill={backfill} />
      )}
      <ErrorNotice error={change.error} />
      {isEditor && backfill?.state === "running" && (
        <Group>
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate("cancel")}>
            {t("Cancel backfill")}
          </Button>
        </Group>
      )}
      {isEditor && (backfill?.reason === "requested" || backfill?.reason === "source_unavailable") && (
        <Group>
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate("resume")}>
            {t("Resume backfill")}
          </Button>
        </Group>
      )}
      {isEditor && backfill?.state !== "running" && (
        <StartForm project={project} name={name} onStarted={() => query.refetch()} />
      )}
    </Card>
  )
}

const Progressing = ({ backfill }: { readonly backfill: Backfill }) => {
  const { from, to, state, reason, percent, firstMinute, problem } = backfill
  return (
    <Stack gap="xs">
      <p role="status">
        {rich("{from} to {to}:", { from: <DateTime at={from} />, to: <DateTime at={to} /> })}{" "}
        {[
          stateText(state),
          ...(reason === undefined ? [] : [reasonText(reason)]),
          ...(state === "complete" ? [] : [t("{share} read", { share: shareText(percent / 100) })]),
        ].join(", ")}
      </p>
      {state === "running" && <Progress value={percent} aria-label={t("Progress of the backfill")} />}
      {firstMinute !== undefined && firstMinute > from && (
        <p className="dim small">
          {rich("The data source has values from {time}. Earlier counts stay as they are.", {
            time: <DateTime at={firstMinute} />,
          })}
        </p>
      )}
      {problem !== undefined && <p className="bad small">{ruleText(problem.detail)}</p>}
    </Stack>
  )
}

const stateText = (state: Backfill["state"]): string =>
  ({ running: t("Running"), complete: t("Complete"), canceled: t("Canceled"), failed: t("Failed") })[state]

const reasonText = (reason: NonNullable<Backfill["reason"]>): string =>
  ({
    requested: t("on request"),
    indicator_changed: t("because the indicator changed"),
    no_values: t("because the data source has no values for this range"),
    source_unavailable: t("because the data source was unavailable for a day"),
  })[reason]

const StartForm = ({
  project,
  name,
  onStarted,
}: DefinitionKey & { readonly onStarted: () => Promise<unknown> }) => {
  const { draft, isPending, error, send } = useBody({
    rules,
    initial: () => ({ from: "", to: "" }),
    send: (body) => {
      const params = { path: { sloName: name }, header: { project } }
      return bodyOf(client.POST("/api/slos/{sloName}/indicator/backfill", { params, body }))
    },
    onDone: onStarted,
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <RangeFields draft={draft} labels={{ from: t("Backfill from"), to: t("Backfill to") }} />
        <OtherIssues draft={draft} />
        <ErrorNotice error={error} />
        <Group>
          <Button type="submit" loading={isPending}>
            {t("Start backfill")}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
