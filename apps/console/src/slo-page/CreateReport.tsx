import rules from "virtual:rules/createReport"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import { t } from "../language/Text.tsx"
import { RangeFields, typedRange } from "../slos/RangeFields.tsx"
import { minuteOf } from "../time/Minute.ts"

/** Creates the report of an SLO over a period: at first the month up to the last whole hour. */
export const CreateReport = ({
  project,
  name,
  onClose,
  onDone,
}: DefinitionKey & { readonly onClose: () => void; readonly onDone: (id: string) => void }) => {
  const initial = () => {
    const to = minuteOf(Date.now())
    const last = new Date(to - 1)
    const from = Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), 1)
    return { project, slo: name, ...typedRange({ from, to }) }
  }
  return (
    <BodyDialog
      title={t("Create report")}
      submitLabel={t("Create report")}
      rules={rules}
      initial={initial}
      send={(body) => bodyOf(client.POST("/api/reports", { body }))}
      onClose={onClose}
      onDone={({ id }) => onDone(id)}
    >
      {(draft) => (
        <>
          <p>
            {t(
              "Creates a signed report from the current data. A report never changes. If one exists for this SLO and period, it opens instead.",
            )}
          </p>
          <RangeFields draft={draft} labels={{ from: t("Period from"), to: t("Period to") }} />
        </>
      )}
    </BodyDialog>
  )
}
