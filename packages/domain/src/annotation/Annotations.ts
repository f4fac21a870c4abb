import * as Clock from "effect/Clock"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Alert } from "../alerting/Alert.ts"
import { AlertStore } from "../alerting/AlertStore.ts"
import { decode } from "../codec/Codec.ts"
import { type Issue, IssueList } from "../codec/Issue.ts"
import { dayMs } from "../codec/MinuteInstant.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import type { BudgetAdjustment } from "../slo/BudgetAdjustment.ts"
import { adjustsSlo } from "../slo/AdjustsSlo.ts"
import { adjustmentPeriods } from "../status/AdjustedMinutes.ts"
import { historyRangeMaxDays, parseTimeRange } from "../status/DataRange.ts"
import { SloNotFound, sloKey } from "../status/FindSlo.ts"
import { SloStore } from "../status/SloStore.ts"
import { type Annotation, annotationId, annotationMaxMs, annotationRequest } from "../slo/Annotation.ts"
import { AnnotationStore } from "./AnnotationStore.ts"

/** Most annotations of one SLO. */
export const annotationsPerSloMax = 10_000

/** Most annotations of each origin that a list has. */
export const annotationsListedMax = 500

/** What happened to or around an SLO: an annotation, one of its alerts, or a period of a budget adjustment. */
export type SloEvent =
  | {
      /** An annotation that a user or a pipeline wrote, or a gap that the service marked. */
      readonly kind: "annotation"
      /** The annotation, which starts at its `from`. */
      readonly annotation: Annotation
    }
  | {
      /** An alert of the SLO, in any status. */
      readonly kind: "alert"
      /** The alert, which starts at its `triggeredAt`. */
      readonly alert: Alert
    }
  | {
      /** One period of a budget adjustment; a recurring adjustment has an event for each period. */
      readonly kind: "adjustment"
      /** The budget adjustment that applies to the SLO. */
      readonly adjustment: BudgetAdjustment
      /** The adjusted minutes. */
      readonly range: MinuteRange
    }

/** The events of an SLO in a range. */
export interface ListedAnnotations {
  /** The range of the query, or the last 7 days by default: from ≤ t < to, in Unix milliseconds. */
  readonly range: { readonly from: number; readonly to: number }
  /** The latest start first. */
  readonly events: ReadonlyArray<SloEvent>
  /** Whether older ones in the range are left out. */
  readonly isPartial: boolean
}

/** Nothing was written. */
export class AnnotationIsInvalid extends TaggedError("AnnotationIsInvalid")<{
  /** Every issue of the ID and the body, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** The SLO does not exist, or has no annotation with this ID. */
export class AnnotationNotFound extends TaggedError("AnnotationNotFound")<{
  /** The requested ID, which may be malformed. */
  readonly id: string
}> {}

interface NamedSlo {
  readonly project?: string
  readonly name: string
}

/** Creates an annotation, or replaces that with the given ID; fails with `AnnotationIsInvalid` and every issue. */
export const putAnnotation = Effect.fn("putAnnotation")(function* (
  organization: OrganizationId,
  { project, name }: NamedSlo,
  request: { readonly id?: string; readonly body: unknown; readonly author: string },
) {
  const key = yield* Effect.fromResult(sloKey(project, name))
  const issues = new IssueList()
  const id = request.id === undefined ? yield* uuidV7 : annotationId.read(request.id, "id", issues, undefined)
  const decoded = decode(annotationRequest, request.body, undefined)
  if (Result.isFailure(decoded)) issues.addAll("", decoded.failure)
  if (Result.isFailure(decoded) || id === undefined)
    return yield* new AnnotationIsInvalid({ issues: issues.sorted() })
  const now = yield* Clock.currentTimeMillis
  const { from = now, to, ...rest } = decoded.success
  const annotation = {
    id,
    ...rest,
    from,
    ...(to !== undefined && { to }),
    author: request.author,
    createdAt: now,
  } satisfies Annotation
  const outcome = yield* (yield* AnnotationStore).put(organization, key, annotation, annotationsPerSloMax)
  if (outcome === "slo_not_found") return yield* new SloNotFound(key)
  if (outcome === "too_many") {
    const message = `the SLO already has ${annotationsPerSloMax} annotations`
    return yield* new AnnotationIsInvalid({ issues: [{ path: "", code: "too_many", message }] })
  }
  return { annotation, outcome }
})

/** Deletes an annotation of an SLO. Fails with `AnnotationNotFound`, also if the SLO does not exist or the ID is malformed. */
export const removeAnnotation = Effect.fn("removeAnnotation")(function* (
  organization: OrganizationId,
  { project, name }: NamedSlo,
  id: string,
) {
  const key = yield* Effect.fromResult(sloKey(project, name))
  const isWritten = annotationId.read(id, "id", new IssueList(), undefined) !== undefined
  const wasThere = isWritten && (yield* (yield* AnnotationStore).remove(organization, key, id))
  if (!wasThere) return yield* new AnnotationNotFound({ id })
})

/**
 * Lists what happened to an SLO in a range of at most 400 days, by default the last 7: its annotations, its alerts, and the
 * periods of its budget adjustments that overlap the range.
 */
export const listAnnotations = Effect.fn("listAnnotations")(function* (
  organization: OrganizationId,
  query: NamedSlo & { readonly from?: string; readonly to?: string },
) {
  const key = yield* Effect.fromResult(sloKey(query.project, query.name))
  const now = yield* Clock.currentTimeMillis
  const isGiven = Boolean(query.from) || Boolean(query.to)
  const range = isGiven
    ? yield* Effect.fromResult(parseTimeRange(query, historyRangeMaxDays))
    : { from: now - defaultRangeMs, to: now + 1 }
  const found = yield* (yield* SloStore).findForStatus(organization, key)
  if (Option.isNone(found)) return yield* new SloNotFound(key)
  const { slo, adjustments } = found.value

  // Those that began before the range may overlap it.
  const earlier = { from: range.from - annotationMaxMs, to: range.to }
  const limit = annotationsListedMax + 1
  const annotations = yield* (yield* AnnotationStore).list(organization, key, earlier, limit)
  const alerts = yield* alertsOf(organization, key, earlier, limit)
  const periods = adjustments
    .filter((each) => adjustsSlo(each, slo.definition.metadata))
    .flatMap((adjustment) =>
      adjustmentPeriods(adjustment, earlier, slo.definition.metadata)
        .filter(({ from }) => from >= earlier.from)
        .map((range): SloEvent => ({
          kind: "adjustment",
          adjustment,
          range,
        })),
    )
  const lists: ReadonlyArray<ReadonlyArray<SloEvent>> = [
    annotations.map((annotation) => ({ kind: "annotation", annotation })),
    alerts.map((alert) => ({ kind: "alert", alert })),
    periods.toSorted(latestFirst),
  ]
  const events = lists
    .flatMap((list) => list.slice(0, annotationsListedMax))
    .filter((event) => (endOf(event) ?? Infinity) >= range.from)
    .toSorted(latestFirst)
  const listed: ListedAnnotations = {
    range,
    events,
    isPartial: lists.some(({ length }) => length > annotationsListedMax),
  }
  return listed
})

const defaultRangeMs = 7 * dayMs

const alertsOf = (
  organization: OrganizationId,
  { project, name }: ProjectKey,
  range: { readonly from: number; readonly to: number },
  limit: number,
) =>
  Effect.map(
    Effect.flatMap(AlertStore, (store) =>
      store.list(organization, { project, slos: [name], ...range }, { limit }),
    ),
    ({ items }) => items,
  )

const startOf = (event: SloEvent): number =>
  event.kind === "annotation"
    ? event.annotation.from
    : event.kind === "alert"
      ? event.alert.triggeredAt
      : event.range.from

/** `undefined` for an alert that is open. */
const endOf = (event: SloEvent): number | undefined =>
  event.kind === "annotation"
    ? (event.annotation.to ?? event.annotation.from)
    : event.kind === "alert"
      ? event.alert.resolvedAt
      : event.range.to

const latestFirst = (a: SloEvent, b: SloEvent): number => startOf(b) - startOf(a)
