/** One contender: does its operation this often. */
export interface Contender {
  readonly name: string
  readonly run: (operations: number) => void | Promise<void>
}

/** What a comparison measured of one contender; `ratio` is its speed against the first one's (1: equal). */
export interface Measured {
  readonly name: string
  readonly microseconds: number
  readonly ratio: number
}

/** A finished comparison, with the bound that it is to hold, if there is one. */
export interface Comparison {
  readonly title: string
  readonly measured: ReadonlyArray<Measured>
  readonly bound?: Bound
}

/** `name`'s speed against `against`'s must be at least `ratio`. */
export interface Bound {
  readonly name: string
  readonly against: string
  readonly ratio: number
}

/**
 * Measures contenders side by side: rounds of about `roundMs` alternate between them, so that whatever else the
 * machine does falls on all alike. Times are medians of the rounds; ratios are medians of each round's ratio.
 */
export const compare = async (
  title: string,
  contenders: ReadonlyArray<Contender>,
  options: { readonly bound?: Bound; readonly rounds?: number; readonly roundMs?: number } = {},
): Promise<Comparison> => {
  const { rounds = 21, roundMs = 60, bound } = options
  const operations: Array<number> = []
  for (const contender of contenders) operations.push(await calibrate(contender, roundMs))
  const times = contenders.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++) {
    // Every other round runs backwards, so that no contender always follows the same one.
    const order = contenders.map((_, index) => (round % 2 === 0 ? index : contenders.length - 1 - index))
    for (const index of order) {
      const count = operations[index] ?? 1
      times[index]?.push((await elapsedMs(contenders[index], count)) / count)
    }
  }
  return {
    title,
    measured: contenders.map(({ name }, index) => ({
      name,
      microseconds: median(times[index] ?? []) * 1_000,
      ratio: median((times[0] ?? []).map((first, round) => first / (times[index]?.[round] ?? Number.NaN))),
    })),
    ...(bound === undefined ? {} : { bound }),
  }
}

/** The middle of the values; of an even number, the upper of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The ratio that a bound speaks of, from what was measured. */
export const boundRatio = ({ measured, bound }: Comparison): number | undefined => {
  const of = (name: string | undefined) => measured.find((one) => one.name === name)?.ratio
  const [ratio, against] = [of(bound?.name), of(bound?.against)]
  return ratio === undefined || against === undefined ? undefined : ratio / against
}

const elapsedMs = async (contender: Contender | undefined, operations: number): Promise<number> => {
  const start = process.hrtime.bigint()
  const done = contender?.run(operations)
  if (done !== undefined) await done
  return Number(process.hrtime.bigint() - start) / 1e6
}

const calibrate = async (contender: Contender, roundMs: number): Promise<number> => {
  for (let operations = 1; ; operations *= 4) {
    const ms = await elapsedMs(contender, operations)
    if (ms >= roundMs / 4 || operations > 1e7) return Math.max(1, Math.round((operations * roundMs) / ms))
  }
}
