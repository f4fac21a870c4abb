import { makeConnectionSlots, type SlotLimits, sourceSlotLimits } from "../../src/ConnectionSlots.ts"
import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

/** Batches of one organization that are read at the same time. */
const batchesAtOnce = 8

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal

/** Slots, and the names of the requests that have started, oldest first. */
const observed = (limits: Partial<SlotLimits>) => {
  const slots = makeConnectionSlots({ perOrigin: 100, inUse: 100, waiters: 100, waitMs: 1_000, ...limits })
  const started: Array<string> = []
  const frees = new Map<string, () => void>()
  const failed: Array<string> = []
  return {
    slots,
    started,
    failed,
    ask: async (
      name: string,
      organization: string,
      origin = "https://a",
      signal = never,
      path = "/",
    ): Promise<void> => {
      try {
        frees.set(name, await slots.take(organization, { origin, path }, signal))
        started.push(name)
      } catch {
        failed.push(name)
      }
    },
    free: async (name: string) => {
      frees.get(name)?.()
      frees.delete(name)
      await settled()
    },
  }
}

const settled = () => vi.advanceTimersByTimeAsync(0)

describe("connection slots", () => {
  it("spec/delivery §17: limits an organization at one origin, and neither at others nor others", async () => {
    const { ask, free, started } = observed({ perOrigin: 2 })
    for (const n of [1, 2, 3]) void ask(`a${n}`, "a")
    void ask("elsewhere", "a", "https://b")
    void ask("b1", "b")
    await settled()
    expect(started).toEqual(["a1", "a2", "elsewhere", "b1"])
    await free("b1")
    await free("elsewhere")
    expect(started).toHaveLength(4)
    await free("a1")
    expect(started.at(-1)).toBe("a3")
  })

  it("spec/delivery §17: a free slot goes to the organization that uses the fewest", async () => {
    const { ask, free, started } = observed({ inUse: 3 })
    for (const n of [1, 2, 3, 4, 5]) void ask(`a${n}`, "a")
    for (const n of [1, 2, 3]) void ask(`b${n}`, "b")
    void ask("c1", "c")
    await settled()
    expect(started).toEqual(["a1", "a2", "a3"])
    await free("a1")
    await free("a2")
    expect(started.slice(3)).toEqual(["b1", "c1"])
    await free("b1")
    expect(started.at(-1)).toBe("b2")
    await free("c1")
    expect(started.at(-1)).toBe("a4")
  })

  it("spec/data-sources §4: paths of an origin that hang leave slots for as many others as an organization reads at once", async () => {
    const { ask, free, started } = observed(sourceSlotLimits)
    const askFor = (path: string, requests: number) => {
      for (let n = 0; n < requests; n++)
        void ask(`${path}${n}`, "a", "https://a", new AbortController().signal, path)
    }
    // As many as the SLOs of a batch ask for.
    for (let n = 0; n < batchesAtOnce - 1; n++) askFor(`/hangs-${n}-`, 10)
    await settled()
    const hanging = started.length
    expect(hanging).toBeLessThanOrEqual(sourceSlotLimits.perOrigin - 4)
    askFor("/answers", 6)
    await settled()
    expect(started.slice(hanging)).toEqual(["/answers0", "/answers1", "/answers2", "/answers3"])
    await free("/answers0")
    expect(started.at(-1)).toBe("/answers4")
    // None of a host is used without bound, and other organizations do not notice.
    expect(started.length - 1).toBeLessThanOrEqual(sourceSlotLimits.perOrigin)
    void ask("b", "b", "https://a", never, "/hangs-0-")
    await settled()
    expect(started.at(-1)).toBe("b")
  })

  it("skips a request whose organization is full at its origin", async () => {
    const { ask, free, started } = observed({ inUse: 2, perOrigin: 1 })
    void ask("a1", "a")
    void ask("b1", "b")
    void ask("a2", "a")
    void ask("c1", "c")
    await settled()
    await free("b1")
    expect(started).toEqual(["a1", "b1", "c1"])
    await free("a1")
    expect(started.at(-1)).toBe("a2")
  })

  it("with a limit of 0 nothing starts, and with 1 one after the other", async () => {
    const none = observed({ perOrigin: 0 })
    void none.ask("a1", "a")
    await vi.advanceTimersByTimeAsync(1_000)
    expect([none.started, none.failed]).toEqual([[], ["a1"]])
    const one = observed({ inUse: 1 })
    for (const n of [1, 2, 3]) void one.ask(`a${n}`, "a")
    await settled()
    for (const n of [1, 2, 3]) {
      expect(one.started).toHaveLength(n)
      await one.free(`a${n}`)
    }
  })

  it("spec/delivery §17: a request waits for a limited time, and only so many of one organization wait", async () => {
    const { ask, started, failed, free } = observed({ perOrigin: 1, waiters: 2, waitMs: 1_000 })
    for (const n of [1, 2, 3, 4]) void ask(`a${n}`, "a")
    await settled()
    expect(failed).toEqual(["a4"])
    void ask("b1", "b")
    await vi.advanceTimersByTimeAsync(999)
    expect([started, failed]).toEqual([["a1", "b1"], ["a4"]])
    await vi.advanceTimersByTimeAsync(1)
    expect(failed).toEqual(["a4", "a2", "a3"])
    void ask("a5", "a")
    await free("a1")
    expect(started.at(-1)).toBe("a5")
    await vi.advanceTimersByTimeAsync(5_000)
    expect(failed).toHaveLength(3)
  })

  it("keeps its limits, leaves no slot free while a request may use it, and ends empty", async () => {
    vi.useRealTimers()
    await fc.assert(fc.asyncProperty(steps, limits, keepsLimits), { numRuns: 50 })
  })
})

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("ask" as const), organization: fc.nat(3), origin: fc.nat(1) }),
    fc.record({ do: fc.constantFrom("free" as const, "interrupt" as const), which: fc.nat() }),
  ),
  { maxLength: 120 },
)

const limits = fc.record({ perOrigin: fc.integer({ min: 1, max: 4 }), inUse: fc.integer({ min: 1, max: 8 }) })

const keepsLimits = async (
  steps: ReadonlyArray<Step>,
  limits: Pick<SlotLimits, "perOrigin" | "inUse">,
): Promise<void> => {
  const slots = makeConnectionSlots({ ...limits, waiters: 1_000, waitMs: 60_000 })
  const waiting = new Map<AbortController, string>()
  const inUse: Array<{ readonly key: string; readonly free: () => void }> = []
  const countOf = (key: string) => inUse.filter((each) => each.key === key).length
  const ask = async (organization: string, origin: string): Promise<void> => {
    const abort = new AbortController()
    const key = `${organization} ${origin}`
    waiting.set(abort, key)
    try {
      inUse.push({ key, free: await slots.take(organization, { origin, path: "/" }, abort.signal) })
    } catch {
      // Interrupted, or closed.
    } finally {
      waiting.delete(abort)
    }
  }
  for (const step of steps) {
    if (step.do === "ask") {
      const [organization, origin] = [`o${step.organization}`, `https://h${step.origin}`]
      void ask(organization, origin)
    } else if (step.do === "free") {
      const [freed] = inUse.length === 0 ? [] : inUse.splice(step.which % inUse.length, 1)
      freed?.free()
    } else [...waiting.keys()][step.which % Math.max(1, waiting.size)]?.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect(inUse.length).toBeLessThanOrEqual(limits.inUse)
    for (const { key } of inUse) expect(countOf(key)).toBeLessThanOrEqual(limits.perOrigin)
    if (inUse.length < limits.inUse)
      for (const key of waiting.values()) expect(countOf(key)).toBe(limits.perOrigin)
  }
  slots.close()
  await new Promise((resolve) => setImmediate(resolve))
  expect(waiting.size).toBe(0)
}

type Step = typeof steps extends fc.Arbitrary<Array<infer A>> ? A : never
