import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { forEachOrganization } from "../database/ForEachOrganization.ts"

/**
 * Reads something of SLOs, those of each organization with statements of its own; returns what was found in the order of the reads. An
 * SLO has rows of its own, or of its objectives: one that changes between the statements of an attempt, or is deleted and created again,
 * is found by none of them, and is read again.
 */
export const readUntilFound = <Read extends { readonly organization: OrganizationId }, A, E, R>(
  reads: ReadonlyArray<Read>,
  attempt: (
    organization: OrganizationId,
    some: ReadonlyArray<Read>,
  ) => Effect.Effect<ReadonlyArray<A | undefined>, E, R>,
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.map(
    forEachOrganization(
      reads.map((read, index) => ({ organization: read.organization, read, index })),
      (organization, some) =>
        Effect.gen(function* () {
          const found: Array<readonly [index: number, value: A]> = []
          for (let left = some; left.length > 0;) {
            const values = yield* attempt(
              organization,
              left.map(({ read }) => read),
            )
            left = left.filter(({ index }, place) => {
              const value = values[place]
              if (value !== undefined) found.push([index, value])
              return value === undefined
            })
          }
          return found
        }),
    ),
    (found) => found.toSorted(([a], [b]) => a - b).map(([, value]) => value),
  )
