import { currentSession } from "../api/Client.ts"

const lastByPath = new Map<string, string>()

/** Remembers the filters of the current page for the breadcrumbs that lead back to it. */
export const recordVisit = (): void => {
  lastByPath.set(location.pathname, location.pathname + location.search)
}

/** The address of a page as it was last seen, with its filters. An address with a query is that itself. */
export const lastVisit = (href: string): string => lastByPath.get(href) ?? href

/** A page of one object that was opened. */
export interface RecentPage {
  readonly href: string
  readonly text: string
}

/** The pages that are kept. */
const recentMax = 8

const storageKey = (): string => `tocsin.recent.${currentSession.organization ?? ""}`

/** The pages of objects that were opened last in this organization, the latest first. */
export const recentPages = (): ReadonlyArray<RecentPage> => {
  try {
    return JSON.parse(localStorage.getItem(storageKey()) ?? "[]") as ReadonlyArray<RecentPage>
  } catch {
    return []
  }
}

/** Remembers the page of an object: one below a list, but no form. */
export const recordRecent = (text: string): void => {
  const href = location.pathname
  if (!/^\/[^/]+\/.+/.test(href) || /\/(new|edit)$/.test(href)) return
  const kept = recentPages().filter((each) => each.href !== href)
  localStorage.setItem(storageKey(), JSON.stringify([{ href, text }, ...kept].slice(0, recentMax)))
}

/** Removes what a user who signs out has opened. */
export const forgetRecent = (): void => localStorage.removeItem(storageKey())

let rows: ReadonlyArray<string> = []

/** The links of the rows of the current page, in their order. */
export const rowLinks = (): ReadonlyArray<HTMLAnchorElement> => [
  ...document.querySelectorAll<HTMLAnchorElement>("main a[data-row]"),
]

/** Remembers the rows of a list when one of them is opened. */
export const recordRows = (): void => {
  rows = rowLinks().map(({ pathname }) => pathname)
}

/** The page `step` rows after the current one in the list that it was opened from. */
export const rowBeside = (step: number): string | undefined => {
  const at = rows.indexOf(location.pathname)
  return at < 0 ? undefined : rows[at + step]
}
