import type { objectiveRow, SloRow, SloRowList } from "@tocsin/api"
import {
  type FleetNamed,
  type FleetSlo,
  roundedBurnRate,
  type StateCounts,
  type TrackStatus,
} from "@tocsin/domain"
import { overallTrack, type Parts } from "@tocsin/domain/adapter"
import { roundedBudget, roundedDown, type SloPage } from "@tocsin/domain/features/overview"
import { joinBytes } from "../slos/SloJson.ts"

/** SLOs that are written in one part. */
const slosAtOnce = 100

/** The SLOs of a page as compact JSON, written in parts. */
export function* sloRowsJson(
  { table, slos, openAlerts }: Omit<SloPage, "hasMore">,
  links: { readonly self: string; readonly next?: string },
  states?: StateCounts,
): Parts<Uint8Array> {
  const projects = new Set<FleetNamed>()
  const services = new Set<FleetSlo["service"]>()
  const parts: Array<Uint8Array> = []
  for (let first = 0; first < slos.length; first += slosAtOnce) {
    if (first > 0) yield
    const existing = slos.slice(first, first + slosAtOnce).filter(({ isGone }) => !isGone)
    if (existing.length === 0) continue
    const rows = existing.map((slo) => rowOf(slo, table))
    parts.push(encoder.encode(JSON.stringify(rows).slice(1, -1)))
    for (const { service } of existing) {
      services.add(service)
      projects.add(service.project)
    }
  }
  const rest: Omit<SloRowList, "data"> = {
    projects: Array.from(projects, named),
    services: Array.from(services, (service) => ({ project: service.project.name, ...named(service) })),
    openAlerts: Array.from(openAlerts.values(), ({ slo, open, acknowledged }) => ({
      project: slo.project,
      name: slo.name,
      open,
      acknowledged,
    })),
    ...(states !== undefined && { states }),
    links,
  }
  return joinBytes(`{"data":[`, parts, `],${JSON.stringify(rest).slice(1)}`)
}

const rowOf = (slo: FleetSlo, { tracksOf }: SloPage["table"]): SloRow => {
  const { project, service, name, displayName, labels } = slo
  return {
    project,
    service: service.name,
    name,
    ...(displayName !== name && { displayName }),
    ...(labels !== undefined && { labels }),
    objectives: tracksOf(slo).map(objectiveRowOf),
  }
}

/** An objective with figures that have the digits which are shown; the legacy composite has no name. */
export const objectiveRowOf = ({
  track,
  displayName,
  target,
  reliability,
  errorBudgetRemainingPercentage: budget,
  burnRate,
  isOutdated,
}: TrackStatus): typeof objectiveRow.Type => ({
  ...(track !== overallTrack && { name: track }),
  ...(displayName !== undefined && { displayName }),
  target,
  ...(reliability !== undefined && { reliability: roundedDown(reliability, 1e6) }),
  ...(budget !== undefined && { errorBudgetRemainingPercentage: roundedBudget(budget) }),
  ...(burnRate !== undefined && { burnRate: roundedBurnRate(burnRate) }),
  ...(isOutdated === true && { isOutdated }),
})

export const named = ({ name, displayName }: FleetNamed) => ({
  name,
  ...(displayName !== undefined && { displayName }),
})

const encoder = new TextEncoder()
