// Tests that are effects. `@effect/vitest` does not run on Node 20, which we support; this is what we need of it.
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as TestConsole from "effect/testing/TestConsole"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, it as vitest, type TestOptions } from "vitest"

export { describe, expect } from "vitest"

type Test<R> = <A, E>(
  name: string,
  effect: () => Effect.Effect<A, E, R>,
  options?: TestOptions | number,
) => void

interface EffectTests<R> {
  /** Runs an effect as a test, within a scope. */
  readonly effect: Test<R | Scope.Scope> & {
    /** Runs it once for each case; `%s` of the name stands for the case. */
    readonly each: <T>(
      cases: ReadonlyArray<T>,
    ) => <A, E>(
      name: string,
      effect: (one: T) => Effect.Effect<A, E, R | Scope.Scope>,
      options?: TestOptions | number,
    ) => void
    /** Checks that a property holds: the effect succeeds for whatever the arbitraries give. */
    readonly prop: <Values extends [unknown, ...Array<unknown>], A, E>(
      name: string,
      arbitraries: { readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
      effect: (values: Values) => Effect.Effect<A, E, R | Scope.Scope>,
      options?: TestOptions & { readonly fastCheck?: fc.Parameters<Values> },
    ) => void
  }
}

const makeTests = <R>(
  run: <A, E>(effect: Effect.Effect<A, E, R | Scope.Scope>, signal: AbortSignal | undefined) => Promise<A>,
): EffectTests<R> => ({
  effect: Object.assign(
    ((name, effect, options) =>
      vitest(name, optionsOf(options), async ({ signal }) => {
        await run(effect(), signal)
      })) as Test<R | Scope.Scope>,
    {
      each:
        <T>(cases: ReadonlyArray<T>) =>
        <A, E>(
          name: string,
          effect: (one: T) => Effect.Effect<A, E, R | Scope.Scope>,
          options?: TestOptions | number,
        ) =>
          vitest.for(cases)(name, optionsOf(options), async (one, { signal }) => {
            await run(effect(one), signal)
          }),
      prop: <Values extends [unknown, ...Array<unknown>], A, E>(
        name: string,
        arbitraries: { readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
        effect: (values: Values) => Effect.Effect<A, E, R | Scope.Scope>,
        { fastCheck, ...options }: TestOptions & { readonly fastCheck?: fc.Parameters<Values> } = {},
      ) =>
        vitest(name, options, ({ signal }) => {
          const property = fc.asyncProperty<Values>(...arbitraries, async (...values) => {
            await run(effect(values), signal)
          })
          return fc.assert(property, fastCheck)
        }),
    },
  ),
})

const optionsOf = (options: TestOptions | number | undefined): TestOptions =>
  typeof options === "number" ? { timeout: options } : (options ?? {})

/** A test clock that moves only once every fiber waits, and after which every fiber waits again. */
export const testClock: Layer.Layer<never> = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (clock) => {
    const { adjust, setTime } = clock as TestClock.TestClock
    const settled = <A>(move: Effect.Effect<A>) => Effect.andThen(settle, Effect.tap(move, settle))
    return Object.create(clock, {
      adjust: { value: (duration: Duration.Input) => settled(adjust(duration)) },
      setTime: { value: (timestamp: number) => settled(setTime(timestamp)) },
    }) as Clock.Clock
  }),
).pipe(Layer.provideMerge(TestClock.layer()))

/**
 * As many turns of the event loop as the longest chain of steps between two waits takes. A fiber that yields as often would
 * take longer than most of what the tests wait for.
 */
const settle = Effect.callback<void>((resume) => {
  let turns = 0
  const turn = () => {
    if (++turns > 100) return resume(Effect.void)
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  return Effect.sync(() => clearImmediate(next))
})

const testServices = Layer.mergeAll(testClock, TestConsole.layer)

/** Vitest's `it`, with `effect`, whose clock and console are the test's own, and `live`, with those of the process. */
export const it: typeof vitest & EffectTests<never> & { readonly live: EffectTests<never>["effect"] } =
  Object.assign(vitest, {
    ...makeTests<never>((effect, signal) =>
      Effect.runPromise(Effect.provide(Effect.scoped(effect), testServices), { signal }),
    ),
    live: makeTests<never>((effect, signal) => Effect.runPromise(Effect.scoped(effect), { signal })).effect,
  })

/** A group of tests that share a layer, built before the first and released after the last; its clock is live. */
export const describeWith =
  <R, E>(shared: Layer.Layer<R, E>, options: { readonly timeout?: number } = {}) =>
  (name: string, define: (it: EffectTests<R>) => void): void => {
    describe(name, () => {
      const scope = Scope.makeUnsafe()
      const built = Effect.runSync(Effect.cached(Layer.buildWithScope(shared, scope)))
      beforeAll(() => Effect.runPromise(Effect.asVoid(built)), options.timeout)
      afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), options.timeout)
      define(makeTests<R>((effect, signal) =>
        Effect.runPromise(
          Effect.flatMap(built, (context) => Effect.provide(Effect.scoped(effect), context)),
          { signal },
        ),
      ))
    })
  }
