import { type BulkAction, BulkBar } from "../components/BulkBar.tsx"
import { ListTable, type ListTableProps } from "../components/ListTable.tsx"
import type { ItemName } from "../components/ObjectName.ts"
import { SelectBox } from "../components/SelectBox.tsx"
import { useSelection } from "../components/Selection.ts"
import { t } from "../language/Text.tsx"

/** A list of which several items can be chosen, and what can be done with them at once. */
export const BulkList = <T,>({
  isSelectable = () => true,
  selectLabel,
  nameOf,
  actions,
  isEnabled,
  ...list
}: ListTableProps<T> & {
  readonly isSelectable?: (item: T) => boolean
  /** The accessible name of the box that selects an item; by default, of its key. */
  readonly selectLabel?: (item: T) => string
  readonly nameOf: (item: T) => ItemName
  readonly actions: ReadonlyArray<BulkAction<T>>
  /** Without it, it is a list. */
  readonly isEnabled: boolean
}) => {
  const { items = [], columns, keyOf } = list
  const selection = useSelection(items.filter(isSelectable), keyOf)
  if (!isEnabled) return <ListTable {...list} />
  // With the width of one column, each needs one.
  const width = columns.some((each) => each.width !== undefined) ? { width: 64 } : {}
  const select = {
    name: t("Select"),
    ...width,
    cell: (item: T) => (
      <SelectBox
        selection={selection}
        id={keyOf(item)}
        label={selectLabel?.(item)}
        isDisabled={!isSelectable(item)}
      />
    ),
  }
  return (
    <>
      <ListTable {...list} columns={[select, ...columns]} />
      <BulkBar selection={selection} nameOf={nameOf} actions={actions} />
    </>
  )
}
