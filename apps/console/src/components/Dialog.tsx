import { type ReactNode, useEffect, useId, useRef } from "react"
import css from "./Dialog.module.css"

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
      <h2 id={titleId}>{title}</h2>
      {children}
      <div className={css.buttons}>{buttons}</div>
    </dialog>
  )
}
