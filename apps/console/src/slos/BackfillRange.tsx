import rules from "virtual:rules/startBackfill"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import type { Range } from "../chart/Scale.ts"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import { t } from "../language/Text.tsx"
import { RangeFields, typedRange } from "./RangeFields.tsx"

/** Reads a range of an SLO again from its data source. */
export const BackfillRange = ({
  project,
  name,
  range,
  onClose,
  onDone,
}: DefinitionKey & { readonly range: Range; readonly onClose: () => void; readonly onDone: () => void }) => (
  <BodyDialog
    title={t("Backfill this range")}
    submitLabel={t("Start backfill")}
    rules={rules}
    initial={() => typedRange(range)}
    send={(body) => {
      const params = { path: { sloName: name }, header: { project } }
      return bodyOf(client.POST("/api/slos/{sloName}/indicator/backfill", { params, body }))
    }}
    onClose={onClose}
    onDone={onDone}
  >
    {(draft) => (
      <>
        <p>
          {t(
            "The counts of this range are read again from the data source and replaced. Alerts are not triggered.",
          )}
        </p>
        <RangeFields draft={draft} labels={{ from: t("Backfill from"), to: t("Backfill to") }} />
      </>
    )}
  </BodyDialog>
)
