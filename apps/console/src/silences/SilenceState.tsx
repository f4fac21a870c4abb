import type { ListedSilence as Listed } from "@tocsin/api"
import { useQuery } from "@tanstack/react-query"
import { bodyOf, client } from "../api/Client.ts"
import { nextCursor, poll, pollMs } from "../api/Queries.ts"
import { DateTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { rich, t } from "../language/Text.tsx"

export type ListedSilence = Listed

interface SilenceQuery {
  readonly project?: string
  readonly name?: string
  readonly slo?: string
}

/** Reads the silences with their state, of all projects by default; of an SLO, those that have not ended. */
export const useSilenceStates = (query: SilenceQuery = {}) =>
  useQuery({
    queryKey: ["silence-states", query],
    queryFn: async ({ signal }) => {
      const found: Array<ListedSilence> = []
      let cursor: string | undefined
      do {
        const page = await bodyOf(
          client.GET("/api/console/silences", { params: { query: { ...query, cursor } }, signal }),
        )
        found.push(...page.data)
        cursor = nextCursor(page)
      } while (cursor !== undefined)
      return found
    },
    refetchInterval: poll(5 * pollMs),
    // The states of another SLO would be wrong.
    placeholderData: undefined,
  })

const badges = { active: "silencing", scheduled: "next", ended: "ended" } as const

/** The state of a silence, and until or from when it is active. */
export const SilenceState = ({ silence }: { readonly silence: ListedSilence }) => (
  <>
    <StatusBadge status={badges[silence.state]} />
    <div className="dim small">
      <StateTime silence={silence} />
    </div>
  </>
)

const StateTime = ({ silence: { state, startTime, endTime } }: { readonly silence: ListedSilence }) => {
  if (state === "scheduled") {
    return startTime === undefined
      ? t("not within a year")
      : rich("from {time}", { time: <DateTime at={startTime} /> })
  }
  if (endTime === undefined) return state === "active" && t("for more than a year")
  return state === "active"
    ? rich("until {time}", { time: <DateTime at={endTime} /> })
    : rich("at {time}", { time: <DateTime at={endTime} /> })
}
