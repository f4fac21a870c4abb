import * as Effect from "effect/Effect"
import { AlertStore, type OpenAlerts } from "../alerting/AlertStore.ts"
import {
  compareProjectKeys,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "../metadata/ObjectKey.ts"
import type { FleetSlo, FleetTable } from "../status/FleetPlane.ts"
import { fleetPartSlosMax, fleetTable, readFleetAfter } from "../status/FleetPlanes.ts"

/** Most SLOs of an organization in a page. */
export const sloPageMax = fleetPartSlosMax

/** SLOs of an organization with their latest status. */
export interface SloPage {
  /** Has the objectives of the SLOs. */
  readonly table: Pick<FleetTable, "tracksOf">
  /** By project and name, in the order of code points. */
  readonly slos: ReadonlyArray<FleetSlo>
  /** Whether there are more SLOs. */
  readonly hasMore: boolean
  /** By `projectKeyText`; SLOs without open alerts have no entry. */
  readonly openAlerts: ReadonlyMap<string, OpenAlerts>
}

/** The first `sloPageMax` SLOs of an organization, or those after a key, and which SLOs have open alerts. */
export const readSloPage = Effect.fnUntraced(function* (organization: OrganizationId, after?: ProjectKey) {
  const known = yield* fleetTable(organization)
  const isRead = after === undefined || !known.hasMore
  const table = isRead ? known : yield* readFleetAfter(organization, after)
  const start = after === undefined ? 0 : countUpTo(table.slos, after)
  const end = start + sloPageMax
  const page: SloPage = {
    table,
    slos: table.slos.slice(start, end),
    hasMore: table.hasMore || end < table.slos.length,
    openAlerts: yield* readOpenAlerts(organization),
  }
  return page
})

/** Reads which SLOs of an organization have open alerts, as in `SloPage`. */
export const readOpenAlerts = Effect.fnUntraced(function* (organization: OrganizationId) {
  const open = yield* (yield* AlertStore).openBySlo(organization)
  return new Map(open.map((alerts): [string, OpenAlerts] => [projectKeyText(alerts.slo), alerts]))
})

/** How many of the SLOs come before a key or have it. */
const countUpTo = (slos: ReadonlyArray<FleetSlo>, key: ProjectKey): number => {
  let low = 0
  let high = slos.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const slo = slos[middle]
    if (slo !== undefined && compareProjectKeys(slo, key) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
