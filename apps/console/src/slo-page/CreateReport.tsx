import { useState } from "react"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { issuesOr } from "../api/Issues.ts"
import { t } from "../language/Text.tsx"
import { RangeDialog } from "../slos/RangeDialog.tsx"
import { minuteOf } from "../time/Minute.ts"

/** Creates the report of an SLO over a period: at first the month up to the last whole hour. */
export const CreateReport = ({
  project,
  name,
  onClose,
  onDone,
}: DefinitionKey & { readonly onClose: () => void; readonly onDone: (id: string) => void }) => {
  const [range] = useState(() => {
    const to = minuteOf(Date.now())
    const last = new Date(to - 1)
    return { from: Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), 1), to }
  })
  return (
    <RangeDialog
      title={t("Create report")}
      submitLabel={t("Create report")}
      labels={{ from: t("Period from"), to: t("Period to") }}
      range={range}
      start={(period) =>
        issuesOr(bodyOf(client.POST("/api/reports", { body: { project, slo: name, ...period } })))
      }
      onClose={onClose}
      onDone={({ id }) => onDone(id)}
    >
      <p>
        {t(
          "Creates a signed report from the current data. A report never changes. If one exists for this SLO and period, it opens instead.",
        )}
      </p>
    </RangeDialog>
  )
}
