import type * as Result from "effect/Result"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import { stored, type TypeOf } from "../codec/Codec.ts"
import { list, object } from "../codec/Containers.ts"
import { anyString, boolean } from "../codec/Leaves.ts"
import { objectName, projectKey } from "../metadata/Metadata.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { Notification } from "../notification/Notification.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Alert, AlertStatus, AlertSubject } from "./Alert.ts"

/** How long an `Idempotency-Key` is remembered, in milliseconds. */
export const idempotencyKeyLifetimeMs = 86_400_000

/** What a change decides over, read in its own transaction. */
export interface AlertLookupResult {
  /** The latest alert of the subject, open or closed. */
  readonly latest: Alert | undefined
  /** The alert with the ID of the lookup, of whatever subject. */
  readonly withId: Alert | undefined
}

/** What to write, and the receipt to return. */
export interface AlertChange {
  /** Replaces the alert with its ID, or adds it; absent: nothing changes. */
  readonly put?: Alert
  /** Replaces the alert with its ID, which `put` takes the place of; of the two, `put` is the latest. */
  readonly closed?: Alert
  /** Each becomes a delivery that is due at once. */
  readonly notifications: ReadonlyArray<{
    readonly notification: Notification
    readonly alertMethod: ProjectKey
  }>
  readonly receipt: AlertReceipt
}

/** Which alerts a change decides over: the latest of a subject, and one by its ID. */
export interface AlertLookup {
  readonly subject: AlertSubject
  readonly id: string | undefined
}

/** What to write for an evaluation of an SLO's alerts. */
export interface EvaluatedChanges {
  /** No two are of one subject. */
  readonly changes: ReadonlyArray<AlertChange>
  /** The lifecycles of the alerts in progress (`ComputedStatus.evaluation`). */
  readonly evaluation: string | undefined
}

const alertReceipt = object({
  alertId: anyString,
  /** Whether this opened or resolved the alert; otherwise nothing changed. */
  isChanged: boolean,
  deliveries: list(object({ id: anyString, alertMethod: projectKey(objectName) })),
})

/** The response to an external alert, stored for its `Idempotency-Key`. */
export type AlertReceipt = TypeOf<typeof alertReceipt>

/** The stored form of a receipt. */
export const storedReceipt = stored(alertReceipt, [])

/** A key that a client chose for one request, and the digest of that request. */
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

/** The position of an alert in the order of triggering. */
export interface AlertPlace {
  /** In Unix milliseconds. */
  readonly triggeredAt: number
  readonly id: string
}

/**
 * Keeps the alerts of every organization, and stores the deliveries of their notifications. When an SLO is removed, its
 * open alerts are canceled as `deleted` in the same transaction. Closed alerts may be dropped, the oldest first; a store
 * in memory may drop idempotency records too.
 */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /**
     * Reads `lookup`, passes it to the pure `decide`, and writes the alert, its deliveries and the idempotency record
     * together or not at all; two changes of one subject never interleave.
     *
     * A request whose key was used within `idempotencyKeyLifetimeMs` with the same fingerprint gets the first
     * receipt, and `decide` is not called. A failure is not remembered.
     *
     * Fails with `IdempotencyKeyIsReused` when the fingerprint differs.
     */
    readonly change: <E>(
      organization: OrganizationId,
      lookup: AlertLookup,
      idempotency: Idempotency | undefined,
      decide: (lookedUp: AlertLookupResult) => Result.Result<AlertChange, E>,
    ) => Effect.Effect<AlertReceipt, E | IdempotencyKeyIsReused | AlertStoreIsUnavailable>
    /**
     * As `change`, for the alerts that an evaluation of their SLO changes together, in the order of `lookups`. Writes
     * the evaluation too, and returns the SLO's new revision.
     *
     * Fails with `StatusHasChanged`, and writes nothing, when the basis of the SLO's revision is no longer the given one:
     * another process has evaluated it, or what was evaluated has changed. The counts of the revision stay as given.
     */
    readonly changeEvaluated: <C extends EvaluatedChanges, E>(
      organization: OrganizationId,
      slo: ProjectKey,
      revision: string,
      lookups: ReadonlyArray<AlertLookup>,
      decide: (lookedUp: ReadonlyArray<AlertLookupResult>) => Result.Result<C, E>,
    ) => Effect.Effect<
      { readonly changed: C; readonly revision: string },
      E | StatusHasChanged | AlertStoreIsUnavailable
    >
    /** What `change` would find now. */
    readonly find: (
      organization: OrganizationId,
      lookup: AlertLookup,
    ) => Effect.Effect<AlertLookupResult, AlertStoreIsUnavailable>
    /** By ID, in the order of code points; the page's key is the ID. */
    readonly list: (
      organization: OrganizationId,
      query: AlertQuery,
      page: PageRequest<string>,
    ) => Effect.Effect<Page<Alert>, AlertStoreIsUnavailable>
    /** Those that triggered last first, of the same time by ID backwards. */
    readonly listNewest: (
      organization: OrganizationId,
      query: AlertQuery,
      page: PageRequest<AlertPlace>,
    ) => Effect.Effect<Page<Alert>, AlertStoreIsUnavailable>
  }
>()("@tocsin/domain/alerting/AlertStore") {}

/** The `Idempotency-Key` was used for another request. */
export class IdempotencyKeyIsReused extends Data.TaggedError("IdempotencyKeyIsReused")<{
  readonly key: string
}> {}

/** The SLO is no longer as it was when its evaluation began. */
export class StatusHasChanged extends Data.TaggedError("StatusHasChanged") {}

/** The store could not be reached or did not answer. */
export class AlertStoreIsUnavailable extends Data.TaggedError("AlertStoreIsUnavailable")<{
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}> {}
