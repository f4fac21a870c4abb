import { tidy } from "../codec/Decimal.ts"
import { dayMs, minuteMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { ReportDefinition } from "../slo/ReportDefinition.ts"
import { recordKey, type SloRecord } from "../status/SloRecord.ts"
import type { Parts } from "../work/Parts.ts"
import type { GeneratedHead, GeneratedSlo } from "./GeneratedReport.ts"
import type { PastStatus } from "./PastStatuses.ts"

/** A folder of SLOs and of other folders. */
export interface RollupFolder {
  readonly displayName: string
  readonly folders: ReadonlyArray<RollupFolder>
  readonly slos: ReadonlyArray<ProjectKey & { readonly displayName?: string | undefined }>
}

type Written = NonNullable<NonNullable<ReportDefinition["spec"]["reliabilityRollup"]>["customHierarchy"]>

/** The folders that a definition lists. */
export const writtenFolders = (folders: Written): ReadonlyArray<RollupFolder> =>
  folders.map(({ displayName, children = [], slos = [] }) => ({
    displayName,
    folders: writtenFolders(children),
    slos,
  }))

interface ServiceFolder extends RollupFolder {
  readonly slos: Array<ProjectKey>
}

/** A folder for each project, with a folder for each of its services. `records` are in the order of projects. */
export const projectFolders = (records: ReadonlyArray<SloRecord>): ReadonlyArray<RollupFolder> => {
  const projects = new Map<string, { displayName: string; services: Map<string, ServiceFolder> }>()
  for (const record of records) {
    const { project, service } = record
    const ofProject = projects.get(project.name) ?? {
      displayName: project.displayName ?? project.name,
      services: new Map<string, ServiceFolder>(),
    }
    projects.set(project.name, ofProject)
    const { displayName = service.name } = service
    const ofService = ofProject.services.get(service.name) ?? { displayName, folders: [], slos: [] }
    ofProject.services.set(service.name, ofService)
    ofService.slos.push(recordKey(record))
  }
  return [...projects.values()].map(({ displayName, services }) => ({
    displayName,
    folders: [...services.values()],
    slos: [],
  }))
}

/** The SLOs of folders, each as often as it is in one. */
export const slosOf = (folders: ReadonlyArray<RollupFolder>): ReadonlyArray<ProjectKey> =>
  folders.flatMap(({ folders, slos }) => [
    ...slos.map(({ project, name }) => ({ project, name })),
    ...slosOf(folders),
  ])

/** The last minutes of the days of a period, in UTC; the last day can be shorter. */
export const dayEnds = ({ from, to }: MinuteRange): ReadonlyArray<number> => {
  const ends: Array<number> = []
  for (let start = from; start < to;) {
    const end = Math.min(to, Math.floor(start / dayMs + 1) * dayMs)
    ends.push(end - minuteMs)
    start = end
  }
  return ends
}

/** On how many days an SLO had data, and met the targets of its objectives. */
export type DaysMet = Pick<GeneratedSlo<"reliabilityRollup">, "days" | "daysMet">

/** Counts by SLO the days at whose end every objective with data had at least its target. */
export class MetDays {
  readonly #places: ReadonlyMap<number, number>
  /** A byte for each day, as there are a million days of many SLOs in a year: 0 without data, otherwise `isMet` or `isMissed`. */
  readonly #bySlo = new Map<string, Uint8Array>()

  /** `ends` are the last minutes of the days. */
  constructor(ends: ReadonlyArray<number>) {
    this.#places = new Map(ends.map((minute, place) => [minute, place]))
  }

  /** Adds the status of an objective at the end of a day. */
  add({ slo, target, minute, reliability }: PastStatus): void {
    const place = this.#places.get(minute)
    if (reliability === undefined || place === undefined) return
    const key = projectKeyText(slo.metadata)
    const days = this.#bySlo.get(key) ?? new Uint8Array(this.#places.size)
    this.#bySlo.set(key, days)
    days[place] = reliability >= target && days[place] !== isMissed ? isMet : isMissed
  }

  of(slo: ProjectKey): DaysMet {
    let [days, daysMet] = [0, 0]
    for (const day of this.#bySlo.get(projectKeyText(slo)) ?? []) {
      if (day !== 0) days++
      if (day === isMet) daysMet++
    }
    return { days, daysMet }
  }
}

const [isMet, isMissed] = [1, 2]

/** Folders with their scores, and the SLOs in them. */
export interface Rollup extends Pick<GeneratedHead<"reliabilityRollup">, "score" | "folders"> {
  readonly slos: ReadonlyArray<GeneratedSlo<"reliabilityRollup">>
}

interface ScoredFolder {
  readonly folder: RollupFolder
  readonly folders: ReadonlyArray<ScoredFolder>
  readonly slos: ReadonlyArray<DaysMet>
  readonly score: number | undefined
}

const scoreOf = ({ days, daysMet }: DaysMet): number | undefined => (days === 0 ? undefined : daysMet / days)

const average = (scores: ReadonlyArray<number>): number | undefined =>
  scores.length === 0 ? undefined : scores.reduce((sum, each) => sum + each, 0) / scores.length

const known = (scores: ReadonlyArray<number | undefined>): ReadonlyArray<number> =>
  scores.filter((score) => score !== undefined)

/**
 * Scores folders: each is the average of the scores of the folders and SLOs directly in it, which weigh the same. What has no data
 * does not count.
 */
export function* rollUp(
  folders: ReadonlyArray<RollupFolder>,
  records: ReadonlyMap<string, SloRecord>,
  daysOf: (slo: ProjectKey) => DaysMet,
): Parts<Rollup> {
  function* scored(folder: RollupFolder): Parts<ScoredFolder> {
    yield
    const below: Array<ScoredFolder> = []
    for (const each of folder.folders) below.push(yield* scored(each))
    const slos = folder.slos.map(daysOf)
    const score = average(known([...below.map(({ score }) => score), ...slos.map(scoreOf)]))
    return { folder, folders: below, slos, score }
  }
  const top: Array<ScoredFolder> = []
  for (const folder of folders) top.push(yield* scored(folder))
  const rows: Array<Rollup["folders"][number]> = []
  const slos: Array<Rollup["slos"][number]> = []
  const figures = (score: number | undefined, weight: number) =>
    score === undefined ? {} : { score: tidy(score), weight: tidy(weight) }
  function* add(each: ScoredFolder, depth: number, weight: number): Parts<void> {
    yield
    const place = rows.length
    rows.push({ displayName: each.folder.displayName, depth, ...figures(each.score, weight) })
    const parts = known([...each.folders.map(({ score }) => score), ...each.slos.map(scoreOf)]).length
    const part = parts === 0 ? 0 : weight / parts
    for (const [index, { project, name, displayName }] of each.folder.slos.entries()) {
      const days = each.slos[index] ?? { days: 0, daysMet: 0 }
      const record = records.get(projectKeyText({ project, name }))
      slos.push({
        project,
        ...(record !== undefined && { service: record.service.name }),
        slo: name,
        displayName: displayName ?? record?.slo.metadata.displayName ?? name,
        folder: place,
        ...figures(scoreOf(days), part),
        ...days,
      })
    }
    for (const below of each.folders) yield* add(below, depth + 1, part)
  }
  const scores = known(top.map(({ score }) => score))
  for (const each of top) yield* add(each, 0, scores.length === 0 ? 0 : 1 / scores.length)
  const score = average(scores)
  return { ...(score !== undefined && { score: tidy(score) }), folders: rows, slos }
}
