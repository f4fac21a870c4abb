import { Button, type ButtonProps, Group, Stack, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react"
import { rich, t } from "../language/Text.tsx"
import css from "./Dialog.module.css"
import { ErrorNotice } from "./ErrorNotice.tsx"

/** A modal dialog; without `onClose` only its buttons close it. */
export const Dialog = ({
  title,
  onClose,
  isSheet = false,
  isWide = false,
  buttons,
  children,
}: {
  readonly title: string
  readonly onClose?: () => void
  /** At the bottom of the screen, in its whole width. */
  readonly isSheet?: boolean
  readonly isWide?: boolean
  readonly buttons: ReactNode
  readonly children: ReactNode
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [closings, setClosings] = useState(0)
  const titleId = useId()
  // While the dialog is in the page, also after the browser closed it: on close the browser returns the focus.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // The browser focuses the first field, and `autoFocus` takes effect before the dialog is open.
    shown?.querySelector<HTMLElement>("[data-autofocus]")?.focus()
    return () => shown?.close()
  }, [closings])
  return (
    <dialog
      ref={dialog}
      className={[css.dialog, isSheet && css.sheet, isWide && css.wide].filter(Boolean).join(" ")}
      // A click outside its content.
      onClick={({ target, currentTarget }) => {
        if (isSheet && target === currentTarget) onClose?.()
      }}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      // Chromium closes it when Esc is pressed repeatedly, although `cancel` was prevented.
      onClose={({ currentTarget }) => {
        if (currentTarget.open) return
        onClose?.()
        setClosings(closings + 1)
      }}
    >
      <Stack>
        <h2 id={titleId}>{title}</h2>
        {children}
        <Group gap="xs" className={css.buttons}>
          {buttons}
        </Group>
      </Stack>
    </dialog>
  )
}

/** A dialog with a form. Its button, or Enter in a field, starts an action. */
export const ActionDialog = ({
  title,
  submitLabel,
  color,
  isDangerous = color === "red",
  isBusy,
  isDisabled = false,
  error,
  isWide,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string
  readonly submitLabel: string
  /** `red`: the action destroys something. */
  readonly color?: string | undefined
  /** Enter must not start it by chance. */
  readonly isDangerous?: boolean | undefined
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  /** Why the action failed. */
  readonly error: unknown
  readonly isWide?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) => {
  const formId = useId()
  return (
    <Dialog
      title={title}
      isWide={isWide ?? false}
      onClose={onClose}
      buttons={
        <>
          <Button type="submit" form={formId} color={color} loading={isBusy} disabled={isDisabled}>
            {submitLabel}
          </Button>
          <Button variant="default" data-autofocus={isDangerous || undefined} onClick={onClose}>
            {t("Cancel")}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        <Stack>{children}</Stack>
      </form>
      <ErrorNotice error={error} />
    </Dialog>
  )
}

/** A button for an action that is carried out after a confirmation. */
export const ConfirmButton = ({
  label,
  title,
  color,
  isDangerous,
  typed,
  button,
  action,
  children,
}: {
  /** The label of the button and of the one that confirms. */
  readonly label: string
  readonly title: string
  /** `red`: the action destroys something. */
  readonly color?: string
  /** Enter must not confirm it by chance. */
  readonly isDangerous?: boolean
  /** What the user types before the action is possible: the name of what is deleted with its history. */
  readonly typed?: string
  /** How the button that opens the dialog looks. */
  readonly button?: ButtonProps
  readonly action: () => Promise<unknown>
  /** What the action affects, and fields of it. */
  readonly children: ReactNode
}) => {
  const [isOpen, setIsOpen] = useState(false)
  const [text, setText] = useState("")
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: action,
    onSuccess: () => setIsOpen(false),
  })
  const close = (): void => {
    setIsOpen(false)
    setText("")
    reset()
  }
  return (
    <>
      <Button variant="default" {...button} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <ActionDialog
          title={title}
          submitLabel={label}
          color={color}
          isDangerous={isDangerous}
          isBusy={isPending}
          isDisabled={typed !== undefined && text.trim() !== typed}
          error={error}
          onSubmit={mutate}
          onClose={close}
        >
          {children}
          {typed !== undefined && (
            <TextInput
              label={rich("Type <name></name> to confirm", { name: () => <strong>{typed}</strong> })}
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </ActionDialog>
      )}
    </>
  )
}
