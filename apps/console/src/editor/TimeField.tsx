import type { TextInputProps } from "@mantine/core"
import type { DraftFields, Typing } from "./Fields.ts"
import { TimeInput } from "../components/TimeInput.tsx"
import { timeText } from "../time/TimeZone.ts"

/** A time as the API has it; fails for what is no time, which a form cannot show. */
export const timeTyping: Typing<string> = {
  format: (time) => (time === undefined || time === "" ? "" : timeText(Date.parse(time as string))),
  parse: (text) => text || undefined,
}

/** An input of the time at a path. */
export const TimeField = ({
  draft: { field, typed },
  path,
  ...props
}: Omit<TextInputProps, "value" | "onChange"> & {
  readonly draft: DraftFields
  readonly path: string
  readonly onChange?: (value: string) => void
}) => <TimeInput {...field(path, timeTyping)} onChange={typed(path, timeTyping)[1]} {...props} />
