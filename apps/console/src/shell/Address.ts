import { useSearchParams } from "wouter"

// The router decodes a path in part, so that `%26` stays, and a query twice, so that `%2526` becomes `&`: what may hold
// any character is read from the address itself.

/** The last part of the address's path. */
export const lastOfPath = (): string => {
  const last = location.pathname.slice(location.pathname.lastIndexOf("/") + 1)
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** The address's query, and how another takes its place. */
export const useQuery = (): readonly [URLSearchParams, (next: URLSearchParams) => void] => {
  const [, setSearch] = useSearchParams()
  return [new URLSearchParams(location.search), (next) => setSearch(next, { replace: true })]
}
