import { Checkbox, Input, TextInput } from "@mantine/core"
import { useMemo, useState } from "react"
import { t } from "../language/Text.tsx"
import css from "./Facet.module.css"
import { countText } from "./NumberFormat.ts"

interface FacetProps {
  readonly label: string
  readonly selected: ReadonlyArray<string>
  readonly onChange: (selected: ReadonlyArray<string>) => void
  /** How many items have each value, if that is shown; called when the facet is open. */
  readonly choices: () => ReadonlyMap<string, number | undefined>
  readonly nameOf?: (value: string) => string
}

/** A filter by several values at once, which can be searched. */
export const Facet = ({
  all,
  ...props
}: FacetProps & {
  /** The text without a selection. */
  readonly all: string
}) => {
  const { label, selected, nameOf = String } = props
  const [isOpen, setIsOpen] = useState(false)
  const [first] = selected
  const text =
    first === undefined
      ? all
      : selected.length === 1
        ? nameOf(first)
        : t("{count} selected", { count: selected.length })
  return (
    <Input.Wrapper label={label} labelElement="div">
      <details
        className={css.facet}
        open={isOpen}
        onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) setIsOpen(false)
        }}
        onKeyDown={({ key, currentTarget }) => {
          if (key !== "Escape") return
          setIsOpen(false)
          currentTarget.querySelector("summary")?.focus()
        }}
      >
        <summary aria-label={`${label}: ${text}`}>
          <bdi>{text}</bdi>
        </summary>
        {isOpen && <Choices {...props} />}
      </details>
    </Input.Wrapper>
  )
}

const countOf = (count: number | undefined): string => (count === undefined ? "" : countText(count))

/** More values than a person reads through: the search finds the rest. */
const choicesMax = 100

const Choices = ({ label, selected, onChange, choices, nameOf = String }: FacetProps) => {
  const [search, setSearch] = useState("")
  const counts = useMemo(() => {
    // No item may have what the address selects.
    const all: ReadonlyArray<readonly [string, number | undefined]> = [
      ...selected.map((value) => [value, 0] as const),
      ...choices(),
    ]
    return new Map(
      all.toSorted(([a], [b]) => nameOf(a).localeCompare(nameOf(b), undefined, { numeric: true })),
    )
  }, [choices])
  const wanted = search.trim().toLowerCase()
  const found = [...counts.keys()].filter((value) => nameOf(value).toLowerCase().includes(wanted))
  return (
    // It takes the focus, as a click on a name would otherwise leave the facet.
    <div className={css.choices} role="group" aria-label={label} tabIndex={-1}>
      <TextInput
        aria-label={t("Search")}
        placeholder={t("Search")}
        value={search}
        autoFocus
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {found.slice(0, choicesMax).map((value) => (
        <Checkbox
          key={value}
          label={
            <>
              <bdi>{nameOf(value)}</bdi> <span className="dim">{countOf(counts.get(value))}</span>
            </>
          }
          checked={selected.includes(value)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.checked ? [...selected, value] : selected.filter((each) => each !== value))
          }
        />
      ))}
      {found.length === 0 && <p className="dim small">{t("No matches")}</p>}
      {found.length > choicesMax && (
        <p className="dim small">
          {t("{count, plural, one {# more. Search for it.} other {# more. Search for them.}}", {
            count: found.length - choicesMax,
          })}
        </p>
      )}
    </div>
  )
}
