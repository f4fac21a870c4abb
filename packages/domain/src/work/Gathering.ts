import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

/** How items that are submitted at the same time are handled together. */
export interface GatheringOptions<Item, A, E, R> {
  /** Handles items of one key. Returns the result of each, in their order; when it fails, all were without effect. */
  readonly run: (
    key: string,
    items: ReadonlyArray<Item>,
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, E, R>
  /** Whether a failure would be that of any items, rather than of some of them. */
  readonly isShared: (error: E) => boolean
  /** Maximum size of a group of more than one item. */
  readonly sizeMax: number
  /** The size of an item; default 1. */
  readonly sizeOf?: (item: Item) => number
  /**
   * What an item is about; default: nothing. Items about the same are never handled together, but one after the other in the order
   * in which they were submitted.
   */
  readonly subjectsOf?: (item: Item) => Iterable<string>
  /**
   * What an item fails with while `max` others of its key wait, and after it has waited for its group for `maxMs`; absent: any
   * number can wait, as long as the groups before take.
   */
  readonly waiting?: {
    readonly max: number
    readonly full: Effect.Effect<never, E>
    readonly maxMs: number
    readonly late: Effect.Effect<never, E>
  }
  /**
   * What the items of a group fail with once it has been handled for `maxMs`, `Infinity` for any time. It is interrupted then, for which
   * neither they nor the next group wait.
   */
  readonly running?: {
    readonly maxMs: (context: Context.Context<R>) => number
    readonly late: Effect.Effect<never, E>
  }
}

/**
 * Handles items that are submitted at the same time together, without a delay: while a group of a key is handled, the items that
 * arrive gather for the next one. Keys never wait for one another.
 *
 * Each item has its own result. If a group fails because of some of its items, its halves are handled, one after the other, down
 * to single items; a failure of the store is shared. A group is interrupted when all who submitted its items are: an item whose
 * submitter is interrupted earlier may or may not be handled. A group has the context of its first item.
 */
export const makeGathering = <Item, A, E, R = never>(
  options: GatheringOptions<Item, A, E, R>,
): ((key: string, item: Item) => Effect.Effect<A, E, R>) => {
  const { sizeMax, sizeOf = () => 1, subjectsOf = () => [], waiting, running: limit } = options
  const states = new Map<string, KeyState<Item, A, E, R>>()

  /**
   * Handles a group as soon as all who are submitting at this moment have submitted: such as those to whom another group's results are
   * handed out. That is before anything else is done, so that nothing waits for a turn of the event loop.
   */
  const begin = (key: string, state: KeyState<Item, A, E, R>): void => {
    const [oldest] = state.waiting
    if (oldest === undefined) {
      states.delete(key)
      state.watcher?.interruptUnsafe()
      return
    }
    const { context } = oldest
    const endMs =
      limit === undefined ? Infinity : monotonicMs(Context.get(context, Clock.Clock)) + limit.maxMs(context)
    const running: Running<Item, A, E, R> = { members: new Set(), fiber: undefined, endMs }
    state.running = running
    if (endMs < Infinity) watch(key, state, context)
    queueMicrotask(() => {
      const members = takeGroup(state)
      const [first] = members
      if (first === undefined) {
        next(key, state, running)
        return
      }
      for (const member of members) running.members.add(member)
      const run = Effect.runForkWith(first.context)
      const fiber = run(handled(options, key, members))
      running.fiber = fiber
      // Groups that are handled without waiting for anything leave the event loop to others between them.
      const goesOnLater = fiber.pollUnsafe() !== undefined
      fiber.addObserver((exit) => {
        for (const { result } of running.members) {
          Deferred.doneUnsafe(result, Exit.asVoid(exit) as Exit.Exit<never>)
        }
        const goOn = () => next(key, state, running)
        if (goesOnLater) run(Effect.andThen(Effect.yieldNow, Effect.sync(goOn)))
        else goOn()
      })
    })
  }

  /** Goes on with the next group, unless that has happened since. */
  const next = (key: string, state: KeyState<Item, A, E, R>, ended: Running<Item, A, E, R>): void => {
    if (state.running !== ended) return
    state.running = undefined
    begin(key, state)
  }

  /**
   * The first that waits, and others that can be handled with it. An item whose size or subjects cannot be found out fails.
   */
  const takeGroup = (state: KeyState<Item, A, E, R>): ReadonlyArray<Member<Item, A, E, R>> => {
    const taken: Array<Member<Item, A, E, R>> = []
    /** Those of the items that are taken, and of those that are left for a later group. */
    const seen = new Set<string>()
    let size = 0
    for (const member of state.waiting) {
      try {
        const grown = size + sizeOf(member.item)
        const subjects = [...subjectsOf(member.item)]
        const isLeft = taken.length > 0 && (grown > sizeMax || subjects.some((each) => seen.has(each)))
        for (const each of subjects) seen.add(each)
        if (isLeft) continue
        size = grown
        taken.push(member)
      } catch (defect) {
        state.waiting.delete(member)
        Deferred.doneUnsafe(member.result, Exit.die(defect))
      }
      if (size >= sizeMax) break
    }
    for (const member of taken) state.waiting.delete(member)
    return taken
  }

  /** Has one fiber of a key, rather than one of each item, fail what waits or is handled for too long. */
  const watch = (key: string, state: KeyState<Item, A, E, R>, context: Context.Context<R>): void => {
    state.watcher ??= Effect.runForkWith(context)(
      Effect.gen(function* () {
        for (;;) {
          const [oldest] = state.waiting
          const { running } = state
          const lateMs =
            oldest === undefined || waiting === undefined ? Infinity : oldest.atMs + waiting.maxMs
          const endMs = running?.endMs ?? Infinity
          const nextMs = Math.min(lateMs, endMs)
          if (nextMs === Infinity) break
          const now = monotonicMs(yield* Clock.Clock)
          // What arrives during the sleep is late after its end.
          if (now < nextMs) yield* Effect.sleep(Math.min(nextMs - now, waiting?.maxMs ?? Infinity))
          else if (oldest !== undefined && waiting !== undefined && lateMs <= now) {
            state.waiting.delete(oldest)
            Deferred.doneUnsafe(oldest.result, waiting.late)
          } else if (running !== undefined && limit !== undefined) {
            for (const { result } of running.members) Deferred.doneUnsafe(result, limit.late)
            running.members.clear()
            running.fiber?.interruptUnsafe()
            next(key, state, running)
          }
        }
        state.watcher = undefined
      }),
    )
  }

  const leave = (key: string, state: KeyState<Item, A, E, R>, member: Member<Item, A, E, R>) =>
    Effect.suspend(() => {
      if (state.waiting.delete(member)) return Effect.void
      const { running } = state
      if (running?.members.delete(member) !== true || running.members.size > 0) return Effect.void
      // What hangs takes long to be interrupted, which the next group does not wait for.
      next(key, state, running)
      return Effect.sync(() => running.fiber?.interruptUnsafe())
    })

  return (key, item) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.contextWith((context: Context.Context<R>) => {
        const state = states.get(key) ?? { waiting: new Set(), running: undefined, watcher: undefined }
        if (waiting !== undefined && state.waiting.size >= waiting.max) return waiting.full
        states.set(key, state)
        const atMs = monotonicMs(Context.get(context, Clock.Clock))
        const member: Member<Item, A, E, R> = { item, context, atMs, result: Deferred.makeUnsafe() }
        state.waiting.add(member)
        if (state.running === undefined) begin(key, state)
        else if (waiting !== undefined) watch(key, state, context)
        return Effect.onInterrupt(restore(Deferred.await(member.result)), () => leave(key, state, member))
      }),
    )
}

interface Member<Item, A, E, R> {
  readonly item: Item
  readonly context: Context.Context<R>
  /** When it was submitted, in milliseconds of the monotonic clock. */
  readonly atMs: number
  readonly result: Deferred.Deferred<A, E>
}

const monotonicMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

interface KeyState<Item, A, E, R> {
  readonly waiting: Set<Member<Item, A, E, R>>
  /** The group that is handled; its members without those who were interrupted. */
  running: Running<Item, A, E, R> | undefined
  /** Runs while something waits or is handled that may take too long. */
  watcher: Fiber.Fiber<void> | undefined
}

interface Running<Item, A, E, R> {
  readonly members: Set<Member<Item, A, E, R>>
  fiber: Fiber.Fiber<void> | undefined
  /** When its items fail, in milliseconds of the monotonic clock. */
  readonly endMs: number
}

/** Handles a group and completes the results of its members. Never fails; it can be interrupted. */
const handled = <Item, A, E, R>(
  { run, isShared }: GatheringOptions<Item, A, E, R>,
  key: string,
  all: ReadonlyArray<Member<Item, A, E, R>>,
): Effect.Effect<void, never, R> => {
  const handle = (group: ReadonlyArray<Member<Item, A, E, R>>): Effect.Effect<void, never, R> =>
    Effect.matchCauseEffect(
      Effect.suspend(() =>
        run(
          key,
          group.map(({ item }) => item),
        ),
      ),
      {
        onSuccess: (exits) =>
          Effect.sync(() => {
            for (const [index, { result }] of group.entries()) {
              Deferred.doneUnsafe(result, exits[index] ?? Exit.die(new Error("an item has no result")))
            }
          }),
        onFailure: (cause) => {
          if (
            group.length === 1 ||
            Cause.hasInterrupts(cause) ||
            Option.exists(Cause.findErrorOption(cause), isShared)
          ) {
            return Effect.sync(() => {
              for (const { result } of group) Deferred.doneUnsafe(result, Exit.failCause(cause))
            })
          }
          const half = Math.ceil(group.length / 2)
          return Effect.andThen(handle(group.slice(0, half)), handle(group.slice(half)))
        },
      },
    )
  return handle(all)
}
