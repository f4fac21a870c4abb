import { amount } from "./Length.ts"

/** One contender: makes one round and returns the time of an operation, in microseconds. */
export interface Contender {
  readonly name: string
  readonly round: () => Promise<number>
}

/** `name`'s speed against `against`'s must be at least `atLeast`. */
export interface Bound {
  readonly name: string
  readonly against: string
  readonly atLeast: number
}

/** A bound with the ratio that was measured. */
interface Verdict extends Bound {
  readonly ratio: number
  readonly isMet: boolean
}

/** What was measured of one contender; `ratio` is its speed against the first one's (1: equal; 2: twice as fast). */
interface Measured {
  readonly name: string
  readonly microseconds: number
  readonly ratio: number
}

/** A finished comparison. `time` says whether the figures are CPU time or wall time, per operation; or they are bytes or queries. */
export interface Comparison {
  readonly title: string
  readonly time: "cpu" | "wall" | "bytes" | "queries"
  readonly measured: ReadonlyArray<Measured>
  readonly verdicts: ReadonlyArray<Verdict>
}

/** How a comparison is made. The first `warmUps` rounds of each contender do not count. */
export interface CompareOptions {
  readonly time: Comparison["time"]
  readonly rounds: number
  readonly warmUps: number
  readonly bounds?: ReadonlyArray<Bound>
}

/**
 * Measures contenders side by side: their rounds alternate, so that whatever else the machine does falls on all
 * alike, and every other time in reverse, so that none always follows the same one.
 */
export const compare = async (
  title: string,
  contenders: ReadonlyArray<Contender>,
  { time, rounds, warmUps, bounds = [] }: CompareOptions,
): Promise<Comparison> => {
  const times = new Map(contenders.map(({ name }) => [name, [] as Array<number>]))
  for (let round = 0; round < warmUps + rounds; round++) {
    for (const { name, round: measure } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const microseconds = await measure()
      if (round >= warmUps) times.get(name)?.push(microseconds)
    }
  }
  return { title, time, ...judge(times, bounds) }
}

/**
 * Sums up the times of each round, in microseconds per operation, the first contender being the one that `ratio`
 * is against.
 *
 * Times are medians of the rounds; a ratio is the median of the ratios within each round, since what disturbs a
 * round disturbs its neighbours too.
 *
 * Throws when a bound names a contender that was not measured.
 */
export const judge = (
  times: ReadonlyMap<string, ReadonlyArray<number>>,
  bounds: ReadonlyArray<Bound>,
): Pick<Comparison, "measured" | "verdicts"> => {
  const timesOf = (name: string): ReadonlyArray<number> => {
    const found = times.get(name)
    if (found === undefined) throw new Error(`no contender is called ${name}`)
    return found
  }
  const speed = (name: string, against: string): number => {
    const own = timesOf(name)
    return median(timesOf(against).map((other, round) => other / (own[round] ?? Number.NaN)))
  }
  const [first = ""] = times.keys()
  return {
    measured: [...times].map(([name, own]) => ({
      name,
      microseconds: median(own),
      ratio: speed(name, first),
    })),
    verdicts: bounds.map((bound) => {
      const ratio = speed(bound.name, bound.against)
      return { ...bound, ratio, isMet: ratio >= bound.atLeast }
    }),
  }
}

/** Judges figures of one contender by the most that they may be, which `limit` names, such as `100 ms`. */
export const judgeLimit = (
  limit: string,
  most: number,
  name: string,
  figures: ReadonlyArray<number>,
): ReturnType<typeof judge> =>
  judge(
    new Map([
      [limit, figures.map(() => most)],
      [name, figures],
    ]),
    [{ name, against: limit, atLeast: 1 }],
  )

/** The middle of the values; of an even number, the mean of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/**
 * A contender of this process: `run` does its operation that many times. Its first round finds how many
 * operations take `roundMs`; the rounds measure the CPU time of the process, which no neighbour on the machine adds to.
 */
export const inProcess = (
  name: string,
  run: (operations: number) => void | Promise<void>,
  roundMs = amount(60, 1),
): Contender => {
  let operations: number | undefined
  const cpuMicroseconds = async (count: number): Promise<number> => {
    const before = process.cpuUsage()
    const done = run(count)
    if (done !== undefined) await done
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  return {
    name,
    round: async () => {
      operations ??= await calibrate(cpuMicroseconds, roundMs)
      return (await cpuMicroseconds(operations)) / operations
    },
  }
}

const calibrate = async (
  cpuMicroseconds: (count: number) => Promise<number>,
  roundMs: number,
): Promise<number> => {
  for (let count = 1; ; count *= 4) {
    const elapsed = await cpuMicroseconds(count)
    if (elapsed >= roundMs * 250 || count > 1e7)
      return Math.max(1, Math.round((count * roundMs * 1_000) / elapsed))
  }
}
