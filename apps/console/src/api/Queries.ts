import { keepPreviousData, QueryClient, useInfiniteQuery } from "@tanstack/react-query"
import createQueries from "openapi-react-query"
import { apiErrorOf, client } from "./Client.ts"

/** Queries and mutations of the API; a query's key is its method, path and parameters. */
export const api = createQueries(client)

/** How often a visible page refreshes data that changes without the user. */
export const pollMs = 3_000

/** The shortest wait before a request is retried after a transient error. */
const retryMs = 5_000

/** How long what a page reads first may have been requested before the page is there. */
export const firstReadMs = 2_000

/** What the refetch interval depends on. */
interface Polled {
  readonly state: { readonly error: unknown; readonly data: unknown }
}

/**
 * The refetch interval of a query: `intervalMs`, or later after a transient error. Without `intervalMs` the query is
 * only retried. A list of several pages is refetched that many times less often, since all its pages are.
 */
export const poll =
  (intervalMs?: number) =>
  ({ state: { error, data } }: Polled): number | false => {
    if (error !== null) {
      const { isTransient, retryAfterSeconds = 0 } = apiErrorOf(error)
      if (isTransient) return Math.max(retryMs, retryAfterSeconds * 1000)
    }
    if (intervalMs === undefined) return false
    const { pages } = (data ?? {}) as { readonly pages?: ReadonlyArray<unknown> }
    return intervalMs * (pages?.length ?? 1)
  }

/** The cache of everything that was read. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // A server on the same machine responds without a network.
    queries: {
      networkMode: "always",
      retry: false,
      refetchInterval: poll(),
      // A list stays, marked as busy, until the list of another filter is loaded.
      placeholderData: keepPreviousData,
    },
    mutations: { networkMode: "always" },
  },
})

/** A page of a list. */
export interface ApiPage<T> {
  readonly data: ReadonlyArray<T>
  readonly links: { readonly next?: string }
}

/** The cursor of the next page; absent on the last page. */
export const nextCursor = ({ links: { next } }: ApiPage<unknown>): string | undefined =>
  next === undefined
    ? undefined
    : (new URLSearchParams(next.slice(next.indexOf("?"))).get("cursor") ?? undefined)

/** A list that is read page by page, and again every `intervalMs` if it is given. */
export const usePages = <T>(
  queryKey: ReadonlyArray<unknown>,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<ApiPage<T>>,
  intervalMs?: number,
) => {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
    refetchInterval: poll(intervalMs),
  })
  return { query, items: query.data?.pages.flatMap(({ data }) => data) }
}
