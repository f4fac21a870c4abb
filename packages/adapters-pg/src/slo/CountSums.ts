import type * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type { CountRead, CountSumsRead } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { forEachOrganization } from "../database/ForEachOrganization.ts"
import { readObjectiveSums } from "./ObjectiveSums.ts"
import { readSloSums } from "./SloSums.ts"

/** Sums the ranges of each organization with statements of its own. The counts of each SLO are of one snapshot. */
export const readSums = (sql: SqlClient.SqlClient, reads: ReadonlyArray<CountRead>) =>
  Effect.map(
    forEachOrganization(
      reads.map((read, index) => ({ ...read, index })),
      (organization, some) => readSumsOf(sql, organization, some),
    ),
    (found) => found.toSorted(([a], [b]) => a - b).map(([, sums]) => sums),
  )

type IndexedRead = CountRead & { readonly index: number }

/**
 * An SLO has rows of its own, or of its objectives: the statement for those finds none of the others. An SLO that is deleted and created
 * again between the two may be found by neither, and is read again.
 */
const readSumsOf = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  reads: ReadonlyArray<IndexedRead>,
) =>
  Effect.gen(function* () {
    const found: Array<readonly [index: number, sums: CountSumsRead]> = []
    /** Returns those that were not read. */
    const settle = (
      some: ReadonlyArray<IndexedRead>,
      sums: ReadonlyArray<CountSumsRead | undefined>,
    ): ReadonlyArray<IndexedRead> =>
      some.filter(({ index }, n) => {
        const each = sums[n]
        if (each !== undefined) found.push([index, each])
        return each === undefined
      })
    let left = reads
    while (left.length > 0) {
      left = settle(left, yield* readSloSums(sql, organization, left))
      if (left.length > 0) left = settle(left, yield* readObjectiveSums(sql, organization, left))
    }
    return found
  })
