import type { Warning } from "@tocsin/api"
import { Button } from "@mantine/core"
import { ruleText } from "../api/Issues.ts"
import { api } from "../api/Queries.ts"
import { t } from "../language/Text.tsx"
import { CodeBlock } from "./CodeBlock.tsx"
import { Notice } from "./Notice.tsx"
import css from "./Warnings.module.css"

/** What a valid definition probably does not do as it was meant to. */
export const Warnings = ({
  warnings,
  useOf,
}: {
  readonly warnings: ReadonlyArray<Warning>
  /** What puts a suggestion in place; `undefined` where it cannot. */
  readonly useOf?: (warning: Warning) => (() => void) | undefined
}) =>
  warnings.length === 0 ? null : (
    <Notice kind="warn" role="status">
      <ul className={css.warnings}>
        {warnings.map((warning) => (
          <li key={`${warning.path} ${warning.code} ${warning.message}`}>
            <OneWarning warning={warning} use={useOf?.(warning)} />
          </li>
        ))}
      </ul>
    </Notice>
  )

const OneWarning = ({
  warning: { path, message, suggestion },
  use,
}: {
  readonly warning: Warning
  readonly use: (() => void) | undefined
}) => (
  <>
    <p>{path === "" ? ruleText(message) : `${path}: ${message}`}</p>
    {suggestion !== undefined && (
      <div className={css.suggestion}>
        <CodeBlock text={suggestion} label={t("Suggestion for {path}", { path })} isWrapped />
        {use !== undefined && (
          <Button variant="default" size="compact-sm" mt="xs" onClick={use}>
            {isQuery(path) ? t("Use this query") : t("Use this text")}
          </Button>
        )}
      </div>
    )}
  </>
)

const isQuery = (path: string): boolean => /(?:^|\.)indicator\.|[mM]etrics?\./.test(path)

/** The warnings of a stored definition. */
export const StoredWarnings = ({
  kind,
  project,
  name,
}: {
  readonly kind: string
  readonly project: string
  readonly name: string
}) => {
  const { data } = api.useQuery("get", "/api/definitions/{kind}/{name}/warnings", {
    params: { path: { kind, name }, header: { project } },
  })
  return <Warnings warnings={data?.warnings ?? []} />
}
