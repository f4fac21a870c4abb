import {
  type AlertSilence,
  type DueNotice,
  DueQueue,
  nextEndNotice,
  SilenceNoticeStore,
} from "@tocsin/domain/adapter"
import { type OrganizationId, organizationKeyText, type ProjectKey } from "@tocsin/domain/kernel"
import type { StoredDefinition } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type DefinitionWritten, MemoryDatabase } from "../definition/MemoryDatabase.ts"
import { DeliveryTables } from "../delivery/DeliveryTables.ts"

/** Notices of silences in memory. */
const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const deliveries = yield* DeliveryTables
  const notices = new Map<string, Notice>()
  const queue = new DueQueue<Notice>()

  const schedule = (notice: Notice, dueAt: number | undefined): void => {
    if (dueAt === undefined) queue.remove(notice)
    else queue.put(notice, dueAt)
  }

  const follow = ({ organization, key, after, now }: DefinitionWritten): void => {
    if (key.kind !== "AlertSilence") return
    const text = organizationKeyText(organization, key)
    const earlier = notices.get(text)
    if (earlier !== undefined) queue.remove(earlier)
    notices.delete(text)
    if (after === undefined) return
    // The kind of the key says what the definition is.
    const notice = { organization, silence: after as StoredDefinition<AlertSilence> }
    notices.set(text, notice)
    schedule(notice, nextEndNotice(notice.silence, now))
  }
  database.takePart({ name: "silence notices", written: follow })

  return SilenceNoticeStore.of({
    due: (now, limit) =>
      Effect.sync(() =>
        queue.due(now, limit).map((notice): DueNotice => ({ ...notice, dueAt: queue.dueAt(notice) ?? now })),
      ),
    settle: (organization: OrganizationId, silence: ProjectKey, dueAt, { nextDueAt, event }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const notice = notices.get(organizationKeyText(organization, silence))
        if (notice === undefined || queue.dueAt(notice) !== dueAt) return false
        schedule(notice, nextDueAt)
        if (event !== undefined) deliveries.enqueue(organization, event, now)
        return true
      }),
  })
})

export const layer = Layer.effect(SilenceNoticeStore, make)

interface Notice {
  readonly organization: OrganizationId
  readonly silence: StoredDefinition<AlertSilence>
}
