import { createFormContext } from "@mantine/form"
import type { FormValues } from "./FormValues.ts"

/** The form of an alert method, for its parts. */
export const [FormProvider, useFormContext, useForm] = createFormContext<FormValues>()

/** Focuses a field that is about to be rendered. */
export const focusLater = (id: string): void => {
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(id)?.focus()))
}
