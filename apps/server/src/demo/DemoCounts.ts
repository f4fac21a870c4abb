import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { ApiClient } from "../client/ApiClient.ts"
import { demoObjective, type DemoSlo, demoSlos, endangeredSlo } from "./DemoObjects.ts"

const minuteMs = 60_000

/**
 * Records the counts of the last hour, minute by minute, for every SLO of the demo that has none; tells whether there
 * was one.
 */
export const recordLastHour = (client: ApiClient) =>
  Effect.gen(function* () {
    const withoutCounts = yield* Effect.filter(demoSlos, (slo) =>
      Effect.map(
        client.call({ method: "GET", path: `/api/v2/slos/${slo.name}`, headers: { project: slo.project } }),
        // An objective without counts has no such member (decision 0504).
        (status) => !status.includes('"reliability":'),
      ),
    )
    const thisMinute = yield* startOfMinute
    const minutes = Array.from({ length: 60 }, (_, index) => thisMinute - (60 - index) * minuteMs)
    yield* Effect.forEach(withoutCounts, (slo) => record(client, slo, minutes))
    return withoutCounts.length > 0
  })

/**
 * Records a bad time for the SLO that gets into danger, as if it had begun `incidentMinutes` ago; tells when it ends, in
 * Unix milliseconds.
 */
export const recordIncident = (client: ApiClient) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const thisMinute = yield* startOfMinute
    const minutes = Array.from({ length: incidentMinutes + 1 }, (_, index) => thisMinute - index * minuteMs)
    yield* record(client, { ...endangeredSlo, goodShare: incidentGoodShare }, minutes)
    return { endsAt: now + minuteMs }
  })

/**
 * Records the minute that passes, every few seconds anew, for every SLO of the demo; never ends. Until `incidentEndsAt`,
 * in Unix milliseconds, one of them has its bad time.
 */
export const keepCounting = (client: ApiClient, incidentEndsAt: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const minute = yield* startOfMinute
    yield* Effect.forEach(demoSlos, (slo) => {
      const isBad = slo === endangeredSlo && now < incidentEndsAt
      return record(client, isBad ? { ...slo, goodShare: incidentGoodShare } : slo, [minute])
    })
  }).pipe(Effect.repeat(Schedule.spaced("5 seconds")))

/** How long the bad time has lasted when it is noticed, in minutes. */
export const incidentMinutes = 5

const incidentGoodShare = 0.9

const record = (
  client: ApiClient,
  { project, name, goodShare, traffic }: DemoSlo,
  minutes: ReadonlyArray<number>,
) =>
  Effect.gen(function* () {
    const counts = yield* Effect.forEach(minutes, (minute) =>
      Effect.gen(function* () {
        const total = Math.round(traffic * (0.8 + 0.4 * (yield* Random.next)))
        const bad = Math.min(total, Math.round(total * (1 - goodShare) * (0.6 + 0.8 * (yield* Random.next))))
        return { objective: demoObjective, at: new Date(minute).toISOString(), good: total - bad, total }
      }),
    )
    yield* client.call({
      method: "POST",
      path: `/api/slos/${name}/counts`,
      headers: { project, "content-type": "application/json" },
      body: JSON.stringify(counts),
    })
  })

const startOfMinute = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / minuteMs) * minuteMs)
