import { TextInput, type TextInputProps } from "@mantine/core"
import { useId } from "react"

/** Something to choose from, which can be found by its label too. */
interface Suggestion {
  readonly value: string
  readonly label?: string | undefined
}

/** An input of a name or of another text that is no prose, with suggestions. */
export const NameInput = ({
  suggestions,
  ...props
}: TextInputProps & { readonly suggestions?: ReadonlyArray<Suggestion> | undefined }) => {
  const listId = useId()
  return (
    <>
      <TextInput autoCapitalize="none" spellCheck={false} list={suggestions && listId} {...props} />
      {suggestions !== undefined && (
        <datalist id={listId}>
          {suggestions.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </datalist>
      )}
    </>
  )
}
