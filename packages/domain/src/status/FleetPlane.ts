import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import type { Parts } from "../work/Parts.ts"
import type { ObjectiveFigures } from "./ObjectiveStatus.ts"
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

/**
 * The latest figures of all objectives of an organization, one objective a row. The figures change in place; a row never becomes that of
 * another objective: one that is gone has no figures.
 */
export interface FleetTable {
  /** How many rows the columns have, with those of objectives that are gone. */
  readonly rows: number
  /** The labels of each row; the legacy composite of an SLO has an empty objective. */
  readonly labels: Readonly<Record<FleetLabel, FleetTexts>>
  /** `NaN` where there is no figure. */
  readonly figures: Readonly<Record<FleetFigure, Float64Array>>
  /** The SLOs that have no row, as none of their objectives' groups is known yet; by `projectKeyText`. They change in place. */
  readonly withoutObjectives: ReadonlyMap<string, ProjectKey>
  /** The display names of the SLOs that have one, by `projectKeyText`. They change in place. */
  readonly displayNames: ReadonlyMap<string, string>
  /** The table as it is now if SLOs were added, removed or defined again since: a reader of all rows may have missed some. */
  readonly renewed: () => FleetTable | undefined
}

const labelNames: ReadonlyArray<FleetLabel> = ["project", "service", "slo", "objective"]
const statusFigures: ReadonlyArray<keyof ObjectiveFigures> = [
  "burnRate",
  "errorBudgetRemaining",
  "errorBudgetRemainingPercentage",
  "reliability",
]
const figureNames: ReadonlyArray<FleetFigure> = ["target", ...statusFigures]

/** Where the rows of an SLO are, and what was read of it. */
interface FleetSlo {
  readonly project: string
  version: SloVersion
  first: number
  count: number
  /** The reading that found it last. */
  reading: number
}

/** What a row takes in the columns, in bytes. */
const rowBytes = 4 * labelNames.length + 8 * figureNames.length

/** What an SLO takes beside its rows, without the characters of its name: its object, its place by key, and the text of its name. */
const sloBytes = 250

/** The least that SLOs with one objective each take, in bytes. */
export const fleetBytesMin = (slos: number): number => slos * (sloBytes + rowBytes)

/** What a text takes beside its characters. */
const textBytes = 60

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
    this.bytes += textBytes + 2 * text.length
    return code
  }
}

/** Keeps the latest figures of an organization's objectives in columns. It grows; once `isWorn`, it is to be read again. */
export class FleetPlane {
  readonly #slos = new Map<string, FleetSlo>()
  readonly #withoutObjectives = new Map<string, ProjectKey>()
  readonly #displayNames = new Map<string, string>()
  readonly #projects = new Map<string, { slos: number; definition: number; status: number }>()
  readonly #texts = {
    project: new Texts(),
    service: new Texts(),
    slo: new Texts(),
    objective: new Texts(),
  }
  #codes = columns(labelNames, () => new Int32Array(firstRows))
  #figures = columns(figureNames, () => new Float64Array(firstRows))
  #rows = 0
  #goneRows = 0
  #keyCharacters = 0
  #displayNameCharacters = 0
  #reading = 0
  #definitionChanges = 0

  /** What it takes in memory, in bytes. */
  get bytes(): number {
    const ofTexts = labelNames.reduce((sum, label) => sum + this.#texts[label].bytes, 0)
    const ofSlos = (this.#slos.size + this.#withoutObjectives.size) * sloBytes
    const ofNames = this.#displayNames.size * textBytes + 2 * this.#displayNameCharacters
    return ofTexts + this.#codes.project.length * rowBytes + ofSlos + 2 * this.#keyCharacters + ofNames
  }

  /** Whether most of its rows are of objectives that are gone. */
  get isWorn(): boolean {
    return this.#goneRows > firstRows && this.#goneRows > this.#rows / 2
  }

  /** The table as it is now; figures that change later are seen in it as long as the plane does not grow. */
  get table(): FleetTable {
    return this.#tableNow()
  }

  #tableNow(): FleetTable {
    const labels = columns(labelNames, (label) => ({
      codes: this.#codes[label],
      texts: this.#texts[label].texts,
    }))
    const changes = this.#definitionChanges
    return {
      rows: this.#rows,
      labels,
      figures: { ...this.#figures },
      withoutObjectives: this.#withoutObjectives,
      displayNames: this.#displayNames,
      renewed: () => (changes === this.#definitionChanges ? undefined : this.#tableNow()),
    }
  }

  /** What was read of an SLO. */
  readonly versionOf = (key: ProjectKey): SloVersion | undefined =>
    this.#slos.get(projectKeyText(key))?.version

  /** As `SloStore.projectVersions` has them. */
  get projectVersions(): ReadonlyArray<ProjectVersion> {
    return Array.from(this.#projects, ([project, versions]) => ({ project, ...versions }))
  }

  /** How many SLOs it has. */
  get slos(): number {
    return this.#slos.size
  }

  /** Begins to read all SLOs of some projects: `takeRead` takes each, and `removeUnread` removes the others. */
  beginReading(): void {
    this.#reading++
  }

  /** Takes an SLO that was read. */
  takeRead(change: SloChange): void {
    this.apply(change)
    const known = this.#slos.get(projectKeyText(change))
    if (known !== undefined) known.reading = this.#reading
  }

  /** Removes the SLOs of some projects that were not read. */
  *removeUnread(projects: ReadonlySet<string>): Parts<void> {
    let count = 0
    for (const [key, slo] of this.#slos) {
      if (++count % slosAtOnce === 0) yield
      if (slo.reading !== this.#reading && projects.has(slo.project)) this.#remove(key, slo)
    }
  }

  /** Takes over what has changed of an SLO, unless it is older than what is known, or refers to a definition that is not. */
  apply({ outline, statuses, ...change }: SloChange): void {
    const key = projectKeyText(change)
    const known = this.#slos.get(key)
    if (known !== undefined && isNewer(known.version, change.version)) return
    if (outline === undefined) {
      if (known === undefined || known.version.definition !== change.version.definition) return
      this.#count(known.project, known.version, -1)
      this.#count(known.project, change.version, 1)
      known.version = change.version
      if (statuses !== undefined) this.#writeStatuses(known, statuses)
      return
    }
    const { service, displayName, targets } = outline
    if (known !== undefined) this.#remove(key, known)
    const { project, version } = change
    const reading = known?.reading ?? 0
    const added: FleetSlo = { project, version, first: this.#rows, count: targets.size, reading }
    this.#definitionChanges++
    this.#slos.set(key, added)
    if (targets.size === 0) this.#withoutObjectives.set(key, { project, name: change.name })
    if (displayName !== undefined) this.#displayNames.set(key, displayName)
    this.#displayNameCharacters += displayName?.length ?? 0
    this.#keyCharacters += key.length
    this.#count(project, version, 1)
    this.#makeRoom(targets.size)
    for (const [objective, target] of targets) {
      const row = this.#rows++
      this.#codes.project[row] = this.#texts.project.codeOf(project)
      this.#codes.service[row] = this.#texts.service.codeOf(service)
      this.#codes.slo[row] = this.#texts.slo.codeOf(change.name)
      this.#codes.objective[row] = this.#texts.objective.codeOf(objective)
      this.#figures.target[row] = target
    }
    this.#writeStatuses(added, statuses ?? new Map())
  }

  #remove(key: string, known: FleetSlo): void {
    this.#definitionChanges++
    this.#slos.delete(key)
    this.#withoutObjectives.delete(key)
    this.#displayNameCharacters -= this.#displayNames.get(key)?.length ?? 0
    this.#displayNames.delete(key)
    this.#keyCharacters -= key.length
    this.#count(known.project, known.version, -1)
    for (const figure of figureNames) {
      this.#figures[figure].fill(Number.NaN, known.first, known.first + known.count)
    }
    this.#goneRows += known.count
  }

  #writeStatuses({ first, count }: FleetSlo, statuses: SloStatuses): void {
    for (let row = first; row < first + count; row++) {
      const track = this.#texts.objective.texts[this.#codes.objective[row] ?? 0] ?? ""
      const status = statuses.get(track)
      for (const figure of statusFigures) this.#figures[figure][row] = status?.[figure] ?? Number.NaN
    }
  }

  #count(project: string, { definition, status }: SloVersion, sign: 1 | -1): void {
    const before = this.#projects.get(project) ?? { slos: 0, definition: 0, status: 0 }
    before.slos += sign
    before.definition += sign * definition
    before.status += sign * status
    if (before.slos === 0) this.#projects.delete(project)
    else this.#projects.set(project, before)
  }

  #makeRoom(count: number): void {
    const { length } = this.#codes.project
    if (this.#rows + count <= length) return
    const more = Math.max(this.#rows + count, Math.ceil(length * growth))
    // Those who read the table go on with the columns that they have.
    this.#codes = columns(labelNames, (label) => grown(this.#codes[label], new Int32Array(more)))
    this.#figures = columns(figureNames, (figure) => grown(this.#figures[figure], new Float64Array(more)))
  }
}

const firstRows = 64

/** SLOs that are looked at in one part. */
const slosAtOnce = 2_000

const growth = 1.5

const isNewer = (a: SloVersion, b: SloVersion): boolean =>
  a.definition > b.definition || (a.definition === b.definition && a.status > b.status)

const grown = <A extends Int32Array | Float64Array>(before: A, after: A): A => {
  after.set(before)
  return after
}

const columns = <K extends string, A>(names: ReadonlyArray<K>, of: (name: K) => A): Record<K, A> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<K, A>
