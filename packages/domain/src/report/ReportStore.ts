import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Report, ReportSummary } from "./Report.ts"
import type { ReportSchedule } from "./ReportPeriod.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** An SLO with a report that may be due. */
export interface ClaimedReport {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The SLO that is reported on. */
  readonly slo: ProjectKey
  /** The scheduled period. */
  readonly period: MinuteRange
  /** The end of the claim, in Unix milliseconds. */
  readonly leasedTo: number
}

/** Which reports to list; what is absent lets all through. */
export interface ReportFilter {
  /** The project of the SLO; absent: all. */
  readonly project?: string
  /** The name of the SLO, of whatever project. */
  readonly slo?: string
  /** Periods that start at from ≤ t < to, in Unix milliseconds. */
  readonly from?: number
  /** The end of the range, which is not part of it. */
  readonly to?: number
}

/** The position of a report in the order of periods. */
export interface ReportPlace {
  /** The start of the period, in Unix milliseconds. */
  readonly from: number
  /** The ID of the report. */
  readonly id: string
}

/**
 * Port: schedules the reports of SLOs, and stores reports, which never change.
 *
 * An SLO that is applied is scheduled by `reportScheduleAt` in the same transaction, and due at once when its scheduled
 * period is another one. Deleting an SLO deletes its schedule and none of its reports.
 */
export class ReportStore extends Context.Service<
  ReportStore,
  {
    /**
     * Claims SLOs of all organizations whose report is due at `now` (Unix milliseconds), longest due first. An SLO is
     * claimed by one caller until `leaseMs` have passed or a change makes it due.
     */
    readonly claim: (
      now: number,
      limit: number,
      leaseMs: number,
    ) => Effect.Effect<ReadonlyArray<ClaimedReport>, StoreIsUnavailable>
    /**
     * Makes every report due at `now` (Unix milliseconds) whose period ended at least `reportDelayMs` before, and whose due
     * time is more than `waitMs` later: the clock may have been ahead when it was set.
     */
    readonly makeDue: (now: number, waitMs: number) => Effect.Effect<void, StoreIsUnavailable>
    /**
     * Stores the report, if any, and schedules the next one, in one step. Does nothing and returns `false` when the SLO
     * was deleted, changed or claimed by another caller since it was claimed.
     */
    readonly settle: (
      claimed: ClaimedReport,
      next: ReportSchedule,
      report: Report | undefined,
    ) => Effect.Effect<boolean, StoreIsUnavailable>
    /**
     * Stores a report that was made on demand, unless its SLO has one of the same period: returns the one that is stored
     * then. Stores nothing when the SLO does not exist, or has `reportsMax` reports or more.
     */
    readonly add: (
      organization: OrganizationId,
      report: Report,
      reportsMax: number,
    ) => Effect.Effect<Report | "slo_not_found" | "too_many", StoreIsUnavailable>
    /** The report of an SLO of exactly a period; of several the one that was made last. */
    readonly findByPeriod: (
      organization: OrganizationId,
      slo: ProjectKey,
      period: MinuteRange,
    ) => Effect.Effect<Option.Option<Report>, StoreIsUnavailable>
    /** Latest periods first; of the same start by ID backwards. */
    readonly list: (
      organization: OrganizationId,
      filter: ReportFilter,
      page: PageRequest<ReportPlace>,
    ) => Effect.Effect<Page<ReportSummary>, StoreIsUnavailable>
    readonly find: (
      organization: OrganizationId,
      id: string,
    ) => Effect.Effect<Option.Option<Report>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/report/ReportStore") {}
