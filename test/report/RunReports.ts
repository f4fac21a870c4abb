import { makeReports } from "@tocsin/domain/features/report"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Time between two looks for reports to make. */
const reportPollMs = 10_000

/** Makes the reports that are due now, as a server does; ends when none is left. */
export const runReports = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const idle = yield* Deferred.make<void>()
  const untilIdle: Clock.Clock = Object.create(clock, {
    sleep: {
      value: (duration: Duration.Duration) =>
        Duration.toMillis(duration) === reportPollMs
          ? Effect.andThen(Deferred.succeed(idle, undefined), Effect.never)
          : clock.sleep(duration),
    },
  })
  yield* Effect.raceFirst(Effect.provideService(makeReports, Clock.Clock, untilIdle), Deferred.await(idle))
})
