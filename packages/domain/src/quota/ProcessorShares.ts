import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { MixedScheduler, Scheduler, type SchedulerDispatcher } from "effect/Scheduler"
import type { OrganizationId } from "../metadata/ObjectKey.ts"

/** Heavy work runs for this long before other requests are handled, in milliseconds; a part of it that has begun is finished. */
export const sliceMs = 5

/** Operations of a fiber between two looks at the clock, and after which it ends its part whatever the clock says. */
const operationsPerLook = 64
const operationsMax = 2_048

/** Maximum number of organizations of which a process remembers how much of the processor they have used. */
const rememberedMax = 10_000

/**
 * Shares the processor among the organizations whose heavy work waits for it (spec/rate-limits §9).
 *
 * Heavy work is done in parts, which end wherever its fibers yield. Parts run in slices of `sliceMs`, each in a turn of the event
 * loop, so that other requests are handled between two slices. The next part is always one of the organization that has used the
 * processor least; the parts of one organization follow in the order in which they were asked for. An organization that begins has
 * used as much as the one whose part ran last: it neither catches up for the time before, nor waits for the others. An
 * organization alone gets every part.
 */
export class ProcessorShares {
  readonly #clock: () => number
  readonly #dispatcher: SchedulerDispatcher = new MixedScheduler().makeDispatcher()
  /** In milliseconds, which count from where an organization began. */
  readonly #used = new Map<OrganizationId, number>()
  readonly #waiting = new Map<OrganizationId, Array<() => void>>()
  #ofLatest = 0
  #sliceBegan = 0
  #isScheduled = false

  /** `clock` is in milliseconds from any instant. */
  constructor(clock: () => number = monotonicMs) {
    this.#clock = clock
  }

  /** The scheduler of the fibers that work for an organization. */
  schedulerOf(organization: OrganizationId): Scheduler {
    const dispatcher: SchedulerDispatcher = {
      scheduleTask: (task) => this.#add(organization, task),
      flush: () => undefined,
    }
    return {
      executionMode: "async",
      shouldYield: (fiber) => this.#shouldYield(fiber),
      makeDispatcher: () => dispatcher,
    }
  }

  #shouldYield({ currentOpCount }: Fiber.Fiber<unknown, unknown>): boolean {
    if (currentOpCount % operationsPerLook !== 0) return false
    return currentOpCount >= operationsMax || this.#clock() - this.#sliceBegan >= sliceMs
  }

  #add(organization: OrganizationId, task: () => void): void {
    const waiting = this.#waiting.get(organization)
    if (waiting === undefined) {
      this.#used.set(organization, Math.max(this.#used.get(organization) ?? 0, this.#ofLatest))
      this.#waiting.set(organization, [task])
    } else waiting.push(task)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#dispatcher.scheduleTask(() => this.#run(), 0)
  }

  #run(): void {
    const began = this.#clock()
    this.#sliceBegan = began
    try {
      for (let now = began; now - began < sliceMs;) {
        const organization = this.#least()
        if (organization === undefined) return
        const used = this.#used.get(organization) ?? 0
        this.#ofLatest = used
        try {
          this.#take(organization)()
        } finally {
          const ended = this.#clock()
          this.#used.set(organization, used + ended - now)
          now = ended
        }
      }
    } finally {
      this.#isScheduled = false
      if (this.#waiting.size > 0) this.#schedule()
      else if (this.#used.size > rememberedMax) this.#forget()
    }
  }

  #least(): OrganizationId | undefined {
    let least: OrganizationId | undefined
    let leastUsed = Infinity
    for (const organization of this.#waiting.keys()) {
      const used = this.#used.get(organization) ?? 0
      if (used < leastUsed) [least, leastUsed] = [organization, used]
    }
    return least
  }

  #take(organization: OrganizationId): () => void {
    const waiting = this.#waiting.get(organization) ?? []
    const task = waiting.shift() ?? (() => undefined)
    if (waiting.length === 0) this.#waiting.delete(organization)
    return task
  }

  /** Nothing must be remembered of those that would begin where the others are. */
  #forget(): void {
    for (const [organization, used] of this.#used) {
      if (used <= this.#ofLatest) this.#used.delete(organization)
    }
  }
}

/** Of the process, whatever clock a fiber has. */
const processClock = Context.get(Context.empty(), Clock.Clock)
const monotonicMs = (): number => Number(processClock.monotonicTimeNanosUnsafe()) / 1e6

/** Shared by all servers of a process, since its processor is. */
export const Processor = Context.Reference<ProcessorShares>("@tocsin/domain/internal/work/Processor", {
  defaultValue: () => new ProcessorShares(),
})

/** Does heavy work for an organization: wherever its fibers yield, the work waits for the next part of the organization. */
export const workFor =
  (organization: OrganizationId) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Processor, (processor) =>
      Effect.provideService(
        Effect.andThen(Effect.yieldNow, work),
        Scheduler,
        processor.schedulerOf(organization),
      ),
    )
