import { Button } from "@mantine/core"
import type { CallFailed } from "../api/Call.ts"
import css from "./Failure.module.css"
import { Notice } from "./Notice.tsx"

/** Says why something could not be read or done, in the server's words. */
export const Failure = ({
  failure,
  retry,
  isWholePage = false,
}: {
  readonly failure: CallFailed
  readonly retry?: () => void
  readonly isWholePage?: boolean
}) => {
  const said = failure.errors.map(({ detail, title }) => detail ?? title)
  const isMissing = failure.status === 404
  const notice = (
    <Notice kind={isMissing ? "warn" : "bad"} role="alert">
      {said.length > 1 ? (
        <ul className={css.list}>
          {said.map((text, at) => (
            <li key={at}>{text}</li>
          ))}
        </ul>
      ) : (
        <p>{failure.message}</p>
      )}
      {failure.status >= 500 && failure.traceId !== undefined && (
        <p className="small">
          Trace ID <code>{failure.traceId}</code>
        </p>
      )}
      {retry !== undefined && !isMissing && (
        <Button variant="default" size="compact-sm" onClick={retry}>
          Try again
        </Button>
      )}
    </Notice>
  )
  return isWholePage ? <main className={css.page}>{notice}</main> : notice
}
