import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Semaphore from "effect/Semaphore"

/** Most organizations whose queues one process reads or claims from in the database at the same time. */
export const organizationsAtOnce = 6

/** How long the statements for one organization, of one step of its queue, may take, in milliseconds. */
const organizationMs = 5_000

/** How long a claim waits for organizations whose statements are slow, in milliseconds. */
export const slowMs = 100

/** Work of one organization that was started in the background. */
export type StartedWork = Effect.Effect<Fiber.Fiber<void>>

export interface OrganizationWork {
  /**
   * Runs statements of one organization. When they fail or take too long, the others go on, and the organization is
   * looked at again with the next poll.
   */
  readonly start: <A, E>(organization: OrganizationId, effect: Effect.Effect<A, E>) => StartedWork
  /** Starts work once other work has ended. */
  readonly startAfter: (running: Fiber.Fiber<void>, next: StartedWork) => StartedWork
}

/** Runs statements of organizations side by side, so that one whose statements fail or are slow does not hold up the others. */
export const makeOrganizationWork = Effect.gen(function* () {
  const background = yield* FiberSet.make<void>()
  const atOnce = yield* Semaphore.make(organizationsAtOnce)
  const work: OrganizationWork = {
    start: (organization, effect) =>
      FiberSet.run(
        background,
        atOnce
          .withPermits(1)(Effect.timeout(effect, organizationMs))
          .pipe(
            Effect.asVoid,
            Effect.catchCause((cause) =>
              Effect.annotateLogs(Effect.logWarning("Claiming deliveries of an organization failed", cause), {
                organization,
              }),
            ),
          ),
      ),
    startAfter: (running, next) =>
      FiberSet.run(background, Effect.andThen(Fiber.await(running), Effect.flatMap(next, Fiber.join))),
  }
  return work
})

/** Starts work and waits for all of it, but not for what is slow. */
export const whileFast = (started: ReadonlyArray<StartedWork>): Effect.Effect<void> =>
  started.length === 0
    ? Effect.void
    : Effect.all(started).pipe(
        Effect.flatMap((fibers) => Effect.timeoutOption(Fiber.awaitAll(fibers), slowMs)),
        Effect.asVoid,
      )
