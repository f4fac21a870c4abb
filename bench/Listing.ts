import type { PgConnection } from "@tocsin/adapters-pg/admin"
import type { ProjectKey } from "@tocsin/domain/kernel"
import { pageSizeMax } from "@tocsin/domain/pagination"
import { SloStore } from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { benchDatabase } from "./BenchDatabase.ts"
import { compare, type Comparison, type Contender, median } from "./Compare.ts"
import { makeDatabase, organization, sloStores, slosAtFirst } from "./ListingDatabase.ts"
import { amount, isShort, roundsOf } from "./Length.ts"

/**
 * Reading SLOs from a durable PostgreSQL, of an organization with 1,000, with 100,000 and with 1,000,000 of them, each
 * in a database of its own: the first page of 500, one in the middle, the last one, and one SLO.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const scope = Scope.makeUnsafe()
  const runtimes: Array<ManagedRuntime.ManagedRuntime<Stores, never>> = []
  try {
    const connection = await Effect.runPromise(Scope.provide(benchDatabase, scope))
    const connections: Array<PgConnection> = []
    for (const size of sizes) connections.push(await makeDatabase(connection, "listing", size))
    const filled = await Promise.all(
      sizes.map(async (size, index): Promise<Filled> => {
        const runtime = ManagedRuntime.make(sloStores(connections[index] ?? connection))
        runtimes.push(runtime)
        const runEffect: RunEffect = (effect) => runtime.runPromise(Effect.withTracerEnabled(effect, false))
        return { size, runEffect, keys: await runEffect(cursorsOf(size)) }
      }),
    )
    const comparisons: Array<Comparison> = []
    for (const [title, read] of reads) {
      comparisons.push(
        await compare(
          title,
          filled.map((each) => contender(each, read(each))),
          { time: "wall", ...roundsOf(15, 3), bounds },
        ),
      )
    }
    return comparisons
  } finally {
    for (const runtime of runtimes) await runtime.dispose()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

type Stores = Layer.Success<ReturnType<typeof sloStores>>

type RunEffect = <A, E>(effect: Effect.Effect<A, E, Stores>) => Promise<A>

interface Filled {
  readonly size: number
  readonly runEffect: RunEffect
  /** The SLOs behind which the page in the middle and the last page begin. */
  readonly keys: { readonly middle: ProjectKey; readonly end: ProjectKey }
}

const sizes = [slosAtFirst, ...(isShort ? [2 * slosAtFirst] : [100_000, 1_000_000])]
const nameOf = (size: number) => `of ${size.toLocaleString("en")}`
/** Each against every smaller one. */
const bounds = sizes.flatMap((size, index) =>
  sizes
    .slice(0, index)
    .map((smaller) => ({ name: nameOf(size), against: nameOf(smaller), atLeast: 1 / 1.3 })),
)

const cursorsOf = (size: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keyAt = (offset: number) =>
      Effect.flatMap(
        sql<ProjectKey>`
          SELECT project, name FROM slos WHERE organization = ${organization}
          ORDER BY project, name OFFSET ${offset} LIMIT 1`,
        ([key]) => (key === undefined ? Effect.die(new Error(`no SLO at ${offset}`)) : Effect.succeed(key)),
      )
    return { middle: yield* keyAt(size / 2 - pageSize / 2 - 1), end: yield* keyAt(size - pageSize - 1) }
  })

const pageSize = pageSizeMax

/** Reads a page and checks that it is whole. */
const page = (after: ProjectKey | undefined, hasMore: boolean) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.filterOrElse(
      store.page(organization, { ...(after !== undefined && { after }), limit: pageSize }),
      (read) => read.items.length === pageSize && read.hasMore === hasMore,
      () => Effect.die(new Error("a page is not what it should be")),
    ),
  )

const find = (key: ProjectKey) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.filterOrElse(store.find(organization, key), Option.isSome, () =>
      Effect.die(new Error("an SLO is not found")),
    ),
  )

const reads: ReadonlyArray<
  readonly [title: string, read: (filled: Filled) => Effect.Effect<unknown, unknown, SloStore>]
> = [
  [`The first page of ${pageSize} SLOs on PostgreSQL`, () => page(undefined, true)],
  [`A page of ${pageSize} SLOs on PostgreSQL, in the middle`, ({ keys }) => page(keys.middle, true)],
  [`The last page of ${pageSize} SLOs on PostgreSQL`, ({ keys }) => page(keys.end, false)],
  ["One SLO on PostgreSQL", ({ keys }) => find(keys.middle)],
]

/** The middle of the times of 20 reads one after another. */
const contender = (
  { size, runEffect }: Filled,
  read: Effect.Effect<unknown, unknown, SloStore>,
): Contender => ({
  name: nameOf(size),
  round: async () => {
    const times: Array<number> = []
    for (let count = 0; count < amount(20, 1); count++) {
      const start = performance.now()
      await runEffect(read)
      times.push((performance.now() - start) * 1_000)
    }
    return median(times)
  },
})
