import { Button } from "@mantine/core"
import { useId, useRef, useState } from "react"
import css from "./MenuButton.module.css"

/** A button that shows several actions below it. */
export const MenuButton = ({
  label,
  isBusy = false,
  actions,
}: {
  readonly label: string
  readonly isBusy?: boolean
  readonly actions: ReadonlyArray<{ readonly label: string; readonly run: () => void }>
}) => {
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const listId = useId()
  const close = (): void => {
    setIsOpen(false)
    // What had the focus is removed.
    button.current?.focus()
  }
  return (
    <div
      className={css.menu}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setIsOpen(false)
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return
        event.stopPropagation()
        close()
      }}
    >
      <Button
        ref={button}
        variant="default"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        loading={isBusy}
        onClick={() => setIsOpen(!isOpen)}
      >
        {label}
      </Button>
      {isOpen && (
        <div id={listId} role="group" aria-label={label} className={css.actions}>
          {actions.map((action) => (
            <button
              key={action.label}
              type="button"
              // Safari does not focus a button that is clicked, so the menu would close before.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => {
                close()
                action.run()
              }}
            >
              {action.label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
