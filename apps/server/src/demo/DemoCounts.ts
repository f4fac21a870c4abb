import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import { counts } from "@tocsin/api"
import { type ApiClient, operationsOf } from "@tocsin/cli/client/ApiClient"
import { listSlos } from "@tocsin/cli/command/SloStatuses"
import { atRiskSlo, demoObjective, type DemoSlo, demoSlos } from "./DemoObjects.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** So long that a review of the last whole quarter has counts, which can have begun 184 days ago. */
export const historyDays = 184

/**
 * Records the history of every SLO that has no counts, and returns their number. Older counts are sparser, which makes about 95,000
 * instead of 3 million.
 */
export const recordHistory = (client: ApiClient) =>
  Effect.gen(function* () {
    const slos = yield* slosWithoutCounts(client)
    const now = yield* startOfMinute
    const counts = yield* Effect.forEach(slos, (slo) =>
      Effect.forEach(historySteps(now), ({ at, minutes }) => {
        const ageMs = now - at
        const isBad = slo.pastIncidents.some(
          ({ daysAgo, hours }) => ageMs <= daysAgo * dayMs && ageMs > daysAgo * dayMs - hours * hourMs,
        )
        return countAt(slo, at, isBad ? incidentShareOf(slo) : slo.goodShare, minutes)
      }),
    )
    yield* recordAll(client, counts.flat())
    return slos.length
  })

/** Every day has counts at one interval, which cover it (spec/reports §3); the last 12 hours have some every minute. */
const historySteps = (now: number) => {
  const dayBefore = (ms: number) => Math.floor((now - ms) / dayMs) * dayMs
  const [quarterHourly, minutely] = [dayBefore(28 * dayMs), dayBefore(12 * hourMs)]
  return [
    ...stepsBetween(dayBefore(historyDays * dayMs), quarterHourly, 60),
    ...stepsBetween(quarterHourly, minutely, 15),
    ...stepsBetween(minutely, now, 1),
  ]
}

const stepsBetween = (from: number, to: number, minutes: number) => {
  const stepMs = minutes * minuteMs
  return Array.from({ length: (to - from) / stepMs }, (_, index) => ({ at: from + index * stepMs, minutes }))
}

/** Records an incident that began `incidentMinutes` ago. Returns when it ends, in Unix milliseconds. */
export const recordIncident = (client: ApiClient) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const thisMinute = yield* startOfMinute
    const counts = yield* Effect.forEach(Array.from({ length: incidentMinutes + 1 }), (_, index) =>
      countAt(atRiskSlo, thisMinute - index * minuteMs, incidentShareOf(atRiskSlo), 1),
    )
    // The call for one SLO updates its status at once.
    yield* client.call({
      method: "POST",
      path: `/api/slos/${atRiskSlo.name}/counts`,
      headers: { project: atRiskSlo.project },
      json: counts.map(({ objective, at, good, total }) => ({ objective, at, good, total })),
    })
    return { endsAt: now + minuteMs }
  })

/**
 * Records the current minute of every SLO, every 5 seconds. The incident lasts until `incidentEndsAt` (Unix
 * milliseconds).
 */
export const keepCounting = (client: ApiClient, incidentEndsAt: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const minute = yield* startOfMinute
    const counts = yield* Effect.forEach(demoSlos, (slo) => {
      const isBad = slo === atRiskSlo && now < incidentEndsAt
      return countAt(slo, minute, isBad ? incidentShareOf(slo) : slo.goodShare, 1)
    })
    yield* recordAll(client, counts)
  }).pipe(Effect.repeat(Schedule.spaced("5 seconds")))

export const incidentMinutes = 5

/** An incident burns the error budget ten times as fast as the target allows. */
const incidentShareOf = ({ target }: DemoSlo): number => 1 - 10 * (1 - target)

interface DemoCount {
  readonly project: string
  readonly slo: string
  readonly objective: string
  readonly at: string
  readonly good: number
  readonly total: number
}

/** The events of some minutes as the count of the first one: less traffic at night, and some noise. */
const countAt = ({ project, name, traffic }: DemoSlo, at: number, goodShare: number, minutes: number) =>
  Effect.gen(function* () {
    const daily = 1 - 0.4 * Math.cos((2 * Math.PI * (at % dayMs)) / dayMs)
    const total = Math.round(traffic * minutes * daily * (0.9 + 0.2 * (yield* Random.next)))
    // Rounded up or down at random, so that the share is right with little traffic too.
    const expectedBad = total * (1 - goodShare) * (0.6 + 0.8 * (yield* Random.next))
    const bad = Math.min(total, Math.floor(expectedBad + (yield* Random.next)))
    const count: DemoCount = {
      project,
      slo: name,
      objective: demoObjective,
      at: new Date(at).toISOString(),
      good: total - bad,
      total,
    }
    return count
  })

const countsPerRequest = 5_000

const recordAll = (client: ApiClient, recorded: ReadonlyArray<DemoCount>) =>
  Effect.forEach(
    Arr.chunksOf(recorded, countsPerRequest),
    (batch) => operationsOf(counts, client.call).recordCountBatch({ body: batch }),
    { concurrency: 2, discard: true },
  )

const slosWithoutCounts = (client: ApiClient) =>
  Effect.gen(function* () {
    const listed = yield* listSlos(client)
    // An objective without counts has no `reliability`.
    const counted = new Set(
      listed
        .filter(({ objectives }) => objectives.some(({ reliability }) => reliability !== undefined))
        .map(({ project, name }) => `${project.name}/${name}`),
    )
    return demoSlos.filter(({ project, name }) => !counted.has(`${project}/${name}`))
  })

const startOfMinute = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / minuteMs) * minuteMs)
