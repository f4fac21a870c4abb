import { TextInput, type TextInputProps } from "@mantine/core"
import { useState } from "react"
import { inputOfTime, timeOfInput, timeZoneName } from "./TimeZone.ts"

/**
 * An input of a time in the console's time zone. Its value is the time as the API has it, or empty.
 *
 * A time that is not changed stays exactly as it is: what is shown has no seconds, and in the hour that a change of
 * daylight saving time repeats it is that of two times.
 */
export const TimeInput = ({
  value,
  onChange,
  ...props
}: Omit<TextInputProps, "onChange"> & {
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const zone = timeZoneName()
  const [typed, setTyped] = useState({ input: "", value: "", zone })
  return (
    <TextInput
      {...props}
      type="datetime-local"
      // What was typed stays as it is, also while it is no time yet.
      value={typed.value === value && typed.zone === zone ? typed.input : inputOfTime(value)}
      onChange={({ currentTarget: { value: input } }) => {
        const changed = timeOfInput(input)
        setTyped({ input, value: changed, zone })
        onChange(changed)
      }}
    />
  )
}
