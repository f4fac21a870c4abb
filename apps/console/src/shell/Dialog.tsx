import { type ReactNode, useEffect, useId, useRef } from "react"
import css from "./Dialog.module.css"

/** A dialog over the page, with what it can be answered with; without `onClose` it has to be. */
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
    // What has the focus before is given it back by the browser.
    shown?.showModal()
    // The browser would give it to the first field, and React gave it while the dialog was closed.
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
