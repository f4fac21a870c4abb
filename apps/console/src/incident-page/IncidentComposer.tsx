import { Button, Group, SegmentedControl, Stack, Textarea } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../api/Client.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Select } from "../components/Filters.tsx"
import { labelOf } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import { incidentStatuses, type IncidentStatus } from "../incidents/Incident.ts"

const kinds = ["note", "task", "link", "post"] as const

type Kind = (typeof kinds)[number]

const kindName = (kind: Kind): string =>
  ({ note: t("Note"), task: t("Task"), link: t("Link"), post: t("Public post") })[kind]

const submitLabel = (kind: Kind): string =>
  ({ note: t("Add note"), task: t("Add task"), link: t("Add link"), post: t("Publish post") })[kind]

/** Adds an entry to the timeline of an incident. */
export const IncidentComposer = ({
  id,
  status: current,
}: {
  readonly id: string
  readonly status: IncidentStatus
}) => {
  const queryClient = useQueryClient()
  const [kind, setKind] = useState<Kind>("note")
  const [text, setText] = useState("")
  // The current one, until another is chosen.
  const [chosen, setChosen] = useState<IncidentStatus>()
  const status = chosen ?? current
  const add = useMutation({
    mutationFn: () =>
      client.POST("/api/incidents/{id}/entries", {
        params: { path: { id } },
        body:
          kind === "link"
            ? { kind, url: text.trim() }
            : kind === "post"
              ? { kind, text, ...(chosen !== undefined && { status: chosen }) }
              : { kind, text },
      }),
    onSuccess: async () => {
      setText("")
      setChosen(undefined)
      await queryClient.invalidateQueries()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <Stack gap="xs">
        <SegmentedControl
          aria-label={t("Kind of entry")}
          value={kind}
          onChange={(value) => setKind(value as Kind)}
          data={kinds.map((value) => ({ value, label: kindName(value) }))}
        />
        <Textarea
          label={kind === "link" ? t("URL") : kindName(kind)}
          description={
            kind === "post" &&
            t("Anyone can read it on the status pages that show a service of this incident.")
          }
          autosize
          minRows={kind === "link" ? 1 : 2}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {kind === "post" && (
          <Select
            label={t("Status of the incident")}
            value={status}
            onChange={(value) => setChosen(value as IncidentStatus)}
            data={incidentStatuses.map((value) => ({ value, label: labelOf(value) }))}
          />
        )}
        <Group>
          <Button type="submit" loading={add.isPending} disabled={text.trim() === ""}>
            {submitLabel(kind)}
          </Button>
        </Group>
        <ErrorNotice error={add.error} />
      </Stack>
    </form>
  )
}
