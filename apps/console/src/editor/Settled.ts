import { useDebouncedValue } from "@mantine/hooks"
import { useMemo } from "react"

/** Plain data once it has not changed for some time. What is equal is the same, however often it is made. */
export const useSettled = <A>(value: A, waitMs: number): A => {
  const [text] = useDebouncedValue(JSON.stringify(value), waitMs)
  return useMemo(() => JSON.parse(text) as A, [text])
}
