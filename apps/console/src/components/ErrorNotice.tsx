import { Button } from "@mantine/core"
import { useRef } from "react"
import { apiErrorOf } from "../api/Client.ts"
import { rich, t } from "../language/Text.tsx"
import { Notice } from "./Notice.tsx"

/** Shows why a request failed. */
export const ErrorNotice = ({
  error,
  missing,
  retry,
}: {
  readonly error: unknown
  /** Replaces the message of a 404. */
  readonly missing?: string | undefined
  readonly retry?: () => unknown
}) => {
  if (error === null || error === undefined) return null
  const { status, messages, message, traceId } = apiErrorOf(error)
  if (status === 404) return <Notice kind="warn">{missing ?? message}</Notice>
  return (
    <Notice kind="bad" role="alert">
      {messages.length > 1 ? (
        <ul>
          {messages.map((each, at) => (
            <li key={at}>{each}</li>
          ))}
        </ul>
      ) : (
        <p>{message}</p>
      )}
      {status >= 500 && traceId !== undefined && (
        <p className="small">{rich("Trace ID: <id></id>", { id: () => <code>{traceId}</code> })}</p>
      )}
      {retry !== undefined && (
        <Button variant="default" size="compact-sm" onClick={retry}>
          {t("Try again")}
        </Button>
      )}
    </Notice>
  )
}

/** What is shown of the state of a query. */
export interface QueryState {
  readonly data: unknown
  readonly error: unknown
  readonly isSuccess: boolean
  readonly refetch: () => unknown
}

/**
 * Shows why a query failed, until it succeeds: a retry in between does not clear the error.
 *
 * With `missing`, which says that something was not found, also an empty response is an error.
 */
export const QueryError = ({
  query: { data, error, isSuccess, refetch },
  missing,
}: {
  readonly query: QueryState
  readonly missing?: string
}) => {
  const last = useRef<unknown>(null)
  if (error !== null || isSuccess) last.current = error
  const isEmpty = Array.isArray(data) && data.length === 0
  if (missing !== undefined && isEmpty) return <Notice kind="warn">{missing}</Notice>
  return <ErrorNotice error={last.current} missing={missing} retry={refetch} />
}
