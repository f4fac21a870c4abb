import { SqlError } from "effect/sql/SqlError"
import { StoredDocumentIsInvalid } from "@tocsin/domain/codec/Codec"
import { SecretCannotBeOpened } from "@tocsin/domain/secret/SecretBox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** What an error of a port tells of an operation that failed. */
export interface PortFailure {
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}

/**
 * Runs the operations of one port: every error of the database, and a stored document that cannot be read, becomes the port's own.
 *
 * A transaction that lost a race (deadlock, serialization) is run again, up to three times. Spans are off, as they
 * cost two fifths of a short statement.
 */
export const portOperation =
  <Failure>(toFailure: (failure: PortFailure) => Failure) =>
  <A, E, R>(
    operation: string,
    effect: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, Exclude<E, Narrowed> | Failure, R> => {
    const fail = (cause: Narrowed): Effect.Effect<never, Failure> =>
      Effect.fail(toFailure({ operation, isRetryable: isRetryable(cause), cause }))
    return effect.pipe(
      Effect.retry({
        while: (error) => error instanceof SqlError && isNotConnected(error),
        schedule: soonAgain,
      }),
      Effect.retry({ times: 3, while: (error) => error instanceof SqlError && isConflict(error) }),
      Effect.catch((error): Effect.Effect<never, Exclude<E, Narrowed> | Failure> =>
        error instanceof SqlError ||
        error instanceof SecretCannotBeOpened ||
        error instanceof StoredDocumentIsInvalid
          ? fail(error)
          : Effect.fail(error as Exclude<E, Narrowed>),
      ),
      // A rollback that fails comes as a defect.
      Effect.catchDefect((defect) => (defect instanceof SqlError ? fail(defect) : Effect.die(defect))),
      (effect) =>
        withinDeadline(effect, () => toFailure({ operation, isRetryable: true, cause: "timed out" })),
      Effect.withTracerEnabled(false),
    )
  }

/**
 * How long one operation may take with all its statements, in milliseconds; by default 20,000. `Infinity` is no limit.
 *
 * The server's own limit on a statement comes first. This one is for a server that hangs, a network that swallows, and
 * a pool whose connections are all in use.
 */
export const OperationDeadlineMs = Context.Reference<number>("@tocsin/adapters-pg/OperationDeadlineMs", {
  defaultValue: () => 20_000,
})

/** Interrupts an effect that takes too long, even where its caller cannot be interrupted. */
const withinDeadline = <A, E, R, Failure>(
  effect: Effect.Effect<A, E, R>,
  timedOut: () => Failure,
): Effect.Effect<A, E | Failure, R> =>
  Effect.flatMap(OperationDeadlineMs, (deadlineMs) =>
    deadlineMs === Infinity
      ? effect
      : Effect.timeoutOrElse(Effect.interruptible(effect), {
          duration: deadlineMs,
          orElse: () => Effect.fail(timedOut()),
        }),
  )

type Narrowed = SqlError | SecretCannotBeOpened | StoredDocumentIsInvalid

/**
 * Whether the same operation may succeed later: the database was away, full, starting, stopping or too slow. False
 * when it rejects what it was asked, which no repetition mends.
 */
const isRetryable = (error: Narrowed): boolean =>
  error instanceof SqlError &&
  (error.isRetryable || retryableClasses.has(sqlStateOf(error)?.slice(0, 2) ?? ""))

/** Whether the server undid the transaction because it met another. */
export const isConflict = ({ reason }: SqlError): boolean =>
  reason._tag === "DeadlockError" || reason._tag === "SerializationError"

/** Whether no connection could be opened, so that nothing was sent. */
const isNotConnected = ({ reason }: SqlError): boolean =>
  reason._tag === "ConnectionError" && reason.operation === "connect"

/**
 * Who asks the pool for a connection is given attempts that began earlier, while the database was away, and have failed
 * meanwhile. There are at most as many as the pool has places; they fail at once.
 */
const soonAgain = Schedule.max([Schedule.recurs(10), Schedule.during("1 second")])

/** The SQLSTATE of an answer of the server; absent when it did not answer. */
export const sqlStateOf = ({ reason: { cause } }: SqlError): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

/**
 * What the driver takes for final though it may pass: read-only after a failover, out of resources, not in the right
 * state, stopped by an operator, and the system's own errors.
 *
 * Source: PostgreSQL, appendix A.
 */
const retryableClasses = new Set(["25", "53", "55", "57", "58"])
