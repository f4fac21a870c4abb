import type { PageJson } from "@tocsin/api"
import { pageSizeMax } from "@tocsin/domain/pagination"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PageLinksSchema } from "@tocsin/api/openapi"
import { type ApiClient, type ApiFailure, readResponse } from "./ApiClient.ts"

/** Reads a list page by page: all of it, or its first `maximum`. */
export const readPages = <A>(
  client: ApiClient,
  path: string,
  item: Schema.Codec<unknown, A>,
  { maximum = Infinity, headers = {} }: { maximum?: number; headers?: Readonly<Record<string, string>> } = {},
): Effect.Effect<ReadonlyArray<A>, ApiFailure> =>
  Effect.gen(function* () {
    const page = Schema.Struct({ data: Schema.Array(item), links: PageLinksSchema })
    const items: Array<A> = []
    let next: string | undefined = path
    while (next !== undefined && items.length < maximum) {
      const response: string = yield* client.call({ method: "GET", path: next, headers })
      const { data, links } = yield* readResponse(page, response)
      items.push(...data)
      next = links.next === undefined ? undefined : pathOf(links.next)
    }
    return items.slice(0, maximum)
  })

/** Reads a list page by page: all of it, or its first `maximum`. */
export const readAll = <A, E>(
  list: (page: { readonly cursor?: string; readonly limit?: number }) => Effect.Effect<PageJson<A>, E>,
  maximum = Infinity,
): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let page: { readonly cursor?: string } | undefined = {}
    const limit = maximum === Infinity ? {} : { limit: Math.min(maximum, pageSizeMax) }
    while (page !== undefined && items.length < maximum) {
      const { data, links }: PageJson<A> = yield* list({ ...page, ...limit })
      items.push(...data)
      page = links.next === undefined ? undefined : { cursor: cursorOf(links.next) }
    }
    return items.slice(0, maximum)
  })

const cursorOf = (link: string): string => new URL(link, "http://localhost").searchParams.get("cursor") ?? ""

/** Links of the contract's lists are absolute. */
const pathOf = (link: string): string => {
  const { pathname, search } = new URL(link, "http://localhost")
  return `${pathname}${search}`
}
