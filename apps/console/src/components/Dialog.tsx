import { Button, Group, Stack } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useEffect, useId, useRef, useState } from "react"
import css from "./Dialog.module.css"
import { ErrorNotice } from "./ErrorNotice.tsx"

/** A modal dialog; without `onClose` only its buttons close it. */
export const Dialog = ({
  title,
  onClose,
  buttons,
  children,
}: {
  readonly title: string
  readonly onClose?: () => void
  readonly buttons: ReactNode
  readonly children: ReactNode
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const shown = dialog.current
    // On close the browser returns the focus.
    shown?.showModal()
    // The browser focuses the first field, and `autoFocus` takes effect before the dialog is open.
    shown?.querySelector<HTMLElement>("[data-autofocus]")?.focus()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={css.dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <Stack>
        <h2 id={titleId}>{title}</h2>
        {children}
        <Group gap={10}>{buttons}</Group>
      </Stack>
    </dialog>
  )
}

/** A button for an action that is carried out after a confirmation. */
export const ConfirmButton = ({
  label,
  title,
  color,
  action,
  children,
}: {
  /** The label of the button and of the one that confirms. */
  readonly label: string
  readonly title: string
  readonly color?: string
  readonly action: () => Promise<unknown>
  /** What the action affects. */
  readonly children: ReactNode
}) => {
  const [isOpen, setIsOpen] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: action,
    onSuccess: () => setIsOpen(false),
  })
  const close = (): void => {
    setIsOpen(false)
    reset()
  }
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <Dialog
          title={title}
          onClose={close}
          buttons={
            <>
              <Button color={color} loading={isPending} onClick={() => mutate()}>
                {label}
              </Button>
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
            </>
          }
        >
          {children}
          <ErrorNotice error={error} />
        </Dialog>
      )}
    </>
  )
}
