import { createFormContext } from "@mantine/form"
import { useEffect } from "react"
import type { FormValues } from "./FormValues.ts"

/** The form of an alert method, for its parts. */
export const [FormProvider, useFormContext, useForm] = createFormContext<FormValues>()

/** Focuses a field that is about to be rendered. */
export const focusLater = (id: string): void => {
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.focus()))
}

/**
 * The unsaved values of each form until the page is closed, so that a user who navigates away and back finds them.
 * They stay in memory, since they may contain secrets.
 */
export const unsavedForms = new Map<
  string,
  { readonly values: FormValues; readonly touched: Record<string, boolean> }
>()

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
