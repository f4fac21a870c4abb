import { Checkbox } from "@mantine/core"
import { t } from "../language/Text.tsx"
import type { KeySelection } from "./Selection.ts"

/** Chooses an item of a list whose rows are links; with Shift all items from the last one to this. */
export const SelectBox = ({
  selection,
  id,
  label = t("Select {name}", { name: id }),
  isDisabled = false,
}: {
  readonly selection: KeySelection
  readonly id: string
  readonly label?: string | undefined
  readonly isDisabled?: boolean
}) => (
  // The whole row is the target of its link.
  <div style={{ position: "relative", zIndex: 1, width: "max-content" }}>
    <Checkbox
      aria-label={label}
      disabled={isDisabled}
      checked={selection.has(id)}
      onChange={({ nativeEvent }) =>
        selection.toggle(id, "shiftKey" in nativeEvent && nativeEvent.shiftKey === true)
      }
    />
  </div>
)
