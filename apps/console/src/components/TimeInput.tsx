import type { TextInputProps } from "@mantine/core"
import { useState } from "react"
import { t } from "../language/Text.tsx"
import { DateTimeInput } from "./DateTimeInput.tsx"
import { inputOfTime, timeOfInput, timeZoneName } from "../time/TimeZone.ts"

/**
 * An input of a time in the console's time zone. Its value is the time as the API has it, or empty.
 *
 * A time that is not changed stays exactly as it is: what is shown has no seconds, and in the hour that a change of
 * daylight saving time repeats it is that of two times.
 */
export const TimeInput = ({
  value,
  onChange,
  error,
  ...props
}: Omit<TextInputProps, "onChange"> & {
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const zone = timeZoneName()
  const [typed, setTyped] = useState({ input: "", value: "", zone })
  const [isTyping, setIsTyping] = useState(false)
  // What was typed stays as it is, also while it is no time yet.
  const shown = typed.value === value && typed.zone === zone ? typed.input : inputOfTime(value)
  const isWrong = !isTyping && shown !== "" && timeOfInput(shown) === ""
  return (
    <DateTimeInput
      {...props}
      error={isWrong ? t("Enter a day and a time, such as 2026-11-29 14:05.") : error}
      value={shown}
      onFocus={() => setIsTyping(true)}
      onBlur={() => setIsTyping(false)}
      onChange={(input) => {
        const changed = timeOfInput(input)
        setTyped({ input, value: changed, zone })
        onChange(changed)
      }}
    />
  )
}
