import { ApiError } from "./Client.ts"

/** An invalid definition is a result of a check, not an error. */
export const issuesOr = <T>(response: Promise<T>) =>
  response.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) return { errors: error.errors }
    throw error
  })

/** The sentence of a rule that is a fragment without its path: `must not be empty`. */
export const ruleText = (rule: string): string => {
  const text = rule.charAt(0).toUpperCase() + rule.slice(1)
  return /[.!?/]$/.test(text) ? text : `${text}.`
}
