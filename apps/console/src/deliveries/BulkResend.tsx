import { Button, Group, Progress, Stack } from "@mantine/core"
import type { BulkResend } from "@tocsin/api"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { bodyOf, client } from "../api/Client.ts"
import { type DefinitionKey, useDisplayNames } from "../api/Definitions.ts"
import { poll, pollMs } from "../api/Queries.ts"
import { ActionDialog } from "../components/Dialog.tsx"
import { ErrorNotice, QueryError } from "../components/ErrorNotice.tsx"
import { objectText } from "../components/ObjectName.ts"
import { Card } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { countText } from "../components/NumberFormat.ts"
import css from "./Deliveries.module.css"

/** Which settled deliveries to resend. */
export interface ResendFilter {
  readonly alertMethod?: { readonly project: string; readonly name: string }
  readonly from?: string
}

/** What people call an alert method, with its key. */
export const useMethodText = (): ((key: DefinitionKey) => string) => {
  const methodName = useDisplayNames("alertmethods")
  return (key) => objectText(key, methodName(key))
}

const resendsKey = ["resends"]

/** A button that resends all failed deliveries of a filter, after it has counted them. */
export const BulkResendButton = ({ filter }: { readonly filter: ResendFilter }) => {
  const queryClient = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  const states: Array<"exhausted" | "failed"> = ["exhausted", "failed"]
  const request = { ...filter, states }
  const count = useQuery({
    queryKey: ["resend-count", request],
    queryFn: ({ signal }) =>
      bodyOf(client.POST("/api/deliveries/resend", { body: { ...request, dryRun: true }, signal })),
    enabled: isOpen,
    staleTime: 0,
    gcTime: 0,
  })
  const start = useMutation({
    mutationFn: () => bodyOf(client.POST("/api/deliveries/resend", { body: request })),
    onSuccess: () => {
      setIsOpen(false)
      void queryClient.invalidateQueries({ queryKey: resendsKey })
    },
  })
  const methodText = useMethodText()
  const { matched = 0, mayMatchMore = false } = count.data ?? {}
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {t("Resend failed deliveries")}
      </Button>
      {isOpen && (
        <ActionDialog
          title={t("Resend failed deliveries?")}
          submitLabel={t("Resend deliveries")}
          isDangerous
          isBusy={start.isPending}
          isDisabled={count.data === undefined || matched === 0}
          error={start.error}
          onSubmit={start.mutate}
          onClose={() => setIsOpen(false)}
        >
          <p>{filterText(filter, methodText)}</p>
          <p role="status">
            {count.data === undefined
              ? t("Counting…")
              : mayMatchMore
                ? t("At least {count} deliveries match.", { count: matched })
                : t(
                    "{count, plural, =0 {No deliveries match.} one {# delivery matches.} other {# deliveries match.}}",
                    {
                      count: matched,
                    },
                  )}
          </p>
          <p className="dim small">
            {t(
              "Each is sent again with the same ID, in a new round of attempts, 500 at a time. Tests are left out.",
            )}
          </p>
          <QueryError query={count} />
        </ActionDialog>
      )}
    </>
  )
}

const filterText = (
  { alertMethod, from }: ResendFilter,
  methodText: (key: DefinitionKey) => string,
): string => {
  const method = alertMethod && methodText(alertMethod)
  if (method !== undefined && from !== undefined)
    return t("Exhausted and failed deliveries of {method} in the chosen time range.", { method })
  if (method !== undefined) return t("All exhausted and failed deliveries of {method}.", { method })
  return from === undefined
    ? t("All exhausted and failed deliveries of the organization.")
    : t("All exhausted and failed deliveries in the chosen time range.")
}

/** The bulk resends that run or have just ended, with their progress. */
export const BulkResends = ({ isEditor }: { readonly isEditor: boolean }) => {
  const query = useQuery({
    queryKey: resendsKey,
    queryFn: ({ signal }) => bodyOf(client.GET("/api/resends", { params: { query: { limit: 5 } }, signal })),
    refetchInterval: poll(pollMs),
  })
  const shown = (query.data?.data ?? []).filter(isRecent)
  if (shown.length === 0) return null
  return (
    <Card title={t("Bulk resends")}>
      <ul className={css.attempts} aria-label={t("Bulk resends")}>
        {shown.map((resend) => (
          <li key={resend.id}>
            <Row resend={resend} isEditor={isEditor} onChanged={() => query.refetch()} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

const isRecent = ({ state, endedAt }: BulkResend): boolean =>
  state === "running" || (endedAt !== undefined && Date.now() - Date.parse(endedAt) < recentMs)

const recentMs = 10 * 60_000

const Row = ({
  resend,
  isEditor,
  onChanged,
}: {
  readonly resend: BulkResend
  readonly isEditor: boolean
  readonly onChanged: () => unknown
}) => {
  const { id, state, resent, matched, mayMatchMore, createdAt, filter } = resend
  const cancel = useMutation({
    mutationFn: () => client.POST("/api/resends/{id}/cancel", { params: { path: { id } } }),
    onSuccess: onChanged,
  })
  const methodText = useMethodText()
  const total = Math.max(resent, matched)
  const text = mayMatchMore
    ? t("{resent} resent of at least {total}", { resent: countText(resent), total: countText(total) })
    : t("{resent} of {total} resent", { resent: countText(resent), total: countText(total) })
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="var(--space-2xs) var(--space-md)">
        <span>
          <strong>{{ running: t("Running"), done: t("Done"), canceled: t("Canceled") }[state]}</strong>{" "}
          <span className="dim">
            {filter.alertMethod === undefined ? t("All alert methods") : methodText(filter.alertMethod)} ·{" "}
            <RelativeTime at={createdAt} />
          </span>
        </span>
        <Group gap="xs">
          <span role="status">{text}</span>
          {isEditor && state === "running" && (
            <Button
              variant="default"
              size="compact-sm"
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              {t("Cancel resend")}
            </Button>
          )}
        </Group>
      </Group>
      <Progress value={total === 0 ? 100 : (100 * resent) / total} aria-label={text} />
      <ErrorNotice error={cancel.error} />
    </Stack>
  )
}
