import { Radio, Stack } from "@mantine/core"
import type { MergeConflict } from "@tocsin/domain/forms"
import { writeYamlDocument } from "@tocsin/formats/yaml"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import type { Choices } from "./Merging.ts"

/** The ID of the card of conflicts. */
export const conflictsId = "conflicts"

/** What someone else has changed since a form was opened, so that it cannot be saved as it is. */
export interface Conflict {
  /** The values that both have changed; none if the definition was deleted. */
  readonly values: ReadonlyArray<MergeConflict>
  readonly choices: Choices
  readonly choose: (path: string, side: "mine" | "theirs") => void
}

/** Shows the values that someone else has changed, too, and which of them to save. */
export const Conflicts = ({ conflict }: { readonly conflict: Conflict | undefined }) => {
  if (conflict === undefined) return null
  const { values, choices, choose } = conflict
  return (
    <div id={conflictsId} tabIndex={-1}>
      {values.length === 0 ? (
        <Notice kind="warn" role="alert">
          {t("Someone else has deleted this definition since you opened it. Save to create it again.")}
        </Notice>
      ) : (
        <Card title={t("Conflicting changes")}>
          <Notice kind="warn" role="alert">
            {t(
              "Someone else has changed the same values since you opened this definition. Nothing is saved yet. Choose the values to save.",
            )}
          </Notice>
          {values.map(({ path, base, mine, theirs }) => (
            <Radio.Group
              key={path}
              label={path}
              description={t("Before: {value}", { value: valueText(base) })}
              value={choices[path] ?? ""}
              onChange={(side) => choose(path, side === "mine" ? "mine" : "theirs")}
            >
              <Stack gap="xs" mt="xs">
                <Radio value="mine" label={t("Your value: {value}", { value: valueText(mine) })} />
                <Radio value="theirs" label={t("Stored value: {value}", { value: valueText(theirs) })} />
              </Stack>
            </Radio.Group>
          ))}
        </Card>
      )}
    </div>
  )
}

const valueText = (value: unknown): string => {
  if (value === undefined) return t("not set")
  return typeof value === "object" && value !== null
    ? writeYamlDocument({ value }).slice("value:".length).trim()
    : String(value)
}
