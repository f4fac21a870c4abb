import { TextInput, type TextInputProps } from "@mantine/core"
import { useEffect, useState } from "react"

/** A text in the address, which is applied after a pause in typing, without the blanks around it. */
export const FilterInput = ({
  value,
  onChange,
  pauseMs,
  ...props
}: Omit<TextInputProps, "value" | "onChange"> & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly pauseMs: number
}) => {
  const [typed, setTyped] = useState(value)
  const [last, setLast] = useState(value)
  const text = typed.trim()
  // Navigation changes the address too.
  if (last !== value) {
    setLast(value)
    if (text !== value) setTyped(value)
  }
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, value, onChange, pauseMs])
  return (
    <TextInput {...props} value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} />
  )
}
