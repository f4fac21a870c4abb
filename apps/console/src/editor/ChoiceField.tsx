import type { NativeSelectProps } from "@mantine/core"
import { Select } from "../components/Filters.tsx"
import type { DraftFields } from "./Fields.ts"

/** A selection of the choices that the rules allow at a path. The choice that is the default is omitted. */
export const ChoiceField = <C extends string>({
  draft: { at, put, rules, errorOf },
  path,
  names,
  isListed = () => true,
  onChange = (choice) => put({ [path]: choice === rules(path).default ? undefined : choice }),
  ...props
}: Omit<NativeSelectProps, "data" | "value" | "onChange" | "error"> & {
  readonly draft: DraftFields
  readonly path: string
  /** What people read of a choice. */
  readonly names: (choice: C) => string
  /** Whether a choice makes sense here. */
  readonly isListed?: (choice: C) => boolean
  /** Absent: puts the choice at the path. */
  readonly onChange?: (choice: C) => void
}) => {
  const { choices = [], default: omitted } = rules(path)
  return (
    <Select
      {...props}
      onChange={(choice) => onChange(choice as C)}
      value={(at(path) ?? omitted ?? "") as string}
      error={errorOf(path, path)}
      data={(choices as ReadonlyArray<C>).filter(isListed).map((value) => ({ value, label: names(value) }))}
    />
  )
}
