import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { issuesOr } from "../api/Issues.ts"
import type { Range } from "../chart/Scale.ts"
import { t } from "../language/Text.tsx"
import { RangeDialog } from "./RangeDialog.tsx"

/** Reads a range of an SLO again from its data source. */
export const ReplayRange = ({
  project,
  name,
  range,
  onClose,
  onDone,
}: DefinitionKey & { readonly range: Range; readonly onClose: () => void; readonly onDone: () => void }) => (
  <RangeDialog
    title={t("Replay this range")}
    submitLabel={t("Start replay")}
    labels={{ from: t("Replay from"), to: t("Replay to") }}
    range={range}
    start={(body) => {
      const params = { path: { sloName: name }, header: { project } }
      return issuesOr(bodyOf(client.POST("/api/slos/{sloName}/indicator/replay", { params, body })))
    }}
    onClose={onClose}
    onDone={onDone}
  >
    <p>
      {t(
        "The counts of this range are read again from the data source and replaced. Alerts are not triggered.",
      )}
    </p>
  </RangeDialog>
)
