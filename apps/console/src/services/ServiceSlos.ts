import { useQuery } from "@tanstack/react-query"
import { objectiveState } from "@tocsin/domain/internal/status/ObjectiveState"
import { bodyOf, client, type Schemas } from "../api/Client.ts"
import { nextCursor, poll, pollMs } from "../api/Queries.ts"
import type { Status } from "../components/StatusBadge.tsx"

type Slo = Schemas["Slo"]

/** The SLOs of a service in numbers. */
export interface ServiceSlos {
  readonly count: number
  /** The worst state of its SLOs. */
  readonly worst: Status
  readonly breached: number
  readonly atRisk: number
}

const worstFirst: ReadonlyArray<Status> = ["breached", "atRisk", "noData", "healthy"]

/** Most pages of SLOs that are read to count those of each service. */
const pagesMax = 10

/** The SLOs of each service by `project/name`, of the first 5,000 SLOs. */
export const useServiceSlos = () =>
  useQuery({
    queryKey: ["service-slos"],
    queryFn: async ({ signal }) => {
      const counts = new Map<string, ServiceSlos>()
      let cursor: string | undefined
      for (let pages = 0; pages < pagesMax; pages++) {
        const page = await bodyOf(
          client.GET("/api/v2/slos", { params: { query: { limit: 500, cursor } }, signal }),
        )
        for (const slo of page.data) {
          const key = `${slo.project.name}/${slo.service.name}`
          counts.set(key, withSlo(counts.get(key), stateOf(slo)))
        }
        cursor = nextCursor(page)
        if (cursor === undefined) break
      }
      return { counts, isPartial: cursor !== undefined }
    },
    staleTime: 30_000,
    refetchInterval: poll(20 * pollMs),
  })

const stateOf = (slo: Slo): Status => {
  const states = slo.objectives.map(objectiveState)
  return worstFirst.find((state) => states.includes(state as never)) ?? "noData"
}

const withSlo = (before: ServiceSlos | undefined, state: Status): ServiceSlos => ({
  count: (before?.count ?? 0) + 1,
  breached: (before?.breached ?? 0) + (state === "breached" ? 1 : 0),
  atRisk: (before?.atRisk ?? 0) + (state === "atRisk" ? 1 : 0),
  worst:
    before === undefined || worstFirst.indexOf(state) < worstFirst.indexOf(before.worst)
      ? state
      : before.worst,
})
