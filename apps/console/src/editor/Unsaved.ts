import { useEffect } from "react"

/**
 * What was entered in each form and not saved, until the page is closed, so that a user who navigates away and back finds
 * it. It stays in memory, since it may contain secrets.
 */
export const unsavedForms = new Map<string, unknown>()

/** Asks for confirmation before a page with unsaved values is closed. */
export const useCloseConfirmation = (): void => {
  useEffect(() => {
    const confirm = (event: BeforeUnloadEvent): void => {
      if (unsavedForms.size > 0) event.preventDefault()
    }
    addEventListener("beforeunload", confirm)
    return () => removeEventListener("beforeunload", confirm)
  }, [])
}
