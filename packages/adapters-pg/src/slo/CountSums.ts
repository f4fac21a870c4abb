import type * as SqlClient from "effect/sql/SqlClient"
import type { CountRead } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { readObjectiveSums } from "./ObjectiveSums.ts"
import { readUntilFound } from "./ReadUntilFound.ts"
import { readSloSums } from "./SloSums.ts"

/** Sums the ranges of SLOs. The counts of each are of one snapshot. */
export const readSums = (sql: SqlClient.SqlClient, reads: ReadonlyArray<CountRead>) =>
  readUntilFound(
    reads,
    Effect.fnUntraced(function* (organization, some) {
      const ofSlos = yield* readSloSums(sql, organization, some)
      const others = some.filter((_, place) => ofSlos[place] === undefined)
      if (others.length === 0) return ofSlos
      const ofObjectives = yield* readObjectiveSums(sql, organization, others)
      const found = new Map(others.map((read, place) => [read, ofObjectives[place]]))
      return some.map((read, place) => ofSlos[place] ?? found.get(read))
    }),
  )
