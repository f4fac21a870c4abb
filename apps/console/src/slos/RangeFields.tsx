import { Group } from "@mantine/core"
import type { Range } from "../chart/Scale.ts"
import type { DraftFields } from "../editor/Fields.ts"
import { t } from "../language/Text.tsx"
import { TimeField } from "../editor/TimeField.tsx"
import { timeText } from "../time/TimeZone.ts"

/** A range as the API has it. */
export const typedRange = ({ from, to }: Range) => ({ from: timeText(from), to: timeText(to) })

/** The fields of a range, whose times are at paths. */
export const RangeFields = ({
  draft,
  paths: [from, to] = ["from", "to"],
  labels = { from: t("From"), to: t("To") },
}: {
  readonly draft: DraftFields
  readonly paths?: readonly [string, string]
  readonly labels?: { readonly from: string; readonly to: string }
}) => (
  <Group gap="sm" align="flex-start" wrap="wrap">
    <TimeField draft={draft} path={from} label={labels.from} />
    <TimeField draft={draft} path={to} label={labels.to} />
  </Group>
)
