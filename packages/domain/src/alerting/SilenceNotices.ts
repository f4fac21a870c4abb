import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { endNoticePeriod, nextEndNotice, type SilencePeriod } from "../alert-policy/SilencePeriods.ts"
import type { AlertSilence } from "../alert-policy/AlertSilence.ts"
import type { StoredDefinition } from "../definition/DefinitionStore.ts"
import type { OrganizationId, ProjectKey } from "../metadata/ObjectKey.ts"
import type { NotificationContent } from "../notification/Notification.ts"
import { uuidV7 } from "../notification/UuidV7.ts"
import { logOutages } from "../OutageLog.ts"
import { isoTimestampText } from "../template/VariableText.ts"
import type { NotifiedEvent } from "./AlertStore.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** How often a process looks for silences that end soon, in milliseconds. */
const endNoticePollMs = 1_000

/** Most notices of silences that a process reads at a time. */
const endNoticesAtOnceMax = 100

/** A silence whose `nextEndNotice` is due. */
export interface DueNotice {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The silence that ends. */
  readonly silence: StoredDefinition<AlertSilence>
  /** In Unix milliseconds. */
  readonly dueAt: number
}

/**
 * Port: when the notices before the ends of silences are due. Writing a silence sets the time to its `nextEndNotice` after
 * now, in the same transaction; deleting one removes it.
 */
export class SilenceNoticeStore extends Context.Service<
  SilenceNoticeStore,
  {
    /** What is due at `now` (Unix milliseconds), at most `limit`, longest due first. */
    readonly due: (now: number, limit: number) => Effect.Effect<ReadonlyArray<DueNotice>, StoreIsUnavailable>
    /**
     * Stores an event with its deliveries and when the next notice is due, in one transaction. Returns false, and writes
     * nothing, when the silence is not due at `dueAt` any more: another process has settled it, or it has changed.
     */
    readonly settle: (
      organization: OrganizationId,
      silence: ProjectKey,
      dueAt: number,
      settled: { readonly nextDueAt: number | undefined; readonly event: NotifiedEvent | undefined },
    ) => Effect.Effect<boolean, StoreIsUnavailable>
  }
>()("@tocsin/domain/internal/alerting/SilenceNoticeStore") {}

/**
 * Sends the notices that are due, each once however many processes do so. A notice that was not sent in time is sent late,
 * unless the silence has ended. Returns whether there may be more. One that fails does not keep the others from being sent.
 */
export const sendDueNotices = Effect.gen(function* () {
  const store = yield* SilenceNoticeStore
  const now = yield* Clock.currentTimeMillis
  const dues = yield* store.due(now, endNoticesAtOnceMax)
  const settle = (due: DueNotice) =>
    Effect.gen(function* () {
      const { organization, silence, dueAt } = due
      const period = endNoticePeriod(silence, dueAt, now)
      const event = period === undefined ? undefined : yield* noticeOf(due, period, now)
      // Of a silence that has not ended, a notice whose time has passed is sent late.
      const beforeMs = silence.definition.spec.notifyBeforeEnd?.before.ms ?? 0
      const nextDueAt = nextEndNotice(silence, Math.max(now - beforeMs, dueAt))
      yield* store.settle(organization, silence.definition.metadata, dueAt, { nextDueAt, event })
    })
  const exits = yield* Effect.forEach(dues, (due) => Effect.exit(settle(due)))
  yield* exits.find(Exit.isFailure) ?? Effect.void
  return dues.length === endNoticesAtOnceMax
})

/** Sends the notices of all organizations until its fiber is interrupted. A step that fails is retried. */
export const sendSilenceNotices: Effect.Effect<never, never, SilenceNoticeStore> = Effect.gen(function* () {
  const logging = yield* logOutages("Notifying of silences failed")
  const step = Effect.catchCause(logging(sendDueNotices), () => Effect.succeed(false))
  return yield* Effect.forever(
    Effect.flatMap(step, (isMoreDue) => (isMoreDue ? Effect.yieldNow : Effect.sleep(endNoticePollMs))),
  )
})

const noticeOf = (
  { organization, silence: { definition } }: DueNotice,
  { to }: SilencePeriod,
  now: number,
): Effect.Effect<NotifiedEvent> =>
  Effect.gen(function* () {
    const { metadata, spec } = definition
    const deliveries = yield* Effect.forEach(spec.notifyBeforeEnd?.alertMethods ?? [], (alertMethod) =>
      Effect.map(uuidV7, (id) => ({ id, alertMethod })),
    )
    const content: NotificationContent = {
      event: "silence.ending",
      organization,
      at: now,
      alertId: "",
      conditions: [`Silence ${metadata.name} ends at ${isoTimestampText(to)}`],
      slo: { project: metadata.project, name: spec.slo ?? "" },
      silence: { name: metadata.name, endsAt: to },
    }
    return { content, deliveries }
  })
