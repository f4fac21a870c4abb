import { useSearchParams } from "wouter"

// The router decodes a path in part, so that `%26` stays, and a query twice, so that `%2526` becomes `&`. Values that
// may hold any character are read from the address itself.

/** The decoded last segment of the current path. */
export const lastPathSegment = (): string => {
  const last = location.pathname.slice(location.pathname.lastIndexOf("/") + 1)
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** The current query parameters, and a function that replaces some of them; an empty value removes one. */
export const useFilters = (): readonly [
  URLSearchParams,
  (changed: Readonly<Record<string, string>>) => void,
] => {
  const [, setSearch] = useSearchParams()
  const change = (changed: Readonly<Record<string, string>>): void => {
    const all = { ...Object.fromEntries(new URLSearchParams(location.search)), ...changed }
    const kept = Object.entries(all).filter(([, value]) => value !== "")
    setSearch(new URLSearchParams(kept), { replace: true })
  }
  return [new URLSearchParams(location.search), change]
}
