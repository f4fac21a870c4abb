import { setTimeout as wait } from "node:timers/promises"
import {
  enter,
  type FairnessStore,
  methodNames,
  type Notify,
  type Served,
  withServer,
} from "./FairnessLoad.ts"
import { amount } from "./Length.ts"
import type { Arrivals } from "./QueueReceiver.ts"

/** How long alerts of a healthy organization took, in milliseconds, the shortest first, and how many the others had accepted. */
export interface BesideAlerts {
  /** From the request to its response. */
  readonly accepted: ReadonlyArray<number>
  /** From the request to the arrival of the notification. */
  readonly arrived: ReadonlyArray<number>
  /** From the response to the arrival; 0 when that came first. */
  readonly afterAccepted: ReadonlyArray<number>
  readonly neighborsPerSecond: number
}

const healthy = "healthy"

/**
 * Sends `probes` alerts of a healthy organization, one after the other with pauses of two seconds, while each of `neighbors` other organizations keeps
 * one alert in flight, to an alert method whose receiver responds after 14 s. A neighbor whose alert is rejected sends it again.
 */
export const besideAlerts = (
  store: FairnessStore,
  { neighbors, probes }: { readonly neighbors: number; readonly probes: number },
): Promise<BesideAlerts> => {
  const others = Array.from({ length: neighbors }, (_, index) => `neighbor-${index}`)
  return withServer(store, [healthy, ...others], neighbors + 16, async (served) => {
    const names = methodNames(healthyMethods)
    const notify = await enter(served.pool, healthy, names, `${served.receiverUrl}/hook`)
    const loads: Array<Notify> = []
    for (const other of others)
      loads.push(await enter(served.pool, other, methodNames(1), `${served.receiverUrl}/slow`))
    const load = { isOver: false, accepted: 0 }
    const keepOneInFlight = async (notifyOther: Notify): Promise<void> => {
      while (!load.isOver) {
        const isAccepted = await notifyOther(methodNames(1)).then(
          () => true,
          () => false,
        )
        if (isAccepted) load.accepted++
        else await wait(rejectedMs)
      }
    }
    const loading = Promise.all(loads.map(keepOneInFlight))
    try {
      const settledAt = performance.now() + settlingMaxMs
      while (load.accepted < settlingRounds * neighbors && performance.now() < settledAt) await wait(50)
      load.accepted = 0
      const startedAt = performance.now()
      const probed = await probe(served, names, notify, probes)
      const neighborsPerSecond = (load.accepted * 1_000) / (performance.now() - startedAt)
      if (load.accepted === 0) throw new Error("the neighbors had no alert accepted")
      return { ...probed, neighborsPerSecond }
    } finally {
      load.isOver = true
      await loading
    }
  })
}

const healthyMethods = 20
/** The load begins with this many alerts of each neighbor, but lasts no longer than this, in milliseconds. */
const settlingRounds = amount(5, 1)
const settlingMaxMs = amount(60_000, 10_000)
const pauseMs = amount(2_000, 100)
const rejectedMs = 100
const arrivalMs = 120_000

const probe = async (
  { receiver }: Served,
  names: ReadonlyArray<string>,
  notify: Notify,
  probes: number,
): Promise<Omit<BesideAlerts, "neighborsPerSecond">> => {
  const accepted: Array<number> = []
  const arrived: Array<number> = []
  const afterAccepted: Array<number> = []
  const sent = new Map<string, { readonly at: number; readonly acceptedAt: number }>()
  const send = async (n: number): Promise<void> => {
    const at = Date.now()
    const ids = await notify([names[n % names.length] ?? ""])
    const acceptedAt = Date.now()
    for (const id of ids) sent.set(id, { at, acceptedAt })
    accepted.push(acceptedAt - at)
  }
  for (let n = 0; n < probes; n++) {
    await send(n)
    await wait(pauseMs)
  }
  const giveUpAt = performance.now() + arrivalMs
  while (sent.size > 0) {
    if (performance.now() > giveUpAt) throw new Error(`${sent.size} notifications did not arrive`)
    for (const [id, at] of await receiver.ask<Arrivals>("arrivals")) {
      const times = sent.get(id)
      if (times === undefined) continue
      arrived.push(at - times.at)
      afterAccepted.push(Math.max(0, at - times.acceptedAt))
      sent.delete(id)
    }
    await wait(50)
  }
  const sorted = (times: ReadonlyArray<number>) => times.toSorted((a, b) => a - b)
  return { accepted: sorted(accepted), arrived: sorted(arrived), afterAccepted: sorted(afterAccepted) }
}
