import { SqlError } from "@effect/sql/SqlError"
import { SecretCannotBeOpened } from "@tocsin/domain/secret/SecretBox"
import { Effect, Option } from "effect"

/** What an error of a port tells of an operation that failed. */
export interface PortFailure {
  readonly operation: string
  readonly isRetryable: boolean
  readonly cause: unknown
}

/**
 * Runs the operations of one port: every error of the database, and a secret that does not open, becomes the port's own.
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
      Effect.retry({ times: 3, while: (error) => error instanceof SqlError && isConflict(error) }),
      Effect.catchAll((error): Effect.Effect<never, Exclude<E, Narrowed> | Failure> =>
        error instanceof SqlError || error instanceof SecretCannotBeOpened
          ? fail(error)
          : Effect.fail(error as Exclude<E, Narrowed>),
      ),
      // A commit or a rollback that fails comes as a defect.
      Effect.catchSomeDefect((defect) =>
        defect instanceof SqlError ? Option.some(fail(defect)) : Option.none(),
      ),
      Effect.withTracerEnabled(false),
    )
  }

type Narrowed = SqlError | SecretCannotBeOpened

/**
 * Whether the same operation may succeed later: the database was away, full, starting, stopping or too slow. False
 * when it refuses what it was asked, which no repetition mends.
 */
const isRetryable = (error: Narrowed): boolean => {
  if (error instanceof SecretCannotBeOpened) return false
  const code = codeOf(error)
  return code === undefined || !isSqlState(code) || retryableClasses.has(code.slice(0, 2))
}

/** Whether the server undid the transaction because it met another. */
export const isConflict = (error: SqlError): boolean => ["40001", "40P01"].includes(codeOf(error) ?? "")

/** The SQLSTATE of an answer of the server, or the code of the operating system; neither when a time-out struck. */
export const codeOf = (error: SqlError): string | undefined => {
  const { cause } = error
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined
}

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("E")

/**
 * Connection exceptions, read-only after a failover, rolled back, out of resources, not in the right state, stopped by
 * an operator or a time-out, and the system's own errors.
 *
 * Source: PostgreSQL, appendix A.
 */
const retryableClasses = new Set(["08", "25", "40", "53", "55", "57", "58"])
