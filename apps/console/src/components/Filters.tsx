import {
  Button,
  Group,
  NativeSelect,
  type NativeSelectProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core"
import { type ReactNode, useEffect, useId, useState } from "react"
import { useSearchParams } from "wouter"
import { t } from "../language/Text.tsx"
import { EmptyState } from "./EmptyState.tsx"
import { Sliders } from "./Icon.tsx"

// The router decodes a path in part, so that `%26` stays, and a query twice, so that `%2526` becomes `&`. Values that
// may contain any character are read from the address itself.

/** The decoded last segment of the current path. */
export const lastPathSegment = (): string => {
  const last = location.pathname.slice(location.pathname.lastIndexOf("/") + 1)
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/**
 * The values of query parameters, and a function that sets some of them; an empty value removes one. What `isStep` sets can be
 * undone with the browser's Back.
 */
export const useFilters = <K extends string>(names: ReadonlyArray<K>) => {
  const [, setSearch] = useSearchParams()
  const search = new URLSearchParams(location.search)
  const values = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ""])) as Record<K, string>
  const set = (changed: Partial<Record<K, string>>, isStep = false): void => {
    const next = new URLSearchParams(location.search)
    for (const name of names) {
      const value = changed[name]
      if (value === "") next.delete(name)
      else if (value !== undefined) next.set(name, value)
    }
    // An entry that is replaced keeps its scroll position.
    setSearch(next, isStep ? {} : { replace: true, state: history.state as unknown })
  }
  return {
    values,
    set,
    /** The properties of an input of one of them. */
    bind: (name: K) => ({
      value: values[name],
      onChange: (value: string) => set({ [name]: value } as Partial<Record<K, string>>),
    }),
    isFiltered: names.some((name) => values[name] !== ""),
    clear: () => set(Object.fromEntries(names.map((name) => [name, ""])) as Record<K, string>),
  }
}

/** The filters of a list; on phones behind a button, so that the list is first. */
export const FilterBar = ({
  values,
  role = "group",
  label = t("Filters"),
  children,
}: {
  /** The values of the filters; the button shows how many are set. */
  readonly values: ReadonlyArray<string>
  readonly role?: "group" | "search"
  readonly label?: string
  readonly children: ReactNode
}) => {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const active = values.filter((value) => value !== "").length
  return (
    <div>
      <div className="filters-toggle">
        <Button
          variant="default"
          leftSection={<Sliders />}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          {active === 0 ? t("Filters") : t("Filters ({active})", { active })}
        </Button>
      </div>
      <Group
        id={id}
        data-open={isOpen || undefined}
        gap="xs"
        align="flex-end"
        className="filters"
        role={role}
        aria-label={label}
      >
        {children}
      </Group>
    </div>
  )
}

/** Takes the place of a list in which nothing matches the filters. */
export const NoMatches = ({
  title,
  clear,
  children,
}: {
  readonly title: string
  readonly clear: () => void
  readonly children?: ReactNode
}) => (
  <EmptyState title={title}>
    {children}
    <Button variant="default" onClick={clear}>
      {t("Clear filters")}
    </Button>
  </EmptyState>
)

/** A selection of one value; with `all`, also of none. */
export const Select = ({
  all,
  data,
  onChange,
  ...props
}: Omit<NativeSelectProps, "data" | "onChange"> & {
  readonly all?: string
  readonly data: ReadonlyArray<{ readonly value: string; readonly label: string }>
  readonly onChange: (value: string) => void
}) => (
  <NativeSelect
    {...props}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    data={[...(all === undefined ? [] : [{ value: "", label: all }]), ...data]}
  />
)

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
