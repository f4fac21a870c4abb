import type * as Result from "effect/Result"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Notification } from "../notification/Notification.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Alert, AlertStatus, AlertSubject } from "./Alert.ts"

/** What a change may look at, read in the change's own transaction. */
export interface OpenAlerts {
  /** The latest alert of the subject, open or resolved. */
  readonly latest: Alert | undefined
  /** The alert with the ID that was asked for, of whatever subject. */
  readonly withId: Alert | undefined
}

/** What to write, and what to answer. */
export interface AlertChange {
  /** Replaces the alert with its ID, or adds it; absent: nothing changes. */
  readonly put?: Alert
  /** Replaces the alert with its ID, which is not that of `put`; of the two, `put` is the latest. */
  readonly ended?: Alert
  /** Each becomes a delivery that is due at once. */
  readonly rings: ReadonlyArray<{ readonly notification: Notification; readonly alertMethod: ProjectKey }>
  readonly receipt: AlertReceipt
}

/** What a change looks at: alerts of a subject, and one by its ID. */
export interface AlertReads {
  readonly subject: AlertSubject
  readonly id: string | undefined
}

/** What to write for an evaluation of the SLO's alert policies. Source: decision 0612. */
export interface EvaluatedChanges {
  /** No two are of one subject. */
  readonly changes: ReadonlyArray<AlertChange>
  /** What the next evaluation must know of this one (`SloStore.writeStatuses`); `undefined`: nothing. */
  readonly evaluation: string | undefined
}

/** The answer to an alert from outside; plain JSON, kept for its `Idempotency-Key`. Source: decision 0601. */
export interface AlertReceipt {
  readonly alertId: string
  /** Whether the alert was opened or resolved by this; otherwise nothing changed. */
  readonly isChanged: boolean
  readonly deliveries: ReadonlyArray<{ readonly id: string; readonly alertMethod: ProjectKey }>
}

/** A key that a client chose for one request, and the digest of that request. Source: decision 0601. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
}

/** Which alerts to list. */
export interface AlertQuery {
  /** The project of the SLO; absent: all. */
  readonly project?: string
  /** Alert IDs; absent: all. */
  readonly ids?: ReadonlyArray<string>
  /** The names of SLOs, objectives and alert policies, of whatever project; absent: all. */
  readonly slos?: ReadonlyArray<string>
  readonly objectives?: ReadonlyArray<string>
  readonly alertPolicies?: ReadonlyArray<string>
  readonly statuses?: ReadonlyArray<AlertStatus>
  /** Triggered at from ≤ t < to, in Unix milliseconds. */
  readonly from?: number
  readonly to?: number
}

/** Where an alert stands among others by the time at which it triggered. */
export interface AlertPlace {
  /** In Unix milliseconds. */
  readonly triggeredAt: number
  readonly id: string
}

/**
 * Keeps the alerts of every organization, and what they set off. When an SLO is removed, its open alerts are canceled
 * as `deleted` in the same transaction. Alerts that have ended may be dropped, the oldest first, and where memory is all
 * there is, idempotency records too.
 */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /**
     * Reads what is named, lets the pure `decide` say what to write, and writes the alert, its deliveries and the
     * idempotency record together or not at all; two changes of one subject never interleave.
     *
     * A request whose key was seen within `Limits.idempotencyKeyLifetimeMs` with the same fingerprint is given the
     * receipt of then, and `decide` is not asked. A refusal is not remembered.
     *
     * Fails with `IdempotencyKeyIsReused` when the fingerprint differs.
     */
    readonly change: <E>(
      organization: OrganizationId,
      reads: AlertReads,
      idempotency: Idempotency | undefined,
      decide: (found: OpenAlerts) => Result.Result<AlertChange, E>,
    ) => Effect.Effect<AlertReceipt, E | IdempotencyKeyIsReused | AlertStoreIsUnavailable>
    /**
     * As `change`, for alerts that an evaluation of their SLO changes together, each with what was found of it in the
     * order of `reads`: what the next evaluation must know of this one is written too, and the SLO has another revision
     * then, which is answered.
     *
     * Fails with `StatusHasChanged`, and writes nothing, unless the basis of the SLO's revision is the one given: another
     * process has evaluated it, or what was evaluated has changed. The counts of the revision stay those given.
     */
    readonly changeEvaluated: <C extends EvaluatedChanges, E>(
      organization: OrganizationId,
      slo: ProjectKey,
      revision: string,
      reads: ReadonlyArray<AlertReads>,
      decide: (found: ReadonlyArray<OpenAlerts>) => Result.Result<C, E>,
    ) => Effect.Effect<
      { readonly changed: C; readonly revision: string },
      E | StatusHasChanged | AlertStoreIsUnavailable
    >
    /** What `change` would find now. */
    readonly find: (
      organization: OrganizationId,
      reads: AlertReads,
    ) => Effect.Effect<OpenAlerts, AlertStoreIsUnavailable>
    /** By ID, in the order of code points; the page's key is the ID. */
    readonly list: (
      organization: OrganizationId,
      query: AlertQuery,
      page: PageRequest<string>,
    ) => Effect.Effect<Page<Alert>, AlertStoreIsUnavailable>
    /** Those that triggered last first, of the same time by ID backwards. Source: decision 0618. */
    readonly listNewest: (
      organization: OrganizationId,
      query: AlertQuery,
      page: PageRequest<AlertPlace>,
    ) => Effect.Effect<Page<Alert>, AlertStoreIsUnavailable>
  }
>()("@tocsin/domain/alerting/AlertStore") {}

/** The `Idempotency-Key` was used for another request. Source: decision 0601. */
export class IdempotencyKeyIsReused extends Data.TaggedError("IdempotencyKeyIsReused")<{
  readonly key: string
}> {}

/** The SLO is no longer as it was when its evaluation began. Source: decision 0612. */
export class StatusHasChanged extends Data.TaggedError("StatusHasChanged") {}

/** The store could not be reached or did not answer. */
export class AlertStoreIsUnavailable extends Data.TaggedError("AlertStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
