import { isStatusPageSlug } from "@tocsin/domain/definitions"
import {
  findStatusPage,
  type PublishedPage,
  readStatusPage,
  StatusPageNotFound,
  type StatusPageOwner,
} from "@tocsin/domain/features/status-page"
import { DefinitionStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import {
  type ConcurrencyLimitIsExceeded,
  inTurn,
  makeTurns,
  type TurnLimits,
} from "@tocsin/domain/rate-limit"

/** A page is read, and an unknown slug looked up, at most once in this time by each process. */
export const statusPageCacheSeconds = 60

/** Most components of the pages that a process keeps, of one organization and of all; each page counts as one more. */
const keptComponentsPerOrganizationMax = 2_000
const keptComponentsMax = 10_000

/** Most unknown slugs that a process keeps. They are kept apart, as anyone can ask for any number of them. */
const keptUnknownSlugsMax = 100

/** Longest time that a request waits for a page of which there is an older one, in milliseconds. */
const readingMsMax = 1_000

export const statusPageTurns: TurnLimits = {
  perOrganization: 1,
  total: 2,
  waitingPerOrganization: 64,
  waiting: 256,
}

/** Shared by all servers of a process, since its processor is. */
export const StatusPageTurns = Context.Reference(
  "@tocsin/adapters-http/internal/status-pages/StatusPageTurns",
  {
    defaultValue: () => makeTurns(statusPageTurns),
  },
)

type ReadingFailure =
  | Effect.Error<ReturnType<typeof findStatusPage> | ReturnType<typeof readStatusPage>>
  | ConcurrencyLimitIsExceeded

interface KeptPage {
  readonly page: PublishedPage
  readonly owner: StatusPageOwner
  /** Unix milliseconds. */
  readonly readAt: number
}

/**
 * The public status pages that a process has read last (spec/status-pages §3). Requests at the same time share one reading. While
 * a reading waits for its turn, or takes long, the page from before is served.
 */
const makeStatusPages = () => {
  /** By slug; the one used last is last. */
  const pages = new Map<string, KeptPage>()
  /** When slugs without a page were looked up, oldest first. */
  const unknown = new Map<string, number>()
  const readings = new Map<string, Deferred.Deferred<PublishedPage, ReadingFailure>>()

  const keep = (slug: string, kept: KeptPage): void => {
    pages.delete(slug)
    pages.set(slug, kept)
    const { organization } = kept.owner
    drop(keptComponentsPerOrganizationMax, ({ owner }) => owner.organization === organization)
    drop(keptComponentsMax, () => true)
  }

  const drop = (max: number, isOne: (kept: KeptPage) => boolean): void => {
    const some = [...pages].filter(([, kept]) => isOne(kept))
    let size = some.reduce((sum, [, { page }]) => sum + sizeOf(page), 0)
    for (const [slug, { page }] of some) {
      if (size <= max) return
      pages.delete(slug)
      size -= sizeOf(page)
    }
  }

  const keepUnknown = (slug: string, now: number): void => {
    pages.delete(slug)
    unknown.delete(slug)
    unknown.set(slug, now)
    const [oldest] = unknown.keys()
    if (unknown.size > keptUnknownSlugsMax && oldest !== undefined) unknown.delete(oldest)
  }

  const read = Effect.fnUntraced(function* (slug: string) {
    const owner = yield* findStatusPage(slug)
    const before = pages.get(slug)?.owner
    if (before?.organization !== owner.organization || before.project !== owner.project) pages.delete(slug)
    const turns = yield* StatusPageTurns
    return { owner, page: yield* readStatusPage(slug, owner).pipe(inTurn(turns, owner.organization)) }
  })

  /** Goes on when the request that started it is interrupted, as others wait for it. */
  const start = (slug: string) => {
    const result: Deferred.Deferred<PublishedPage, ReadingFailure> = Deferred.makeUnsafe()
    readings.set(slug, result)
    const reading = Effect.gen(function* () {
      const { owner, page } = yield* Effect.tapErrorTag(read(slug), "StatusPageNotFound", () =>
        Effect.map(Clock.currentTimeMillis, (now) => keepUnknown(slug, now)),
      )
      keep(slug, { page, owner, readAt: yield* Clock.currentTimeMillis })
      return page
    }).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          readings.delete(slug)
          Deferred.doneUnsafe(result, exit)
        }),
      ),
    )
    return Effect.as(Effect.forkDetach(reading), result)
  }

  return Effect.fnUntraced(function* (slug: string) {
    if (!isStatusPageSlug(slug)) return yield* new StatusPageNotFound({ slug })
    const now = yield* Clock.currentTimeMillis
    const kept = pages.get(slug)
    if (kept !== undefined && isFresh(kept.readAt, now)) {
      pages.delete(slug)
      pages.set(slug, kept)
      return kept.page
    }
    const unknownAt = unknown.get(slug)
    if (unknownAt !== undefined && isFresh(unknownAt, now)) return yield* new StatusPageNotFound({ slug })
    const reading = Deferred.await(readings.get(slug) ?? (yield* start(slug)))
    if (kept === undefined) return yield* reading
    // What was published before may be published no longer.
    const before = Effect.suspend(() => {
      const page = pages.get(slug)?.page
      return page === undefined ? reading : Effect.succeed(page)
    })
    return yield* reading.pipe(
      Effect.timeoutOrElse({ duration: readingMsMax, orElse: () => before }),
      Effect.catchTag("ConcurrencyLimitIsExceeded", () => before),
    )
  })
}

/** After the clock was set back, a page is served no longer than it would have been. */
const isFresh = (at: number, now: number): boolean => Math.abs(now - at) < statusPageCacheSeconds * 1_000

/** A component takes about as much as these characters of posts. */
const charactersPerComponent = 2_500

const sizeOf = ({ components, posted }: PublishedPage): number => {
  const characters = posted.flatMap(({ posts }) => posts).reduce((sum, { text }) => sum + text.length, 0)
  return 1 + components.length + Math.ceil(characters / charactersPerComponent)
}

type StatusPages = ReturnType<typeof makeStatusPages>

/** The pages of each store of a process. */
const pagesByStore = Context.Reference<WeakMap<DefinitionStore["Service"], StatusPages>>(
  "@tocsin/adapters-http/internal/status-pages/StatusPages",
  { defaultValue: () => new WeakMap() },
)

/** The status page of a slug, as `makeStatusPages` keeps it. Fails with `StatusPageNotFound`. */
export const statusPageOf = Effect.fnUntraced(function* (slug: string) {
  const byStore = yield* pagesByStore
  const store = yield* DefinitionStore
  const pages = byStore.get(store) ?? makeStatusPages()
  byStore.set(store, pages)
  return yield* pages(slug)
})
