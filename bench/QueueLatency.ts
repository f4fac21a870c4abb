import { setTimeout as wait } from "node:timers/promises"
import { uuidV7 } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import type { ContenderProcess } from "./ContenderProcess.ts"
import type { Arrivals } from "./QueueReceiver.ts"

/** A steady flow of alerts, each with one notification; of every ten, `slowOfTen` go to the receiver that hangs. */
export interface Flow {
  readonly perSecond: number
  readonly seconds: number
  readonly slowOfTen: number
}

/**
 * Times from alert to arrival of a flow's notifications to the receiver that does not hang, in milliseconds, the
 * shortest first. The time begins before the alert is written.
 *
 * Throws when one has not arrived within a minute of the last alert.
 */
export const arrivalTimes = async (
  receiver: ContenderProcess,
  { perSecond, seconds, slowOfTen }: Flow,
  alert: (n: number, id: string, isSlow: boolean) => Promise<void>,
): Promise<ReadonlyArray<number>> => {
  await receiver.ask<Arrivals>("arrivals")
  const sentAt = new Map<string, number>()
  const alerts: Array<Promise<void>> = []
  const begin = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const due = begin + (n * 1_000) / perSecond - performance.now()
    if (due > 0) await wait(due)
    const id = Effect.runSync(uuidV7)
    const isSlow = n % 10 < slowOfTen
    if (!isSlow) sentAt.set(id, Date.now())
    alerts.push(alert(n, id, isSlow))
  }
  await Promise.all(alerts)
  const times: Array<number> = []
  const end = performance.now() + 60_000
  while (times.length < sentAt.size) {
    if (performance.now() > end) throw new Error(`${sentAt.size - times.length} notifications did not arrive`)
    await wait(50)
    for (const [id, at] of await receiver.ask<Arrivals>("arrivals")) {
      const sent = sentAt.get(id)
      if (sent !== undefined) times.push(at - sent)
    }
  }
  return times.toSorted((a, b) => a - b)
}

/** The value that `share` of the sorted values do not exceed. */
export const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
