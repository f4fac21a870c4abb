import { ActionIcon, Fieldset, Group, Input } from "@mantine/core"
import { Select } from "../components/Filters.tsx"
import { Cross } from "../components/Icon.tsx"
import { t } from "../language/Text.tsx"
import type { Typing } from "./Fields.ts"
import css from "./NameList.module.css"

/** A list of names, each `project/name`, of which others can be chosen. */
export const NameList = ({
  id,
  legend,
  description,
  names,
  choices,
  addLabel,
  error,
  onChange,
}: {
  readonly id: string
  readonly legend: string
  readonly description?: string
  readonly names: ReadonlyArray<string>
  readonly choices: ReadonlyArray<string>
  readonly addLabel: string
  readonly error: string | undefined
  readonly onChange: (names: ReadonlyArray<string>) => void
}) => (
  <Fieldset variant="unstyled" legend={legend} id={id} tabIndex={-1}>
    {description !== undefined && <p className="dim small">{description}</p>}
    {names.length > 0 && (
      <ul className={css.names} aria-label={legend}>
        {names.map((name) => (
          <li key={name}>
            <span>{name}</span>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t("Remove {name}", { name })}
              onClick={() => onChange(names.filter((each) => each !== name))}
            >
              <Cross />
            </ActionIcon>
          </li>
        ))}
      </ul>
    )}
    <Group mt="xs">
      <Select
        aria-label={addLabel}
        all={addLabel}
        value=""
        onChange={(name) => name !== "" && onChange([...names, name])}
        data={choices
          .filter((name) => !names.includes(name))
          .toSorted()
          .map((name) => ({ value: name, label: name }))}
      />
    </Group>
    {error !== undefined && <Input.Error mt="xs">{error}</Input.Error>}
  </Fieldset>
)

/** `project/name` of a key; a project is optional in definitions, where it defaults to the definition's project. */
export const keyText = (
  { project, name }: { readonly project?: string; readonly name: string },
  defaultProject: string,
): string => `${project ?? defaultProject}/${name}`

/** A key of `project/name`, or of a name alone, without a project. */
export const keyOf = (text: string): { readonly project: string; readonly name: string } => {
  const at = text.indexOf("/")
  return { project: text.slice(0, Math.max(0, at)), name: text.slice(at + 1) }
}

type Key = Parameters<typeof keyText>[0]

/** A list of keys as names; a key whose name stays is written as it was. */
export const keyNames = (stored: unknown, defaultProject: string): Typing<ReadonlyArray<string>> => {
  const keys = (stored ?? []) as ReadonlyArray<Key>
  return {
    format: (list) => ((list ?? []) as ReadonlyArray<Key>).map((key) => keyText(key, defaultProject)),
    parse: (names) =>
      names.map((name) => keys.find((key) => keyText(key, defaultProject) === name) ?? keyOf(name)),
  }
}
