import type { Annotations, Labels, Metadata } from "../metadata/Metadata.ts"
import type { ObjectiveStatus } from "./ErrorBudget.ts"
import type { Project } from "../slo/Project.ts"
import type { Service } from "../slo/Service.ts"
import { overallTrack } from "../slo/SliceRules.ts"
import {
  type BudgetingMethod,
  type CompositeOverObjectives,
  isCompositeObjective,
  type Slo,
} from "../slo/Slo.ts"
import type { SloRow } from "./SloStore.ts"

/** A version of the SLO status API; `v1` is deprecated. Source: contract section 9. */
export type ApiVersion = "v1" | "v2"

/**
 * An SLO with its current metrics, as version 2 tells it.
 *
 * A property without data is left out, never null, 0 or empty; so are empty maps. An object without a display name
 * shows its name in its place.
 *
 * Source: contract section 2.2; decisions 0504 to 0507.
 */
export interface SloRecord {
  readonly project: NamedObject
  readonly service: NamedObject
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly objectives: ReadonlyArray<ObjectiveRecord>
  /** RFC 3339, UTC. */
  readonly createdAt: string
  /** Only that of an SLO with a composite of the older form. Source: decision 0506. */
  readonly composite?: CompositeOverObjectives & ObjectiveStatus
  readonly labels?: Labels
  readonly annotations?: Annotations
  readonly budgetingMethod: BudgetingMethod
}

/** The record as version 1 tells it: the project and the service by name only. Source: contract section 4.4. */
export interface SloRecordV1 extends Omit<SloRecord, "project" | "service"> {
  readonly project: string
  readonly service: string
}

/** A project or service within a record. Source: decision 0505. */
export interface NamedObject {
  readonly name: string
  readonly displayName: string
  readonly labels?: Labels
}

/** An objective within a record. Source: decision 0504. */
export interface ObjectiveRecord extends ObjectiveStatus {
  readonly name: string
  readonly displayName: string
  readonly target: number
  /** `Ratio`: good events over total events; `Composite`: over objectives of other SLOs. */
  readonly sliType: "Ratio" | "Composite"
  /** Only when the counts of a range were asked for and there are any. */
  readonly counts?: { readonly good: number; readonly total: number }
}

/** The project of a record as JSON; a project that is known by name only has no `displayName`. */
export const projectToJson = (project: Pick<Project, "metadata">): string => namedObjectJson(project.metadata)

/** The service of a record as JSON; a service that is known by name only has no `displayName`. */
export const serviceToJson = (service: Pick<Service, "metadata">): string => namedObjectJson(service.metadata)

/**
 * Everything of a record but its project and service, as JSON without the opening brace.
 *
 * `statuses` holds the metrics by the objective's name, those of the older composite by `overallTrack`; without an
 * entry an objective shows none. `createdAt` is in Unix milliseconds.
 */
export const sloToTailJson = (
  slo: Slo,
  createdAt: number,
  statuses: ReadonlyMap<string, ObjectiveStatus>,
): string => {
  const { composite } = slo.spec
  const tail: Omit<SloRecord, "project" | "service"> = {
    name: slo.metadata.name,
    displayName: slo.metadata.displayName ?? slo.metadata.name,
    description: slo.spec.description ?? "",
    objectives: slo.spec.objectives.map((objective) => ({
      name: objective.name,
      displayName: objective.displayName ?? objective.name,
      target: objective.target,
      ...statuses.get(objective.name),
      sliType: isCompositeObjective(objective) ? "Composite" : "Ratio",
    })),
    createdAt: new Date(createdAt).toISOString(),
    ...(composite !== undefined && { composite: { ...composite, ...statuses.get(overallTrack) } }),
    ...filled("labels", slo.metadata.labels),
    ...filled("annotations", slo.metadata.annotations),
    budgetingMethod: slo.spec.budgetingMethod,
  }
  return JSON.stringify(tail).slice(1)
}

/**
 * The metrics that a record keeps when its definition is replaced, until they are computed anew: those of the
 * objectives for which all that they depend on stays the same. Applying what is there already blanks nothing.
 */
export const keptStatuses = (
  tailJson: string,
  before: Slo,
  after: Slo,
): ReadonlyMap<string, ObjectiveStatus> => {
  const basisBefore = statusBasis(before)
  const basisAfter = statusBasis(after)
  const { objectives, composite } = JSON.parse(`{${tailJson}`) as Pick<SloRecord, "objectives" | "composite">
  const known: ReadonlyArray<readonly [track: string, ObjectiveStatus]> = [
    ...objectives.map(
      ({ name, displayName: _displayName, target: _target, sliType: _sliType, ...status }) =>
        [name, status] as const,
    ),
    ...overallStatus(composite),
  ]
  return new Map(known.filter(([track]) => basisAfter.get(track) === basisBefore.get(track)))
}

const overallStatus = (
  composite: SloRecord["composite"],
): ReadonlyArray<readonly [track: string, ObjectiveStatus]> => {
  if (composite === undefined) return []
  const { target: _target, burnRateCondition: _burnRateCondition, ...status } = composite
  return [[overallTrack, status]]
}

/** What the metrics of each track depend on besides the counts, as one text. */
const statusBasis = ({ spec }: Slo): ReadonlyMap<string, string> => {
  const { budgetingMethod, timeWindow, composite } = spec
  const objectives = spec.objectives.map(({ displayName: _displayName, ...objective }) => objective)
  const basis = (of: unknown): string => JSON.stringify([budgetingMethod, timeWindow, of])
  return new Map([
    ...objectives.map((objective) => [objective.name, basis(objective)] as const),
    [overallTrack, basis([objectives, composite])],
  ])
}

/**
 * The whole record as JSON in UTF-8.
 *
 * Encoded when it is first asked for and remembered for as long as the row lives: a store that hands out the same
 * row until it changes makes a list a copy of bytes, a tenth of the cost of encoding.
 */
export const recordBytes = (row: SloRow, version: ApiVersion): Uint8Array => {
  const known = bytesByRow[version].get(row)
  if (known !== undefined) return known
  const bytes = new TextEncoder().encode(recordJson(row, version))
  bytesByRow[version].set(row, bytes)
  return bytes
}

const bytesByRow: Readonly<Record<ApiVersion, WeakMap<SloRow, Uint8Array>>> = {
  v1: new WeakMap(),
  v2: new WeakMap(),
}

/** The whole record as JSON, by joining its fragments. */
export const recordJson = (row: SloRow, version: ApiVersion): string =>
  version === "v2"
    ? `{"project":${row.projectJson},"service":${row.serviceJson},${row.tailJson}`
    : // The names of projects and services need no escape: letters, digits and dashes only.
      `{"project":"${row.project}","service":"${row.service}",${row.tailJson}`

const namedObjectJson = (metadata: Metadata): string => {
  const named: NamedObject = {
    name: metadata.name,
    displayName: metadata.displayName ?? metadata.name,
    ...filled("labels", metadata.labels),
  }
  return JSON.stringify(named)
}

const filled = <K extends string, V extends object>(key: K, map: V | undefined): { readonly [P in K]?: V } =>
  map === undefined || Object.keys(map).length === 0 ? {} : ({ [key]: map } as { readonly [P in K]: V })
