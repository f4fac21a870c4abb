import { setTimeout as wait } from "node:timers/promises"
import { besideAlerts } from "./AlertingNeighbors.ts"
import { type Comparison, judge, median } from "./Compare.ts"
import {
  enter,
  type FairnessStore,
  methodNames,
  type Notify,
  type Served,
  withServer,
} from "./FairnessLoad.ts"
import { amount, isShort } from "./Length.ts"
import { percentile } from "./QueueLatency.ts"
import type { Arrivals } from "./QueueReceiver.ts"

/**
 * How soon the notifications of a healthy organization arrive, alone and beside hostile organizations, on the whole
 * server: in memory, and on a durable PostgreSQL.
 *
 * The healthy one sends 20 alerts a second for half a minute. Each hostile one has 600 alert methods with a delivery due, all
 * to a path of the same host that responds with 200 after 14 s, so that no circuit opens. Times are from the response to
 * the alert until the notification arrives; one that has not arrived half a minute after the last alert counts with the
 * time until then. Each run has a server, and a database, of its own.
 *
 * Besides, alerts of the healthy organization, one after the other with pauses of two seconds, while each of 64 others keeps one `POST /api/alerts` in
 * flight: from the request to its response, and to the arrival of its notification.
 */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const comparisons: Array<Comparison> = []
  const stores: ReadonlyArray<FairnessStore> = isShort ? ["PostgreSQL"] : ["memory", "PostgreSQL"]
  for (const store of stores) comparisons.push(await besideDeliveries(store))
  for (const store of stores) comparisons.push(await besideRequests(store))
  return comparisons
}

const besideDeliveries = async (store: FairnessStore): Promise<Comparison> => {
  const times = new Map<string, ReadonlyArray<number>>([[limitName, [1_000_000]]])
  for (const hostile of hostileCounts) {
    const organizations = [healthy, ...hostileOf(hostile)]
    const arrived = await withServer(store, organizations, 32, (server) => arrivalTimes(server, hostile))
    const name = nameOf(hostile)
    times.set(`${name}, p50`, [percentile(arrived, 0.5) * 1_000])
    times.set(`${name}, p99`, [percentile(arrived, 0.99) * 1_000])
  }
  const bounds = hostileCounts.slice(1).flatMap((hostile) => [
    { name: `${nameOf(hostile)}, p99`, against: limitName, atLeast: 1 },
    { name: `${nameOf(hostile)}, p99`, against: `${nameOf(0)}, p99`, atLeast: 0.5 },
  ])
  const title = `From accepted to arrived for a healthy organization at ${perSecond} alerts a second, ${store}`
  return { title, time: "wall", ...judge(times, bounds) }
}

const besideRequests = async (store: FairnessStore): Promise<Comparison> => {
  const neighbors = amount(64, 4)
  const { accepted, arrived, afterAccepted, neighborsPerSecond } = await besideAlerts(store, {
    neighbors,
    probes: amount(30, 2),
  })
  console.log(
    `The ${neighbors} neighbors have ${neighborsPerSecond.toFixed(0)} alerts a second accepted, ${store}`,
  )
  const microseconds = (milliseconds: number) => [Math.max(1, milliseconds) * 1_000]
  const times = new Map([
    [limitName, [1_000_000]],
    ["from the request to accepted, p50", microseconds(median(accepted))],
    ["from the request to accepted, p99", microseconds(percentile(accepted, 0.99))],
    ["from the request to arrived, p50", microseconds(median(arrived))],
    ["from the request to arrived, p99", microseconds(percentile(arrived, 0.99))],
    ["from accepted to arrived, p99", microseconds(percentile(afterAccepted, 0.99))],
  ])
  return {
    title: `Alerts of a healthy organization beside ${neighbors} that each keep one in flight, ${store}`,
    time: "wall",
    ...judge(times, [
      {
        name: "from the request to arrived, p50",
        against: "from the request to accepted, p50",
        atLeast: 1 / 1.5,
      },
      { name: "from accepted to arrived, p99", against: limitName, atLeast: 1 },
      { name: "from the request to arrived, p99", against: limitName, atLeast: 1 },
    ]),
  }
}

const hostileCounts = isShort ? [0, 1] : [0, 2, 8, 64]
const methodsEach = amount(600, 20)
const perSecond = 20
const seconds = amount(30, 0.5)
const limitName = "1 s"
const nameOf = (hostile: number): string =>
  hostile === 0 ? "alone" : `beside ${hostile} hostile organizations`

const healthy = "healthy"
const hostileOf = (count: number) => Array.from({ length: count }, (_, index) => `hostile-${index}`)

/** The times of a run in milliseconds, the shortest first. */
const arrivalTimes = async (
  { pool, receiver, receiverUrl }: Served,
  hostile: number,
): Promise<ReadonlyArray<number>> => {
  const names = methodNames(healthyMethods)
  const notify = await enter(pool, healthy, names, `${receiverUrl}/hook`)
  const attackers: Array<Notify> = []
  for (const organization of hostileOf(hostile))
    attackers.push(await enter(pool, organization, methodNames(methodsEach), `${receiverUrl}/slow`))
  for (const attack of attackers)
    for (let from = 0; from < methodsEach; from += methodsPerAlert)
      await attack(methodNames(methodsEach).slice(from, from + methodsPerAlert))
  await wait(settlingMs)

  const acceptedAt = new Map<string, number>()
  const alert = async (name: string): Promise<void> => {
    for (const id of await notify([name])) acceptedAt.set(id, Date.now())
  }
  const alerts: Array<Promise<void>> = []
  const begin = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const early = begin + (n * 1_000) / perSecond - performance.now()
    if (early > 0) await wait(early)
    alerts.push(alert(names[n % names.length] ?? ""))
  }
  await Promise.all(alerts)

  const times: Array<number> = []
  const giveUpAt = performance.now() + 30_000
  while (acceptedAt.size > 0 && performance.now() < giveUpAt) {
    for (const [id, at] of await receiver.ask<Arrivals>("arrivals")) {
      const accepted = acceptedAt.get(id)
      if (accepted === undefined) continue
      times.push(Math.max(0.001, at - accepted))
      acceptedAt.delete(id)
    }
    await wait(200)
  }
  if (acceptedAt.size > 0) console.log(`${nameOf(hostile)}: ${acceptedAt.size} did not arrive`)
  for (const accepted of acceptedAt.values()) times.push(Date.now() - accepted)
  return times.toSorted((a, b) => a - b)
}

const healthyMethods = 20
const methodsPerAlert = 100
/** So long do the hostile deliveries get to fill what they can, in milliseconds. */
const settlingMs = amount(3_000, 200)
