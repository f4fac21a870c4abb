import { ActionIcon, TextInput, type TextInputProps } from "@mantine/core"
import { useRef } from "react"
import { Calendar } from "./Icon.tsx"
import { t } from "../language/Text.tsx"

/**
 * An input of a day and a time with 24 hours, such as `2026-11-29 14:05`, whatever the browser's language. The arrow keys change the
 * part at the cursor.
 */
export const DateTimeInput = ({
  value,
  onChange,
  ...props
}: Omit<TextInputProps, "onChange"> & {
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const calendar = useRef<HTMLInputElement>(null)
  return (
    <TextInput
      placeholder="2026-11-29 14:05"
      {...props}
      value={value}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={(event) => {
        const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
        const { currentTarget: input } = event
        const cursor = input.selectionStart ?? 0
        const changed = by === undefined ? undefined : changedPart(value, cursor, by)
        if (changed === undefined) return
        event.preventDefault()
        onChange(changed)
        requestAnimationFrame(() => input.setSelectionRange(cursor, cursor))
      }}
      rightSection={
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            disabled={props.disabled === true}
            aria-label={t("Choose a day")}
            onClick={() => calendar.current?.showPicker()}
          >
            <Calendar />
          </ActionIcon>
          <input
            ref={calendar}
            className="visually-hidden"
            type="date"
            tabIndex={-1}
            aria-hidden
            value={/^\d{4}-\d\d-\d\d/.exec(value)?.[0] ?? ""}
            onChange={({ currentTarget: { value: day } }) =>
              day !== "" && onChange(`${day} ${value.slice(11) || "00:00"}`)
            }
          />
        </>
      }
    />
  )
}

/** A day and time of which the part at a position is changed; `undefined` if the text is not a day and time. */
const changedPart = (text: string, position: number, by: number): string | undefined => {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)$/.exec(text) ?? []
  const date = new Date(`${day}T${time}Z`)
  if (Number.isNaN(date.getTime())) return undefined
  if (position <= 4) date.setUTCFullYear(date.getUTCFullYear() + by)
  else if (position <= 7) date.setUTCMonth(date.getUTCMonth() + by)
  else if (position <= 10) date.setUTCDate(date.getUTCDate() + by)
  else if (position <= 13) date.setUTCHours(date.getUTCHours() + by)
  else date.setUTCMinutes(date.getUTCMinutes() + by)
  return date.toISOString().slice(0, 16).replace("T", " ")
}
