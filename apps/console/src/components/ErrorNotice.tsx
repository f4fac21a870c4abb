import { Button } from "@mantine/core"
import { useRef } from "react"
import { apiErrorOf } from "../api/Client.ts"
import css from "./ErrorNotice.module.css"
import { Notice } from "./Notice.tsx"

/** Shows why a request failed. */
export const ErrorNotice = ({
  error,
  retry,
}: {
  readonly error: unknown
  readonly retry?: (() => unknown) | undefined
}) => {
  if (error === null || error === undefined) return null
  const { status, errors, message, traceId } = apiErrorOf(error)
  const isMissing = status === 404
  return (
    <Notice kind={isMissing ? "warn" : "bad"} role="alert">
      {errors.length > 1 ? (
        <ul className={css.list}>
          {errors.map(({ detail, title }, at) => (
            <li key={at}>{detail ?? title}</li>
          ))}
        </ul>
      ) : (
        <p>{message}</p>
      )}
      {status >= 500 && traceId !== undefined && (
        <p className="small">
          Trace ID: <code>{traceId}</code>
        </p>
      )}
      {retry !== undefined && !isMissing && (
        <Button variant="default" size="compact-sm" onClick={retry}>
          Try again
        </Button>
      )}
    </Notice>
  )
}

/** Shows why a query failed, until it succeeds: a retry in between does not clear the error. */
export const QueryError = ({
  query: { error, isSuccess, refetch },
}: {
  readonly query: { readonly error: unknown; readonly isSuccess: boolean; readonly refetch: () => unknown }
}) => {
  const last = useRef<unknown>(null)
  if (error !== null || isSuccess) last.current = error
  return <ErrorNotice error={last.current} retry={refetch} />
}
