import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { AlertPolicy } from "../alert-policy/AlertPolicy.ts"
import type { AlertSilence } from "../alert-policy/AlertSilence.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import type { Slo } from "../slo/Slo.ts"
import type { SloOutline } from "../slo/SloOutline.ts"
import type { PastChanges } from "./StoredPastChanges.ts"
import type { SloRecord, SloStatuses } from "./SloRecord.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** The revision of an SLO; as a string, both parts joined with a dot. */
export interface SloRevision {
  /** Changes with every definition that the status is computed from, with each status and each alert that is written. */
  readonly basis: string
  /** Changes with counts, its own and those of its components. */
  readonly counts: string
}

/** The part of the counts has no dot. */
export const textToRevision = (text: string): SloRevision => {
  const dot = text.lastIndexOf(".")
  return { basis: text.slice(0, Math.max(dot, 0)), counts: text.slice(dot + 1) }
}

/** Joins both parts with a dot; `textToRevision` is the inverse. */
export const revisionToText = ({ basis, counts }: SloRevision): string => `${basis}.${counts}`

/** How often the parts of an SLO's record were written: each grows while the SLO exists, `definition` also when it is created again. */
export interface SloVersion {
  /** The version of the definition. */
  readonly definition: number
  /** Grows by 1 with each status that is written, and with other changes of what the status is computed from. */
  readonly status: number
}

/** The SLOs of a project, by their number and the sums of their versions: equal ones have the same definitions, statuses and names. */
export interface ProjectVersion extends SloVersion {
  /** The name of the project. */
  readonly project: string
  /** How many SLOs it has. */
  readonly slos: number
  /** Changes with the definition of the project and those of its services. */
  readonly names: string
}

/** An SLO with its version, and those parts of it that have changed since a known version. */
export interface SloChange extends ProjectKey {
  /** What the parts were read at. */
  readonly version: SloVersion
  /** Absent if the version of the definition is known. */
  readonly outline?: SloOutline
  /** Absent if the version is known. */
  readonly statuses?: SloStatuses
}

/** The version of an SLO once a status was written that had been computed at this revision; `undefined` for another form. */
export const writtenVersion = (revision: string): SloVersion | undefined => {
  const [definition, status, ...rest] = textToRevision(revision).basis.split(".").map(Number)
  if (definition === undefined || status === undefined || rest.length > 0) return undefined
  return Number.isSafeInteger(definition + status) ? { definition, status: status + 1 } : undefined
}

/** Which SLOs to list; what is absent lets all through. */
export interface SloFilter {
  /** The project of the SLO; absent: all. */
  readonly project?: string
  /** The name of its service; absent: all. */
  readonly service?: string
  /** A substring of `sloSearchText`, folded by `foldedText`. */
  readonly text?: string
}

/** The name of an SLO and its display name, if any, separated by a line break and folded by `foldedText`. */
export const sloSearchText = ({ metadata: { name, displayName } }: Slo): string =>
  foldedText(displayName === undefined ? name : `${name}\n${displayName}`)

/** A string for comparison regardless of letter case and Unicode composition. */
export const foldedText = (text: string): string => text.normalize("NFKC").toLowerCase()

/** An SLO whose status is due, with everything stored for it except its counts. */
export interface DueSlo {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The SLO whose status is due. */
  readonly slo: StoredDefinition<Slo>
  /** Existing policies, in the order of the SLO. */
  readonly policies: ReadonlyArray<StoredDefinition<AlertPolicy>>
  /** In the order of their names. */
  readonly silences: ReadonlyArray<StoredDefinition<AlertSilence>>
  /** At least those of the SLO and of its components, in no particular order. */
  readonly adjustments: ReadonlyArray<BudgetAdjustment>
  /** Of an SLO with an indicator: how far it has been read, as in `MinutesRead`. */
  readonly readTo?: number
  /** The minutes after `readTo` that are read before older ones, as in `MinutesRead`. */
  readonly recent?: MinuteRange
  /** Of an SLO with composite objectives: the minutes of its components that are not read yet, as in `unreadOfComponents`. */
  readonly componentsUnread?: MinuteRange
  /** Whether alerts about missing data are left out, as in a backtest. */
  readonly ignoresMissingData?: boolean
  /** The past minutes that have changed, its own and those of its components, by counts or by budget adjustments. */
  readonly pastChanges?: PastChanges
  /**
   * The header `traceparent` of the latest recording since the status was last written that had one, of its own counts or of
   * those of its components.
   */
  readonly traceparent?: string
  /** As it was last written with `writeStatuses`. */
  readonly evaluation: string | undefined
  /**
   * A `SloRevision`, read before all other parts, so that a later change is detected when the status is written. It
   * changes with everything the status is computed from, and with every status that is written.
   */
  readonly revision: string
}

/** Up to where the data source of an SLO is read, in Unix milliseconds, even if older minutes are missing; absent without one. */
export const latestReadTo = ({ readTo, recent }: Pick<DueSlo, "readTo" | "recent">): number | undefined =>
  recent?.to ?? readTo

/** An SLO of which alerts are held. */
export interface HeldSlo {
  /** The project and name of the SLO. */
  readonly slo: ProjectKey
  /** As in `DueSlo`. */
  readonly pastChanges?: PastChanges
  /** As it was last written with `writeStatuses`. */
  readonly evaluation: string
}

/** The status of one SLO, to be written. */
export interface ComputedStatus {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The SLO that it is of. */
  readonly slo: ProjectKey
  /** The revision of the `DueSlo` it was computed from, or a later one that it caused. */
  readonly revision: string
  /** By objective. */
  readonly statuses: SloStatuses
  /** The state for the next evaluation, if any. */
  readonly evaluation?: string
  /** The changes of the past that the next evaluation needs; absent: none. Those made since the SLO was read are retained. */
  readonly pastChanges?: PastChanges
  /** When the status must be computed again, in Unix milliseconds; absent: when something changes. */
  readonly dueAt?: number
}

/** Port: reads SLO records and updates their status. */
export class SloStore extends Context.Service<
  SloStore,
  {
    /** In the order of project, then name, by code point. A search reads one record after the other. */
    readonly page: (
      organization: OrganizationId,
      page: PageRequest<ProjectKey>,
      filter?: SloFilter,
    ) => Effect.Effect<Page<SloRecord>, StoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      key: ProjectKey,
    ) => Effect.Effect<Option.Option<SloRecord>, StoreIsUnavailable>
    /** Like `find` for several SLOs at once: those that exist, in the order of the keys. */
    readonly findAll: (
      organization: OrganizationId,
      keys: ReadonlyArray<ProjectKey>,
    ) => Effect.Effect<ReadonlyArray<SloRecord>, StoreIsUnavailable>
    /** The versions of all projects that have SLOs, in no particular order. */
    readonly projectVersions: (
      organization: OrganizationId,
    ) => Effect.Effect<ReadonlyArray<ProjectVersion>, StoreIsUnavailable>
    /**
     * The SLOs of some projects, each with what has changed since the version that `known` returns. In the order of project, then name,
     * by code point.
     */
    readonly changedSlos: (
      organization: OrganizationId,
      projects: ReadonlyArray<string>,
      page: PageRequest<ProjectKey>,
      known: (key: ProjectKey) => SloVersion | undefined,
    ) => Effect.Effect<Page<SloChange>, StoreIsUnavailable>
    /**
     * Claims SLOs of all organizations whose status is due at `now` (Unix milliseconds), longest due first.
     *
     * An SLO is claimed by one caller until `leaseMs` have passed or a change makes it due.
     */
    readonly dueForStatus: (
      now: number,
      limit: number,
      leaseMs: number,
    ) => Effect.Effect<ReadonlyArray<DueSlo>, StoreIsUnavailable>
    /** When the status that is due longest became due, of all organizations, in Unix milliseconds; absent if none is due. */
    readonly oldestDueAt: (now: number) => Effect.Effect<Option.Option<number>, StoreIsUnavailable>
    /**
     * Makes every SLO due at `now` (Unix milliseconds) whose due time is more than `waitMs` later: the clock may have been
     * ahead when it was set.
     */
    readonly makeDue: (now: number, waitMs: number) => Effect.Effect<void, StoreIsUnavailable>
    /** Like `dueForStatus` for one SLO, due or not, without claiming it. */
    readonly findForStatus: (
      organization: OrganizationId,
      key: ProjectKey,
    ) => Effect.Effect<Option.Option<DueSlo>, StoreIsUnavailable>
    /**
     * Like `findForStatus` for several SLOs at once: those that exist and can be read, in the order of the keys.
     */
    readonly findAllForStatus: (
      organization: OrganizationId,
      keys: ReadonlyArray<ProjectKey>,
    ) => Effect.Effect<ReadonlyArray<DueSlo>, StoreIsUnavailable>
    /**
     * The SLOs of which alerts are held: those whose evaluation has `heldLifecycleText`. In the order of project, then name, by code
     * point, at most `limit`.
     */
    readonly held: (
      organization: OrganizationId,
      limit: number,
      filter?: Partial<ProjectKey>,
    ) => Effect.Effect<Page<HeldSlo>, StoreIsUnavailable>
    /**
     * Replaces statuses and evaluations, each unless the basis of the SLO's revision has changed (the status is then
     * still due). Returns for each, in order, whether it was written. No SLO occurs twice.
     *
     * A status whose counts have changed meanwhile is written and due again at once.
     */
    readonly writeStatuses: (
      statuses: ReadonlyArray<ComputedStatus>,
    ) => Effect.Effect<ReadonlyArray<boolean>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/status/SloStore") {}
