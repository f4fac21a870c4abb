import { Button, type ButtonProps } from "@mantine/core"
import type { MouseEventHandler } from "react"
import { Plus } from "./Icon.tsx"

/** Adds something to a list of a page or form. */
export const AddButton = (
  props: ButtonProps & { readonly onClick: MouseEventHandler<HTMLButtonElement> },
) => <Button variant="default" size="compact-sm" leftSection={<Plus />} {...props} />
