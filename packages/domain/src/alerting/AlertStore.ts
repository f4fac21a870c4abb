import type * as Result from "effect/Result"
import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import type * as Effect from "effect/Effect"
import type { Severity } from "../alert-policy/AlertPolicy.ts"
import { stored, type TypeOf } from "../codec/Codec.ts"
import { list, object } from "../codec/Containers.ts"
import { anyString, boolean } from "../codec/Leaves.ts"
import { objectName, projectKey } from "../metadata/Metadata.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { NotificationContent } from "../notification/Notification.ts"
import type { Page, PageRequest } from "../pagination/Page.ts"
import type { Alert, AlertStatus, AlertSubject } from "./Alert.ts"
import type { StoredNotifications } from "../quota/Quotas.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Time for which an `Idempotency-Key` is stored, in milliseconds. */
export const idempotencyKeyLifetimeMs = 86_400_000

/** What a change decides over, read in its own transaction. */
export interface AlertLookupResult {
  /** The latest alert of the subject, open or closed. */
  readonly latest: Alert | undefined
  /** The alert with the ID of the lookup, of any subject. */
  readonly withId: Alert | undefined
}

/** What an evaluation or a request changes about one alert. */
export interface AlertChange {
  /** Replaces the alert with its ID, or adds it; absent: nothing changes. */
  readonly put?: Alert
  /** Replaces the alert with its ID, which `put` takes the place of; of the two, `put` is the latest. */
  readonly closed?: Alert
  /** The event that alert methods are notified of; absent: none is. */
  readonly event?: NotifiedEvent
  /** What the caller is told. */
  readonly receipt: AlertReceipt
}

/** An event and its deliveries, which are due at once. */
export interface NotifiedEvent {
  /** What the templates can show. */
  readonly content: NotificationContent
  /** One for each alert method. */
  readonly deliveries: ReadonlyArray<NotifiedMethod>
}

/** A delivery to one alert method. */
export interface NotifiedMethod {
  /** The ID of the delivery. */
  readonly id: string
  /** The alert method that is notified. */
  readonly alertMethod: ProjectKey
}

/** Where an alert is looked for. */
export interface AlertLookup {
  /** What the alert is about. */
  readonly subject: AlertSubject
  /** The ID that the caller gave it; `undefined`: the open alert of the subject. */
  readonly id: string | undefined
}

/** What an evaluation of one SLO changes. */
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

/** Recognizes a request that is repeated. */
export interface Idempotency {
  /** What the client calls the request. */
  readonly key: string
  /** A digest of its content. */
  readonly fingerprint: string
}

/** Which alerts are listed: those that match all of its properties. */
export interface AlertQuery {
  /** The project of the SLO; absent: all. */
  readonly project?: string
  /** Alert IDs; absent: all. */
  readonly ids?: ReadonlyArray<string>
  /** The names of SLOs, objectives and alert policies, of whatever project; absent: all. */
  readonly slos?: ReadonlyArray<string>
  /** Names of objectives; absent: all. */
  readonly objectives?: ReadonlyArray<string>
  /** Names of alert policies; absent: all. */
  readonly alertPolicies?: ReadonlyArray<string>
  /** Absent: all, and alerts without one. */
  readonly severities?: ReadonlyArray<Severity>
  /** Names of services; absent: all. */
  readonly services?: ReadonlyArray<string>
  /** Thresholds of objectives; absent: all. */
  readonly objectiveValues?: ReadonlyArray<number>
  /** Absent: all. */
  readonly statuses?: ReadonlyArray<AlertStatus>
  /** Triggered at from ≤ t < to, in Unix milliseconds. */
  readonly from?: number
  /** The end of the range, which is not part of it. */
  readonly to?: number
  /** Open at this time or later, in Unix milliseconds. With `to`: open at some time of the range. */
  readonly activeFrom?: number
}

/** How many alerts of an SLO are open. */
export interface OpenAlerts {
  /** The SLO that the alerts are about. */
  readonly slo: ProjectKey
  /** At least 1. */
  readonly open: number
  /** How many of them are acknowledged. */
  readonly acknowledged: number
}

/** How often an alert policy has alerted. */
export interface PolicyAlerts {
  /** Alerts that triggered since a time. */
  readonly alerts: number
  /** Alerts that are open, whenever they triggered. */
  readonly open: number
  /** When the latest of all these triggered, in Unix milliseconds; absent without any. */
  readonly latestAt?: number
}

/** The position of an alert in the order of triggering. */
export interface AlertPlace {
  /** In Unix milliseconds. */
  readonly triggeredAt: number
  /** The ID of the alert. */
  readonly id: string
}

/**
 * Port: stores the alerts of every organization and the deliveries of their notifications. Removing an SLO cancels
 * its open alerts as `deleted` in the same transaction. The oldest closed alerts may be deleted.
 */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /**
     * Reads `lookup`, passes it to the pure `decide`, and writes the alert, its deliveries and the idempotency record
     * in one transaction. Changes of one subject never interleave. `isSloStored`: the SLO of the subject exists, and is neither
     * deleted nor moved meanwhile.
     *
     * A request whose key was used within `idempotencyKeyLifetimeMs` with the same fingerprint returns the first
     * receipt, without `decide`; with another fingerprint it fails with `IdempotencyKeyIsReused`. Failures are not
     * stored.
     */
    readonly change: <E>(
      organization: OrganizationId,
      lookup: AlertLookup,
      idempotency: Idempotency | undefined,
      decide: (lookedUp: AlertLookupResult, isSloStored: boolean) => Result.Result<AlertChange, E>,
    ) => Effect.Effect<AlertReceipt, E | IdempotencyKeyIsReused | StoreIsUnavailable>
    /**
     * Like `change`, for the alerts of one evaluation together, in the order of `lookups`. Also writes the
     * evaluation, and returns the SLO's new revision.
     *
     * Fails with `StatusHasChanged`, and writes nothing, when the basis of the SLO's revision is no longer the given
     * one.
     */
    readonly changeEvaluated: <C extends EvaluatedChanges, E>(
      organization: OrganizationId,
      slo: ProjectKey,
      revision: string,
      lookups: ReadonlyArray<AlertLookup>,
      decide: (lookedUp: ReadonlyArray<AlertLookupResult>) => Result.Result<C, E>,
    ) => Effect.Effect<
      { readonly changed: C; readonly revision: string },
      E | StatusHasChanged | StoreIsUnavailable
    >
    readonly find: (
      organization: OrganizationId,
      lookup: AlertLookup,
    ) => Effect.Effect<AlertLookupResult, StoreIsUnavailable>
    /** The notifications of the organization's alerts that are stored: a sum that costs the same however many there are. */
    readonly storedNotifications: (
      organization: OrganizationId,
    ) => Effect.Effect<ReadonlyArray<StoredNotifications>, StoreIsUnavailable>
    /** How many alerts of all organizations are open. */
    readonly countOpen: Effect.Effect<number, StoreIsUnavailable>
    /** The SLOs with open alerts, in no particular order. Reads the open alerts alone. */
    readonly openBySlo: (
      organization: OrganizationId,
    ) => Effect.Effect<ReadonlyArray<OpenAlerts>, StoreIsUnavailable>
    /**
     * How often each of these alert policies, given by the project of its SLOs and its name, has alerted since `from` (Unix
     * milliseconds); in their order, in one round trip.
     */
    readonly countByPolicy: (
      organization: OrganizationId,
      alertPolicies: ReadonlyArray<ProjectKey>,
      from: number,
    ) => Effect.Effect<ReadonlyArray<PolicyAlerts>, StoreIsUnavailable>
    /** Those that triggered last first, of the same time by ID backwards. Only a query with `ids` returns their evidence, which can be long. */
    readonly list: (
      organization: OrganizationId,
      query: AlertQuery,
      page: PageRequest<AlertPlace>,
    ) => Effect.Effect<Page<Alert>, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/alerting/AlertStore") {}

/** The key was used for a request with other content. */
export class IdempotencyKeyIsReused extends TaggedError("IdempotencyKeyIsReused")<{
  /** The key of the request. */
  readonly key: string
}> {}

/** No alert has the ID, or its retention has expired; or there is none to resolve. */
export class AlertNotFound extends TaggedError("AlertNotFound") {}

/** The status was computed from definitions or counts that have changed since. Nothing was written. */
export class StatusHasChanged extends TaggedError("StatusHasChanged") {}
