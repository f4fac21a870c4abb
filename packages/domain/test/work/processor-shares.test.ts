import { workFor } from "@tocsin/domain"
import { Processor, ProcessorShares, sliceMs } from "../../src/quota/ProcessorShares.ts"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"

/** A processor whose parts take as long as `spend` says, in milliseconds. */
const aProcessor = () => {
  let now = 0
  const spend = (ms: number) => Effect.sync(() => void (now += ms))
  return { processor: new ProcessorShares(() => now), spend }
}

const running = <A>(processor: ProcessorShares, work: ReadonlyArray<Effect.Effect<A>>) =>
  Effect.runPromise(
    Effect.all(work, { concurrency: "unbounded" }).pipe(Effect.provideService(Processor, processor)),
  )

it("spec/rate-limits §9: organizations get equal time, however long their parts and however many their requests", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ requests: fc.integer({ min: 1, max: 4 }), partMs: fc.integer({ min: 1, max: 9 }) }),
        {
          minLength: 2,
          maxLength: 5,
        },
      ),
      async (organizations) => {
        const { processor, spend } = aProcessor()
        const used = organizations.map(() => 0)
        let isOver = false
        const longest = Math.max(...organizations.map(({ partMs }) => partMs))
        const work = organizations.flatMap(({ requests, partMs }, index) =>
          Array.from({ length: requests }, () =>
            Effect.gen(function* () {
              while (!isOver) {
                yield* spend(partMs)
                used[index] = (used[index] ?? 0) + partMs
                expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(2 * longest)
                if (Math.min(...used) >= 100) isOver = true
                yield* Effect.yieldNow
              }
            }).pipe(workFor(`org-${index}`)),
          ),
        )
        await running(processor, work)
      },
    ),
    { numRuns: 50 },
  )
})

it("spec/rate-limits §9: an organization that begins does not catch up for the time before", async () => {
  const { processor, spend } = aProcessor()
  const order: Array<string> = []
  const parts = (organization: string, count: number) =>
    Effect.gen(function* () {
      for (let part = 0; part < count; part++) {
        order.push(organization)
        yield* spend(1)
        yield* Effect.yieldNow
      }
    }).pipe(workFor(organization))
  const later = Effect.gen(function* () {
    while (order.length < 500) yield* Effect.yieldNow
    yield* parts("new", 20)
  })
  await running(processor, [parts("busy", 1_000), later])
  const [begins, ends] = [order.indexOf("new"), order.lastIndexOf("new")]
  const busyBetween = order.slice(begins, ends).filter((each) => each === "busy").length
  expect(begins).toBeGreaterThanOrEqual(500)
  expect(busyBetween).toBeGreaterThanOrEqual(18)
  expect(busyBetween).toBeLessThanOrEqual(22)
})

it("spec/rate-limits §9: the event loop turns after each slice, and alone an organization gets every part", async () => {
  const { processor, spend } = aProcessor()
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await running(processor, [
    Effect.gen(function* () {
      for (let part = 0; part < 100 * sliceMs; part++) {
        yield* spend(1)
        yield* Effect.yieldNow
      }
    }).pipe(workFor("acme")),
  ])
  clearImmediate(timer)
  expect(turns).toBeGreaterThanOrEqual(100)
  expect(turns).toBeLessThan(110)
})

it("a defect of one organization's work leaves the others' alone", async () => {
  const { processor, spend } = aProcessor()
  const failing = Effect.andThen(spend(1), Effect.die(new Error("broken"))).pipe(workFor("bad"), Effect.exit)
  const working = Effect.gen(function* () {
    for (let part = 0; part < 20; part++) {
      yield* spend(1)
      yield* Effect.yieldNow
    }
    return "done"
  }).pipe(workFor("good"), Effect.exit)
  const [bad, good] = await running<unknown>(processor, [failing, working])
  expect(bad).toMatchObject({ _tag: "Failure" })
  expect(good).toMatchObject({ _tag: "Success", value: "done" })
})
