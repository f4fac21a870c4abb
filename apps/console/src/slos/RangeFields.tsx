import { Group, TextInput } from "@mantine/core"
import type { Range } from "../chart/Scale.ts"
import { t } from "../language/Text.tsx"
import { inputOfTime, timeOfInput } from "../time/TimeZone.ts"

/** A range as it is typed, in the browser's time zone. */
export interface TypedRange {
  readonly from: string
  readonly to: string
}

export const typedRange = ({ from, to }: Range): TypedRange => ({
  from: inputOfTime(from),
  to: inputOfTime(to),
})

/** The times of a typed range; those that are missing or invalid are empty. */
export const instantsOf = ({ from, to }: TypedRange): TypedRange => ({
  from: instantText(from),
  to: instantText(to),
})

const instantText = (value: string): string => {
  const time = timeOfInput(value)
  return Number.isNaN(time) ? "" : new Date(time).toISOString()
}

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
    <TextInput
      type="datetime-local"
      label={labels.from}
      value={value.from}
      error={errors.from}
      onChange={({ currentTarget }) => onChange({ ...value, from: currentTarget.value })}
    />
    <TextInput
      type="datetime-local"
      label={labels.to}
      value={value.to}
      error={errors.to}
      onChange={({ currentTarget }) => onChange({ ...value, to: currentTarget.value })}
    />
  </Group>
)
