import type { Labels } from "../metadata/Metadata.ts"
import { compareProjectKeys, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { TrackOutline } from "../slo/SloOutline.ts"
import type { TimeWindow } from "../slo/TimeWindow.ts"
import { isCalendarWindow } from "../slo/WindowLength.ts"
import type { Parts } from "../work/Parts.ts"
import type { ObjectiveFigures, ObjectiveStatus } from "./ObjectiveStatus.ts"
import type { SloStatuses } from "./SloRecord.ts"
import type { ProjectVersion, SloChange, SloVersion } from "./SloStore.ts"

/** The figures of objectives that are kept in columns. */
export type FleetFigure = "target" | keyof ObjectiveFigures

/** The labels by which objectives are told apart. */
export type FleetLabel = "project" | "service" | "slo" | "objective"

/** The texts of a label, each once, and the place of each objective's text among them. */
export interface FleetTexts {
  /** One for each row. */
  readonly codes: Int32Array
  /** By their codes. */
  readonly texts: ReadonlyArray<string>
}

/** The display name of a project or a service; absent without one, and while it has not been read. */
export interface FleetNamed {
  /** Its name in URLs and references. */
  readonly name: string
  /** What people read; absent if that is the name. */
  readonly displayName?: string | undefined
}

/** A service of SLOs: the same object for all of them. */
export interface FleetService extends FleetNamed {
  /** The project that it is in. */
  readonly project: FleetNamed
}

/** An SLO. The same object as long as the SLO exists; its parts change in place. */
export interface FleetSlo extends ProjectKey {
  /** The name of the SLO if it has no display name. */
  readonly displayName: string
  /** The service that it measures. */
  readonly service: FleetService
  /** Absent if it has none; SLOs with the same labels share them. */
  readonly labels: Labels | undefined
  /** SLOs with the same time window share it. */
  readonly timeWindow: TimeWindow
  /** Names of alert policies of its project; SLOs with the same share them. */
  readonly alertPolicies: ReadonlyArray<string>
  /** Where its rows begin. */
  readonly first: number
  /** How many rows it has: none if none of its objectives' groups is known yet. */
  readonly count: number
  /** Whether it no longer exists. */
  readonly isGone: boolean
}

/** An objective of an SLO, or the legacy composite over all of them, with its status. */
export interface TrackStatus extends TrackOutline, ObjectiveStatus {}

/**
 * The latest figures of all objectives of an organization, one objective a row. The figures change in place; a row never becomes that of
 * another objective: one that is gone has no figures. The columns are replaced when the table grows, while those that were taken before
 * remain as they are: who takes them goes through them at once, or takes them again after a pause.
 */
export interface FleetTable {
  /** How many rows the columns have, with those of objectives that are gone. */
  readonly rows: number
  /** The labels of each row; the legacy composite of an SLO has an empty objective. */
  readonly labels: Readonly<Record<FleetLabel, FleetTexts>>
  /** `NaN` where there is no figure. */
  readonly figures: Readonly<Record<FleetFigure, Float64Array>>
  /** By project and name. A later list is another array, so that one that was taken is read to its end. */
  readonly slos: ReadonlyArray<FleetSlo>
  /** Whether the organization has more SLOs: all of them would take too much memory, and these are the first. */
  readonly hasMore: boolean
  /** An SLO by its key. */
  readonly find: (key: ProjectKey) => FleetSlo | undefined
  /** The objectives of an SLO in order, the legacy composite first. */
  readonly tracksOf: (slo: FleetSlo) => ReadonlyArray<TrackStatus>
}

const labelNames: ReadonlyArray<FleetLabel> = ["project", "service", "slo", "objective"]
const textNames = [...labelNames, "displayName"] as const
const statusFigures: ReadonlyArray<keyof ObjectiveFigures> = [
  "burnRate",
  "errorBudgetRemaining",
  "errorBudgetRemainingPercentage",
  "reliability",
]
const figureNames: ReadonlyArray<FleetFigure> = ["target", ...statusFigures]

type Changing<A> = { -readonly [K in keyof A]: A[K] }

interface KeptSlo extends Changing<FleetSlo> {
  version: SloVersion
  /** The reading that found it last. */
  reading: number
}

interface KeptService extends FleetService {
  displayName: string | undefined
  readonly project: KeptProject
  /** Whether its display name has been read. */
  isNamed: boolean
}

interface KeptProject extends FleetNamed {
  displayName: string | undefined
  isNamed: boolean
}

/** What a row takes in the columns, in bytes. */
const rowBytes = 4 * textNames.length + 8 * figureNames.length + 1

/** What an SLO takes beside its rows, without the characters of its names: its object, its places by key and in order, and its key. */
const sloBytes = 300

/** The least that SLOs with one objective each take, in bytes. */
export const fleetBytesMin = (slos: number): number => slos * (sloBytes + rowBytes)

/** What a text takes beside its characters. */
const textBytes = 60

const bytesOfText = (text: string | undefined): number =>
  text === undefined ? 0 : textBytes + 2 * text.length

class Texts {
  readonly texts: Array<string> = []
  readonly #codes = new Map<string, number>()
  bytes = 0

  codeOf(text: string): number {
    const known = this.#codes.get(text)
    if (known !== undefined) return known
    const code = this.texts.length
    this.texts.push(text)
    this.#codes.set(text, code)
    this.bytes += bytesOfText(text)
    return code
  }
}

/** Values, each once. One takes about three times as many bytes as the text that stands for it. */
class Shared<A> {
  readonly values = new Map<string, A>()
  bytes = 0

  get(text: string, make: () => A): A {
    const known = this.values.get(text)
    if (known !== undefined) return known
    const made = make()
    this.values.set(text, made)
    this.bytes += 3 * bytesOfText(text)
    return made
  }
}

/** Keeps the latest figures of an organization's objectives in columns. It grows; once `isWorn`, it is to be read again. */
export class FleetPlane implements FleetTable {
  readonly #byKey = new Map<string, KeptSlo>()
  #slos: ReadonlyArray<KeptSlo> = []
  /** The SLOs that were read for the first time, in order, and are not in the list yet. */
  #added: Array<KeptSlo> = []
  readonly #projects = new Map<string, { slos: number; definition: number; status: number }>()
  /** The versions of the display names that are known, by project. */
  readonly #nameVersions = new Map<string, string>()
  readonly #texts = {
    project: new Texts(),
    service: new Texts(),
    slo: new Texts(),
    objective: new Texts(),
    displayName: new Texts(),
  }
  readonly #namedProjects = new Shared<KeptProject>()
  readonly #services = new Shared<KeptService>()
  readonly #labels = new Shared<Labels>()
  readonly #timeWindows = new Shared<TimeWindow>()
  readonly #alertPolicies = new Shared<ReadonlyArray<string>>()
  readonly #shared = [
    this.#namedProjects,
    this.#services,
    this.#labels,
    this.#timeWindows,
    this.#alertPolicies,
  ]
  #codes = columns(textNames, () => new Int32Array(firstRows))
  #figures = columns(figureNames, () => new Float64Array(firstRows))
  #isOutdated = new Uint8Array(firstRows)
  #rows = 0
  #goneRows = 0
  #nameBytes = 0
  #reading = 0
  hasMore = false

  /** What it takes in memory, in bytes. */
  get bytes(): number {
    const ofTexts = textNames.reduce((sum, name) => sum + this.#texts[name].bytes, 0)
    const ofShared = this.#shared.reduce((sum, { bytes }) => sum + bytes, 0)
    const ofSlos = this.#byKey.size * sloBytes + this.#nameBytes
    return ofTexts + ofShared + this.#isOutdated.length * rowBytes + ofSlos
  }

  /** Whether most of its rows are of objectives that are gone. */
  get isWorn(): boolean {
    return this.#goneRows > firstRows && this.#goneRows > this.#rows / 2
  }

  get rows(): number {
    return this.#rows
  }

  get labels(): FleetTable["labels"] {
    return columns(labelNames, (label) => ({
      codes: this.#codes[label],
      texts: this.#texts[label].texts,
    }))
  }

  get figures(): FleetTable["figures"] {
    return this.#figures
  }

  get slos(): ReadonlyArray<FleetSlo> {
    return this.#slos
  }

  readonly find = (key: ProjectKey): FleetSlo | undefined => this.#byKey.get(projectKeyText(key))

  readonly tracksOf = ({ first, count }: FleetSlo): ReadonlyArray<TrackStatus> =>
    Array.from({ length: count }, (_, index) => this.#trackAt(first + index))

  #trackAt(row: number): TrackStatus {
    const displayName = this.#textAt("displayName", row)
    const track: Changing<TrackStatus> = {
      track: this.#textAt("objective", row),
      target: this.#figures.target[row] ?? 0,
    }
    if (displayName !== "") track.displayName = displayName
    for (const name of statusFigures) {
      const figure = this.#figures[name][row]
      if (figure !== undefined && !Number.isNaN(figure)) track[name] = figure
    }
    if (this.#isOutdated[row] === 1) track.isOutdated = true
    return track
  }

  #textAt(name: (typeof textNames)[number], row: number): string {
    return this.#texts[name].texts[this.#codes[name][row] ?? 0] ?? ""
  }

  /** What was read of an SLO. */
  readonly versionOf = (key: ProjectKey): SloVersion | undefined =>
    this.#byKey.get(projectKeyText(key))?.version

  /** As `SloStore.projectVersions` has them; of the names, what was read. */
  get projectVersions(): ReadonlyArray<ProjectVersion> {
    return Array.from(this.#projects, ([project, versions]) => ({
      project,
      ...versions,
      names: this.#nameVersions.get(project) ?? "",
    }))
  }

  /** Begins to read all SLOs of some projects: `takeRead` takes each in their order, and `endReading` removes the others. */
  beginReading(): void {
    this.#reading++
  }

  /** Takes an SLO that was read. */
  takeRead(change: SloChange): void {
    this.apply(change)
    const known = this.#byKey.get(projectKeyText(change))
    if (known !== undefined) known.reading = this.#reading
  }

  /** Removes the SLOs of some projects that were not read, and lists those that were added. */
  *endReading(projects: ReadonlySet<string>): Parts<void> {
    const added = this.#added
    const slos: Array<KeptSlo> = []
    let next = 0
    let count = 0
    for (const slo of this.#slos) {
      if (++count % slosAtOnce === 0) yield
      for (let other = added[next]; other !== undefined && compareProjectKeys(other, slo) < 0;) {
        if (++count % slosAtOnce === 0) yield
        slos.push(other)
        other = added[++next]
      }
      if (slo.reading !== this.#reading && projects.has(slo.project)) this.#remove(slo)
      else slos.push(slo)
    }
    for (; next < added.length; next++) {
      if (++count % slosAtOnce === 0) yield
      const slo = added[next]
      if (slo !== undefined) slos.push(slo)
    }
    this.#slos = slos
    this.#added = []
  }

  /** Takes over what has changed of an SLO, unless it is older than what is known, or refers to a definition that is not. */
  apply({ outline, statuses, ...change }: SloChange): void {
    const key = projectKeyText(change)
    const known = this.#byKey.get(key)
    if (known !== undefined && isNewer(known.version, change.version)) return
    if (outline === undefined) {
      if (known === undefined || known.version.definition !== change.version.definition) return
      this.#count(known.project, known.version, -1)
      this.#count(known.project, change.version, 1)
      known.version = change.version
      if (statuses !== undefined) this.#writeStatuses(known, statuses)
      return
    }
    if (known !== undefined) this.#clear(known)
    const { project, name, version } = change
    const { timeWindow, alertPolicies, labels, tracks } = outline
    const parts = {
      version,
      displayName: outline.displayName ?? name,
      service: this.#serviceOf(project, outline.service),
      labels: labels && this.#labels.get(JSON.stringify(labels), () => labels),
      timeWindow: this.#timeWindows.get(windowText(timeWindow), () => timeWindow),
      alertPolicies: this.#alertPolicies.get(alertPolicies.join(" "), () => alertPolicies),
      first: this.#rows,
      count: tracks.length,
    }
    const slo: KeptSlo = known ?? { project, name, ...parts, isGone: false, reading: 0 }
    if (known !== undefined) Object.assign(known, parts)
    else {
      this.#byKey.set(key, slo)
      this.#added.push(slo)
    }
    this.#nameBytes += bytesOfNames(slo)
    this.#count(project, version, 1)
    this.#makeRoom(tracks.length)
    for (const { track, displayName, target } of tracks) {
      const row = this.#rows++
      this.#codes.project[row] = this.#texts.project.codeOf(project)
      this.#codes.service[row] = this.#texts.service.codeOf(outline.service)
      this.#codes.slo[row] = this.#texts.slo.codeOf(name)
      this.#codes.objective[row] = this.#texts.objective.codeOf(track)
      this.#codes.displayName[row] = this.#texts.displayName.codeOf(displayName ?? "")
      this.#figures.target[row] = target
    }
    this.#writeStatuses(slo, statuses ?? new Map())
  }

  /** Of which projects and services the display names are to be read: those of some projects, and those that are not known yet. */
  *unnamed(projects: ReadonlySet<string>): Parts<{
    readonly projects: ReadonlyArray<ProjectKey>
    readonly services: ReadonlyArray<ProjectKey>
  }> {
    const unnamed = { projects: new Array<ProjectKey>(), services: new Array<ProjectKey>() }
    let count = 0
    for (const { name, isNamed } of this.#namedProjects.values.values()) {
      if (++count % slosAtOnce === 0) yield
      if (!isNamed || projects.has(name)) unnamed.projects.push({ project: "", name })
    }
    for (const { project, name, isNamed } of this.#services.values.values()) {
      if (++count % slosAtOnce === 0) yield
      if (!isNamed || projects.has(project.name)) unnamed.services.push({ project: project.name, name })
    }
    return unnamed
  }

  /** Takes the display name of a project or service that was read, or that there is none. */
  takeName({ project, name }: ProjectKey, displayName: string | undefined): void {
    const named =
      project === ""
        ? this.#namedProjects.values.get(name)
        : this.#services.values.get(projectKeyText({ project, name }))
    if (named === undefined) return
    this.#nameBytes += bytesOfText(displayName) - bytesOfText(named.displayName)
    named.displayName = displayName
    named.isNamed = true
  }

  /** Says which version the display names of a project and its services have, once they are known. */
  takeNameVersion(project: string, names: string): void {
    this.#nameVersions.set(project, names)
  }

  #serviceOf(project: string, name: string): KeptService {
    return this.#services.get(projectKeyText({ project, name }), () => ({
      name,
      displayName: undefined,
      isNamed: false,
      project: this.#namedProjects.get(project, () => ({
        name: project,
        displayName: undefined,
        isNamed: false,
      })),
    }))
  }

  #remove(slo: KeptSlo): void {
    this.#clear(slo)
    this.#byKey.delete(projectKeyText(slo))
    slo.isGone = true
  }

  #clear(slo: KeptSlo): void {
    this.#nameBytes -= bytesOfNames(slo)
    this.#count(slo.project, slo.version, -1)
    for (const figure of figureNames) {
      this.#figures[figure].fill(Number.NaN, slo.first, slo.first + slo.count)
    }
    this.#goneRows += slo.count
  }

  #writeStatuses({ first, count }: FleetSlo, statuses: SloStatuses): void {
    for (let row = first; row < first + count; row++) {
      const status = statuses.get(this.#textAt("objective", row))
      for (const figure of statusFigures) this.#figures[figure][row] = status?.[figure] ?? Number.NaN
      this.#isOutdated[row] = status?.isOutdated === true ? 1 : 0
    }
  }

  #count(project: string, { definition, status }: SloVersion, sign: 1 | -1): void {
    const before = this.#projects.get(project) ?? { slos: 0, definition: 0, status: 0 }
    before.slos += sign
    before.definition += sign * definition
    before.status += sign * status
    if (before.slos > 0) this.#projects.set(project, before)
    else {
      this.#projects.delete(project)
      this.#nameVersions.delete(project)
    }
  }

  #makeRoom(count: number): void {
    const { length } = this.#isOutdated
    if (this.#rows + count <= length) return
    const more = Math.max(this.#rows + count, Math.ceil(length * growth))
    // Those who have taken columns go on with them.
    this.#codes = columns(textNames, (name) => grown(this.#codes[name], new Int32Array(more)))
    this.#figures = columns(figureNames, (figure) => grown(this.#figures[figure], new Float64Array(more)))
    this.#isOutdated = grown(this.#isOutdated, new Uint8Array(more))
  }
}

const firstRows = 64

/** SLOs that are looked at in one part. */
const slosAtOnce = 2_000

const growth = 1.5

const bytesOfNames = ({ project, name, displayName }: FleetSlo): number =>
  2 * (project.length + name.length) + (displayName === name ? 0 : bytesOfText(displayName))

const windowText = (window: TimeWindow): string => {
  const { unit, count } = window
  if (!isCalendarWindow(window)) return `${unit} ${count}`
  return `${unit} ${count} ${window.calendar.startTime.text} ${window.calendar.timeZone.name}`
}

const isNewer = (a: SloVersion, b: SloVersion): boolean =>
  a.definition > b.definition || (a.definition === b.definition && a.status > b.status)

const grown = <A extends Int32Array | Float64Array | Uint8Array>(before: A, after: A): A => {
  after.set(before)
  return after
}

const columns = <K extends string, A>(names: ReadonlyArray<K>, of: (name: K) => A): Record<K, A> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<K, A>
