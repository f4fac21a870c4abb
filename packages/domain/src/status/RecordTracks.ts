import { type ObjectiveState, objectiveState, worseState } from "../slo/ObjectiveState.ts"
import { sloOutline } from "../slo/SloOutline.ts"
import type { TrackStatus } from "./FleetPlane.ts"
import type { SloRecord } from "./SloRecord.ts"

/** The objectives of a record with their statuses; the legacy composite is first, as in the console. */
export const tracksOf = ({ slo, statuses }: SloRecord): ReadonlyArray<TrackStatus> =>
  sloOutline(slo).tracks.map((outline) => ({ ...outline, ...statuses.get(outline.track) }))

/** The state of an SLO: the most urgent one of its objectives. */
export const sloState = (record: SloRecord): ObjectiveState =>
  tracksOf(record).map(objectiveState).reduce(worseState, "noData")
