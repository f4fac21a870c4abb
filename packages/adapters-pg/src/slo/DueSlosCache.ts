import { organizationKeyText } from "@tocsin/domain/metadata/ObjectKey"
import { textToRevision, type DueSlo, type ComputedStatus } from "@tocsin/domain/status/SloStore"
import { LRUCache } from "lru-cache"

/** What the status of an SLO is computed from, besides its counts. */
type Definitions = Pick<DueSlo, "slo" | "policies" | "silences">

/**
 * A cache of the definitions of SLOs. Every change of a definition changes the basis of the revision, and so does writing
 * a status, which this process does itself.
 */
export interface DueSlosCache {
  readonly find: (row: Key & { readonly revision: string }) => Definitions | undefined
  /** Adds definitions that were read after the revision. */
  readonly add: (due: DueSlo) => void
  /** Notes that the status was written, and the basis since then. */
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
      // Definitions of another basis may be older than those that the status was computed from.
      if (found?.basis === textToRevision(revision).basis) known.set(key, { ...found, basis })
    },
  }
}

/** Each takes about 3 KB. */
const slosMax = 20_000
