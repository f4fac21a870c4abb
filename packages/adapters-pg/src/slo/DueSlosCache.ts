import { organizationKeyText } from "@tocsin/domain/metadata/ObjectKey"
import { textToRevision, type DueSlo, type ComputedStatus } from "@tocsin/domain/status/SloStore"
import { LRUCache } from "lru-cache"

/** What an SLO is computed from beside its counts. */
type Definitions = Pick<DueSlo, "slo" | "policies" | "silences">

/**
 * What was read of SLOs, for as long as none of it can have changed: every change of a definition changes the basis of
 * the revision, and so does a status that is written, which is our own.
 *
 * Source: decision 0523.
 */
export interface DueSlosCache {
  readonly find: (row: Key & { readonly revision: string }) => Definitions | undefined
  /** Remembers what was read, after the revision. */
  readonly add: (due: DueSlo) => void
  /** The status has been written; with `basis` as it is then. */
  readonly written: (status: ComputedStatus, basis: string) => void
}

interface Key {
  readonly organization: string
  readonly project: string
  readonly name: string
}

/** Keeps the `slosMax` SLOs used last. */
export const makeDueSlosCache = (): DueSlosCache => {
  const known = new LRUCache<string, Definitions & { readonly basis: string }>({ max: slosMax })
  return {
    find: (row) => {
      const found = known.get(organizationKeyText(row.organization, row))
      return found?.basis === textToRevision(row.revision).basis ? found : undefined
    },
    add: ({ organization, slo, policies, silences, revision }) => {
      const { basis } = textToRevision(revision)
      known.set(organizationKeyText(organization, slo.definition.metadata), {
        slo,
        policies,
        silences,
        basis,
      })
    },
    written: ({ organization, slo, revision }, basis) => {
      const key = organizationKeyText(organization, slo)
      const found = known.get(key)
      // What was read at another one may be older than what the status was computed from.
      if (found?.basis === textToRevision(revision).basis) known.set(key, { ...found, basis })
    },
  }
}

/** Each takes some 3 KB. */
const slosMax = 20_000
