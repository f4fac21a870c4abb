import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** How long an operation of the background work may fail before the server is not ready, in milliseconds. */
export const unreadyAfterMs = 30_000

/**
 * How long a failure of the background work counts when its operation has not run again, in milliseconds: some
 * operations run only when there is work.
 */
export const failureCountsMs = 120_000

/** Whether the server can do its work: what its background work reports, and whether it is shutting down. */
export interface ReadinessReports {
  /** Registers an operation of the background work, which fails when `message` holds, for its outcomes. */
  readonly register: (message: string, unreadyAfterMs: number) => WorkReport
  /** The operations that fail now, and have failed for at least their `unreadyAfterMs`, longest first. */
  readonly failures: (now: number) => ReadonlyArray<FailingWork>
  /** Whether `beginShutdown` was called. */
  readonly isShuttingDown: () => boolean
  /** Makes the server not ready from now on, whatever its background work reports. */
  readonly beginShutdown: () => void
}

/** Takes the outcomes of one operation. Times are in Unix milliseconds. */
export interface WorkReport {
  /** Ends a run of failures. */
  readonly succeeded: () => void
  /** Begins a run of failures, or continues one, which counts from its earliest `now`. */
  readonly failed: (now: number) => void
  /** The loop has ended by a defect: it fails for good. */
  readonly ended: (now: number) => void
}

/** An operation of the background work that keeps the server from being ready. */
export interface FailingWork {
  /** For example `Claiming deliveries failed`. */
  readonly message: string
  /** The time since the first failure after the latest success, in milliseconds; at least 0. */
  readonly failingMs: number
}

/**
 * Readiness of the server, to which `logOutages` and `forkLoop` report. Without a layer nothing is recorded, and the
 * server is always ready.
 */
export const Readiness = Context.Reference<ReadinessReports>("@tocsin/domain/internal/Readiness", {
  defaultValue: () => ({
    register: () => ({ succeeded: () => {}, failed: () => {}, ended: () => {} }),
    failures: () => [],
    isShuttingDown: () => false,
    beginShutdown: () => {},
  }),
})

/** Creates an empty registry of operations, for one server. `layer` provides it. */
export const make: Effect.Effect<ReadinessReports> = Effect.sync(() => {
  const operations: Array<Operation> = []
  let isShuttingDown = false
  return {
    register: (message, limitMs) => {
      const operation: Operation = { message, limitMs, failing: undefined }
      operations.push(operation)
      return {
        succeeded: () => {
          operation.failing = undefined
        },
        failed: (now) => {
          operation.failing = { since: Math.min(operation.failing?.since ?? now, now), at: now }
        },
        ended: (now) => {
          operation.failing = { since: now, at: undefined }
        },
      }
    },
    failures: (now) =>
      operations
        .flatMap(({ message, limitMs, failing }) => {
          // The clock may have been set back since.
          if (failing === undefined || Math.abs(now - (failing.at ?? now)) >= failureCountsMs) return []
          const failingMs = Math.max(0, now - failing.since)
          return failingMs >= limitMs ? [{ message, failingMs }] : []
        })
        .toSorted((a, b) => b.failingMs - a.failingMs),
    isShuttingDown: () => isShuttingDown,
    beginShutdown: () => {
      isShuttingDown = true
    },
  }
})

/** Provide it to everything: the background work reports to it, and the API reads from it. */
export const layer: Layer.Layer<never> = Layer.effect(Readiness, make)

interface Operation {
  readonly message: string
  readonly limitMs: number
  /** Since when, and at which time last: `undefined` for good. Absent after a success. Times are in Unix milliseconds. */
  failing: { readonly since: number; readonly at: number | undefined } | undefined
}

/**
 * Runs an endless loop in the background until the scope closes. If it ends by a defect, logs `message` and reports the
 * server as not ready, since nothing runs the loop again.
 */
export const forkLoop = <R>(
  message: string,
  loop: Effect.Effect<never, never, R>,
): Effect.Effect<Fiber.Fiber<never>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const report = (yield* Readiness).register(message, 0)
    return yield* Effect.forkScoped(
      Effect.onExit(loop, (exit) =>
        Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
          ? Effect.void
          : Effect.andThen(
              Effect.logError(message, exit.cause),
              Effect.map(Clock.currentTimeMillis, report.ended),
            ),
      ),
    )
  })
