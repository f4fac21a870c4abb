import type { OrganizationId } from "../metadata/ObjectKey.ts"

/** Most servers of which a process reads older minutes at once. */
const historyReadsAtOnce = 4

/** Most of them of one organization. */
const historyReadsPerOrganizationAtOnce = 2

/** Longest time after which a server that got no turn asks again, in milliseconds. */
const historyWaitMaxMs = 5_000

/** After how long a server that got no turn asks again, in milliseconds: the less often, the more indicators it has. */
export const historyWaitMs = (indicators: number): number =>
  Math.min(historyWaitMaxMs, 1_000 + 50 * indicators)

/** Turns of servers of organizations to have their older minutes read. Times are in Unix milliseconds. */
export interface HistoryTurns {
  /**
   * Takes a turn unless the server has one, or all are taken, or wanted by servers that have waited for longer; waits for none. Without
   * one, it returns when the server is to ask again: after `waitMs`, or when others of its indicators do, so that those are read together
   * whose part before took longer to store.
   */
  readonly take: (
    organization: OrganizationId,
    server: string,
    now: number,
    waitMs: number,
  ) => number | undefined
  /** Ends a turn. */
  readonly end: (organization: OrganizationId, server: string) => void
}

/** Makes the turns of a process. */
export const makeHistoryTurns = (): HistoryTurns => {
  const taken = new Map<string, OrganizationId>()
  /** The longest waiting is first. */
  const waiting = new Map<string, { readonly organization: OrganizationId; readonly until: number }>()
  /** When servers that got no turn ask again; the longest waiting is first. */
  const asking = new Map<string, number>()
  const askAgain = (key: string, at: number): number => {
    asking.delete(key)
    asking.set(key, at)
    return at
  }
  return {
    take: (organization, server, now, waitMs) => {
      const key = keyOf(organization, server)
      // The clock may have been ahead.
      const isAhead = (at: number): boolean => at > now && at <= now + historyWaitMaxMs
      for (const [each, at] of asking) {
        if (isAhead(at)) break
        asking.delete(each)
      }
      const together = asking.get(key)
      if (together !== undefined && isAhead(together)) return together
      if (taken.has(key)) return askAgain(key, now + waitMs)
      const busy = [...taken.values()]
      const isFree = (of: OrganizationId): boolean =>
        busy.length < historyReadsAtOnce &&
        busy.filter((each) => each === of).length < historyReadsPerOrganizationAtOnce
      for (const [each, { organization, until }] of waiting) {
        if (each === key) break
        // It has nothing to read any more, or another process does.
        if (until < now) waiting.delete(each)
        else if (isFree(organization)) busy.push(organization)
      }
      if (!isFree(organization)) {
        waiting.set(key, { organization, until: now + 2 * waitMs })
        return askAgain(key, now + waitMs)
      }
      waiting.delete(key)
      taken.set(key, organization)
      return undefined
    },
    end: (organization, server) => {
      taken.delete(keyOf(organization, server))
    },
  }
}

const keyOf = (organization: OrganizationId, server: string): string => `${organization} ${server}`
