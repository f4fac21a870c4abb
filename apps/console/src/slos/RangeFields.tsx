import { Group } from "@mantine/core"
import type { Range } from "../chart/Scale.ts"
import { t } from "../language/Text.tsx"
import { TimeInput } from "../time/TimeInput.tsx"
import { timeText } from "../time/TimeZone.ts"

/** A range as the API has it; times that are missing are empty. */
export interface TypedRange {
  readonly from: string
  readonly to: string
}

export const typedRange = ({ from, to }: Range): TypedRange => ({ from: timeText(from), to: timeText(to) })

/** The fields of a range. */
export const RangeFields = ({
  value,
  onChange,
  errors = {},
  labels = { from: t("From"), to: t("To") },
}: {
  readonly value: TypedRange
  readonly onChange: (value: TypedRange) => void
  readonly errors?: { readonly from?: string | undefined; readonly to?: string | undefined }
  readonly labels?: { readonly from: string; readonly to: string }
}) => (
  <Group gap={12} align="flex-start" wrap="wrap">
    <TimeInput
      label={labels.from}
      value={value.from}
      error={errors.from}
      onChange={(from) => onChange({ ...value, from })}
    />
    <TimeInput
      label={labels.to}
      value={value.to}
      error={errors.to}
      onChange={(to) => onChange({ ...value, to })}
    />
  </Group>
)
