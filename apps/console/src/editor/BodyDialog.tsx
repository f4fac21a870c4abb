import type { ComponentProps, ReactNode } from "react"
import { ActionDialog } from "../components/Dialog.tsx"
import { type BodyOptions, useBody } from "./Body.ts"
import type { DraftFields } from "./Fields.ts"
import { OtherIssues } from "./OtherIssues.tsx"

/** A dialog that edits the body of a request and sends it. */
export const BodyDialog = <B extends object, T>({
  rules,
  initial,
  send,
  onDone,
  error,
  isIncomplete,
  children,
  ...dialog
}: BodyOptions<B, T> &
  Omit<ComponentProps<typeof ActionDialog>, "isBusy" | "isDisabled" | "error" | "onSubmit" | "children"> & {
    /** Why something else in the dialog failed. */
    readonly error?: unknown
    /** Whether it cannot be sent yet. */
    readonly isIncomplete?: (body: B) => boolean
    readonly children: (draft: DraftFields, body: B) => ReactNode
  }) => {
  const { draft, body, isPending, ...sending } = useBody({ rules, initial, send, onDone })
  return (
    <ActionDialog
      {...dialog}
      isBusy={isPending}
      isDisabled={isIncomplete?.(body) ?? false}
      error={sending.error ?? error ?? null}
      onSubmit={sending.send}
    >
      {children(draft, body)}
      <OtherIssues draft={draft} />
    </ActionDialog>
  )
}
