import type { objectiveRow, SloRow, SloRowList } from "@tocsin/api"
import { type NamedObject, roundedBurnRate, type SloRecord, type StateCounts } from "@tocsin/domain"
import { overallTrack, type Parts } from "@tocsin/domain/adapter"
import {
  roundedBudget,
  roundedDown,
  type SloSnapshot,
  tracksOf,
  type TrackStatus,
} from "@tocsin/domain/features/overview"
import { projectKeyText } from "@tocsin/domain/kernel"
import { joinBytes } from "../slos/SloJson.ts"

/** Records that are written in one part. */
const recordsAtOnce = 100

/** All SLOs of a snapshot as compact JSON, written in parts. The bytes of each record are kept as long as the record is. */
export function* sloRowsJson(
  { records, openAlerts }: Pick<SloSnapshot, "records" | "openAlerts">,
  links: { readonly self: string; readonly next?: string },
  states?: StateCounts,
): Parts<Uint8Array> {
  const projects = new Map<string, Rest["projects"][number]>()
  const services = new Map<string, Rest["services"][number]>()
  const rows: Array<Uint8Array> = []
  for (const [index, record] of records.entries()) {
    if ((index + 1) % recordsAtOnce === 0) yield
    rows.push(bytesOf(record))
    const { project, service } = record
    if (!projects.has(project.name)) projects.set(project.name, named(project))
    const key = projectKeyText({ project: project.name, name: service.name })
    if (!services.has(key)) services.set(key, { project: project.name, ...named(service) })
  }
  const alerts = [...openAlerts.values()].map(({ slo, open, acknowledged }) => ({
    project: slo.project,
    name: slo.name,
    open,
    acknowledged,
  }))
  const rest: Rest = {
    projects: [...projects.values()],
    services: [...services.values()],
    openAlerts: alerts,
    ...(states !== undefined && { states }),
    links,
  }
  return joinBytes(`{"data":[`, rows, `],${JSON.stringify(rest).slice(1)}`)
}

type Rest = Omit<SloRowList, "data">

const bytesByRecord = new WeakMap<SloRecord, Uint8Array>()

const bytesOf = (record: SloRecord): Uint8Array => {
  const known = bytesByRecord.get(record)
  if (known !== undefined) return known
  const bytes = encoder.encode(JSON.stringify(toRow(record)))
  bytesByRecord.set(record, bytes)
  return bytes
}

const toRow = (record: SloRecord): SloRow => {
  const { slo, project, service } = record
  const { name, displayName, labels } = slo.metadata
  return {
    project: project.name,
    service: service.name,
    name,
    ...(displayName !== undefined && { displayName }),
    ...(labels !== undefined && Object.keys(labels).length > 0 && { labels }),
    objectives: tracksOf(record).map(objectiveRowOf),
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

export const named = ({ name, displayName }: NamedObject) => ({
  name,
  ...(displayName !== undefined && { displayName }),
})

const encoder = new TextEncoder()
