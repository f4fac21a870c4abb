import type { Draft } from "./Draft.ts"

/**
 * What was typed and not saved, by the form it stands in, as long as the page is open: whoever leaves a form and comes
 * back finds it as it was. It is in memory alone, since it may hold secrets.
 */
const drafts = new Map<string, { readonly draft: Draft; readonly touched: ReadonlySet<string> }>()

/** What was left in a form. */
export const keptDraft = (key: string) => drafts.get(key)

/** Keeps what stands in a form. */
export const keepDraft = (key: string, draft: Draft, touched: ReadonlySet<string>): void => {
  drafts.set(key, { draft, touched })
}

/** Forgets a form, when it was saved or given up. */
export const dropDraft = (key: string): void => {
  drafts.delete(key)
}

/** Whether anything would be lost with the page. */
export const hasDrafts = (): boolean => drafts.size > 0
