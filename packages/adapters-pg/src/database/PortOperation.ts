import { SqlError } from "effect/sql/SqlError"
import { count, makeGathering, metrics, type PortFailure, withSpan } from "@tocsin/domain/adapter"
import { SecretCannotBeOpened, StoreIsUnavailable } from "@tocsin/domain/ports"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { operationMetrics } from "./OperationMetrics.ts"
import { StoredRowIsInvalid } from "./StoredRow.ts"
import { WritesAreTooMany } from "./WriteTurns.ts"

/**
 * The timeout of an operation with all its statements, in milliseconds; default 20,000, `Infinity` for none.
 *
 * The server's statement timeout is shorter. This one covers a server that hangs, a network that drops packets, and a
 * pool whose connections are all in use.
 */
export const OperationDeadlineMs = Context.Reference<number>(
  "@tocsin/adapters-pg/internal/OperationDeadlineMs",
  {
    defaultValue: () => 20_000,
  },
)

/** As `portOperation`, for a port whose error is `StoreIsUnavailable`. */
export const storeOperation = (store: string) =>
  portOperation(store, (failure) => new StoreIsUnavailable({ store, ...failure }))

/**
 * Makes the function that turns effects, and functions that return one, into operations of a port: every error of the database, and each row that cannot be read becomes the port's own.
 *
 * Repeats a transaction after a deadlock or a serialization failure, up to three times. Each operation is measured by its
 * name and that of the port. It is a span if the host has a tracer; otherwise there are none, as those of the driver take
 * two fifths of the time of a short statement.
 */
export const portOperation = <Failure>(port: string, toFailure: (failure: PortFailure) => Failure) => {
  const guarded = <A, E, R>(
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
        error instanceof StoredRowIsInvalid ||
        error instanceof WritesAreTooMany
          ? fail(error)
          : Effect.fail(error as Exclude<E, Narrowed>),
      ),
      // A rollback that fails is raised as a defect.
      Effect.catchDefect((defect) => (defect instanceof SqlError ? fail(defect) : Effect.die(defect))),
      (effect) =>
        withinDeadline(effect, () => toFailure({ operation, isRetryable: true, cause: "timed out" })),
      measured(`${port}.${operation}`),
    )
  }
  function operation<A, E, R>(
    name: string,
    effect: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, Exclude<E, Narrowed> | Failure, R>
  function operation<Args extends ReadonlyArray<unknown>, A, E, R>(
    name: string,
    run: (...args: Args) => Effect.Effect<A, E, R>,
  ): (...args: Args) => Effect.Effect<A, Exclude<E, Narrowed> | Failure, R>
  function operation(name: string, run: Running | ((...args: ReadonlyArray<never>) => Running)) {
    return Effect.isEffect(run)
      ? guarded(name, run)
      : (...args: ReadonlyArray<never>) => guarded(name, run(...args))
  }
  return operation
}

/**
 * Makes an operation of a store for items of a key, at most `sizeMax` that arrive at the same time together: while some are handled,
 * others wait. A failure of the operation is that of all its items; `run` returns the result of each, in their order.
 */
export const togetherOperation = <Item, A>(
  store: string,
  name: string,
  sizeMax: number,
  run: (
    items: readonly [Item, ...ReadonlyArray<Item>],
  ) => Effect.Effect<ReadonlyArray<Result.Result<A, Narrowed>>, Narrowed>,
): ((key: string, item: Item) => Effect.Effect<A, StoreIsUnavailable>) => {
  const operation = storeOperation(store)
  const toFailure = (cause: Narrowed | string, mayPass: boolean) =>
    new StoreIsUnavailable({ store, operation: name, isRetryable: mayPass, cause })
  const tookTooLong = Effect.fail(toFailure("waited too long", true))
  return makeGathering({
    run: (_, [first, ...others]: ReadonlyArray<Item>) =>
      first === undefined
        ? Effect.succeed([])
        : Effect.map(withoutDeadline(operation(name, run([first, ...others]))), (results) =>
            results.map((result) =>
              Result.isSuccess(result)
                ? Exit.succeed(result.success)
                : Exit.fail(toFailure(result.failure, isRetryable(result.failure))),
            ),
          ),
    isShared: () => true,
    sizeMax,
    waiting: { max: waitingMax, full: tookTooLong, maxMs: waitMs, late: tookTooLong },
    running: deadlineOfGroup(store, name),
  })
}

/** An operation without a deadline: that of a group, which has `deadlineOfGroup`. */
export const withoutDeadline = Effect.provideService(OperationDeadlineMs, Infinity)

/** The deadline of an operation of a store for a group. */
export const deadlineOfGroup = (store: string, operation: string) => ({
  maxMs: (context: Context.Context<never>): number => Context.get(context, OperationDeadlineMs),
  late: Effect.andThen(
    count(metrics.databaseOperationsFailed.of(`${store}.${operation}`)),
    Effect.fail(new StoreIsUnavailable({ store, operation, isRetryable: true, cause: "timed out" })),
  ),
})

/** Maximum number of items of a key that wait. */
const waitingMax = 10_000

/** How long an item waits until it is handled, in milliseconds: much longer than a statement takes. */
const waitMs = 10_000

/** Measures an operation, and traces it if the host has a tracer. */
const measured =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const traced = withSpan(operation, { kind: "client", attributes: { "db.system.name": "postgresql" } })(
      effect,
    )
    return Effect.withFiber(({ context }) => {
      const measures = operationMetrics(context)
      const startedAt = performance.now()
      measures.begin()
      return Effect.onExitPrimitive(traced, (exit) => {
        measures.end(operation, (performance.now() - startedAt) / 1_000, isUnavailable(exit))
        return undefined
      })
    })
  }

/** Whether the database failed, and neither what the operation was about nor its wait for a turn. */
const isUnavailable = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  Option.exists(
    Cause.findErrorOption(exit.cause),
    (error) =>
      Predicate.hasProperty(error, "isRetryable") &&
      !(Predicate.hasProperty(error, "cause") && error.cause instanceof WritesAreTooMany),
  )

/**
 * Interrupts an effect at the deadline, even within an uninterruptible caller, and does not wait until it has ended: a transaction is
 * rolled back first, which takes long on a connection that hangs.
 */
const withinDeadline = <A, E, R, Failure>(
  effect: Effect.Effect<A, E, R>,
  timedOut: () => Failure,
): Effect.Effect<A, E | Failure, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    const deadlineMs = Context.get(context, OperationDeadlineMs)
    if (deadlineMs === Infinity) return effect
    return Effect.callback<A, E | Failure, R>((resume) => {
      const run = Effect.runForkWith(context)
      const timer = run(Effect.sleep(deadlineMs))
      const fiber = run(effect)
      fiber.addObserver((exit) => {
        timer.interruptUnsafe()
        resume(exit)
      })
      timer.addObserver((exit) => {
        if (Exit.isFailure(exit)) return
        resume(Effect.fail(timedOut()))
        fiber.interruptUnsafe()
      })
      return Effect.andThen(
        Effect.sync(() => timer.interruptUnsafe()),
        Fiber.interrupt(fiber),
      )
    })
  })

type Running = Effect.Effect<unknown, unknown, unknown>

type Narrowed = SqlError | SecretCannotBeOpened | StoredRowIsInvalid | WritesAreTooMany

/**
 * Whether the same operation may succeed later: the database was unreachable, full, starting, stopping or too slow, or
 * the transaction got no turn. False when the database rejected the statement.
 */
const isRetryable = (error: Narrowed): boolean =>
  error instanceof WritesAreTooMany ||
  (error instanceof SqlError &&
    sqlStateOf(error) !== protocolViolation &&
    (error.isRetryable || retryableClasses.has(sqlStateOf(error)?.slice(0, 2) ?? "")))

/** As a pooler reports a startup parameter that it does not know: it never will. */
const protocolViolation = "08P01"

/** Whether TLS rejected a certificate: someone has to change it, or what it is verified with. */
export const isCertificateRejected = (cause: unknown): boolean =>
  hasCause(cause, (error) =>
    /^(?:ERR_TLS_CERT|CERT_|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_)/.test(
      "code" in error ? String(error.code) : "",
    ),
  )

/** Whether PostgreSQL refused TLS, which `sslmode` requires: someone has to change either. */
export const isTlsRefused = (cause: unknown): boolean =>
  hasCause(cause, ({ message }) => message === "The server does not support TLS")

const hasCause = (cause: unknown, is: (error: Error) => boolean): boolean =>
  cause instanceof Error &&
  (is(cause) || hasCause("reason" in cause ? (cause.reason as { cause?: unknown }).cause : cause.cause, is))

/** The innermost message of a failure. None of the database, its driver and the network includes a password. */
export const innermostMessage = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.cause !== undefined) return innermostMessage(cause.cause)
  return cause.message || ("code" in cause ? String(cause.code) : cause.name)
}

/** Whether the server rolled the transaction back because of a concurrent one. */
export const isConflict = ({ reason }: SqlError): boolean =>
  reason._tag === "DeadlockError" || reason._tag === "SerializationError"

const isNotConnected = ({ reason }: SqlError): boolean =>
  reason._tag === "ConnectionError" && reason.operation === "connect"

/**
 * After an outage, the pool hands out connection attempts that have failed meanwhile: at once, and at most as many as it
 * has connections.
 */
const soonAgain = Schedule.max([Schedule.recurs(10), Schedule.during("1 second")])

/** The SQLSTATE of the server's response; absent when it did not respond. */
export const sqlStateOf = ({ reason: { cause } }: SqlError): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

/** Whether a statement gave up waiting for a lock (`lock_timeout`). */
export const isLockUnavailable = (error: unknown): error is SqlError =>
  error instanceof SqlError && sqlStateOf(error) === "55P03"

/**
 * SQLSTATE classes that the driver does not retry although they may pass (PostgreSQL, appendix A): read-only after a
 * failover, insufficient resources, object not in prerequisite state, operator intervention, and system errors.
 */
const retryableClasses = new Set(["25", "53", "55", "57", "58"])
