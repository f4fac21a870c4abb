import type { ClientOf, Operations, PageJson, Resource } from "@tocsin/api"
import { pageSizeMax } from "@tocsin/domain/pagination"
import * as Effect from "effect/Effect"
import { type ApiClient, type ApiFailure, operationsOf } from "./ApiClient.ts"

/** Reads a list page by page: all of it, or its first `maximum`. */
export const readAll = <A, E>(
  list: (page: { readonly cursor?: string; readonly limit?: number }) => Effect.Effect<PageJson<A>, E>,
  maximum = Infinity,
): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let page: ReturnType<typeof nextPageOf> | undefined = {}
    const limit = maximum === Infinity ? {} : { limit: Math.min(maximum, pageSizeMax) }
    while (page !== undefined && items.length < maximum) {
      const { data, links }: PageJson<A> = yield* list({ ...page, ...limit })
      items.push(...data)
      page = links.next === undefined ? undefined : nextPageOf(links.next)
    }
    return items.slice(0, maximum)
  })

/** Reads a list whose next part is in the header `Link`, to the end. */
export const readLinked = <const O extends Operations, A>(
  client: ApiClient,
  resource: Resource<O>,
  list: (
    api: ClientOf<O, ApiFailure>,
    page: ReturnType<typeof nextPageOf>,
  ) => Effect.Effect<ReadonlyArray<A>, ApiFailure>,
): Effect.Effect<ReadonlyArray<A>, ApiFailure> =>
  Effect.gen(function* () {
    let link: string | undefined
    const api = operationsOf(resource, (call) =>
      Effect.map(client.callForPage(call), ({ body, next }) => {
        link = next
        return body
      }),
    )
    const items: Array<A> = []
    for (let page: ReturnType<typeof nextPageOf> | undefined = {}; page !== undefined;) {
      items.push(...(yield* list(api, page)))
      page = link === undefined ? undefined : nextPageOf(link)
    }
    return items
  })

/** What a link to the next page asks for. */
export const nextPageOf = (link: string): { readonly cursor?: string; readonly limit?: number } => {
  const { searchParams } = new URL(link, "http://localhost")
  const [cursor, limit] = [searchParams.get("cursor"), searchParams.get("limit")]
  return { ...(cursor !== null && { cursor }), ...(limit !== null && { limit: Number(limit) }) }
}
