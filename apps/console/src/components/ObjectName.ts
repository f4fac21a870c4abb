import { t } from "../language/Text.tsx"

/** What a person calls an object. */
export const shownName = ({
  displayName,
  name,
}: {
  readonly displayName?: string | undefined
  readonly name: string
}): string => displayName || name

/** The name of an item, and what distinguishes it from others of that name. */
export interface ItemName {
  readonly name: string
  readonly detail?: string | undefined
}

/** The display name of an object and its key; its key alone if it does not have its own display name. */
export const objectName = (
  { project = "", name }: { readonly project?: string; readonly name: string },
  displayName = "",
): ItemName => {
  const key = project === "" ? name : `${project}/${name}`
  return displayName === "" || displayName === name ? { name: key } : { name: displayName, detail: key }
}

/** The same in one text: a display name with the key in parentheses. */
export const objectText = (
  key: { readonly project?: string; readonly name: string },
  displayName: string | undefined,
): string => {
  const { name, detail } = objectName(key, displayName)
  return detail === undefined ? name : t("{name} ({key})", { name, key: detail })
}
