import { type HourOfCounts, sumHour } from "@tocsin/domain/adapter"
import { hourMs, minuteMs } from "@tocsin/domain/codec"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as fc from "fast-check"
import type { MinuteSums } from "../../src/counts/HourOfCounts.ts"
import { BytesAreInvalid } from "../../src/counts/PackedColumn.ts"
import { packSloHour, unpackSloHour } from "../../src/counts/PackedSloHour.ts"
import {
  packSums,
  packTotals,
  totalOfPeriods,
  TotalsReader,
  unpackSums,
} from "../../src/counts/PackedSums.ts"

const events = fc.oneof(
  fc.nat(9),
  fc.nat(4_000),
  fc.maxSafeNat(),
  fc.constantFrom(2 ** 51, 2 ** 60, 0, 0.1, 1e300),
)

/** Names of objectives, and that of the legacy composite. */
const name = fc.oneof(fc.constantFrom("good", "great", ""), fc.stringMatching(/^[a-zé🎉-]{1,30}$/u))

const minutes = fc.array(fc.option(fc.tuple(events, fc.constantFrom(0, 0.5, 1)), { nil: undefined }), {
  minLength: 60,
  maxLength: 60,
})

const hour: fc.Arbitrary<HourOfCounts> = minutes.map((all) => ({
  total: all.map((each) => each?.[0] ?? Number.NaN),
  good: all.map((each) => (each === undefined ? Number.NaN : each[0] * each[1])),
}))

const states = fc.option(
  fc.record(
    {
      counted: fc.nat(60),
      carriedBad: fc.nat(1_440),
      events: fc.tuple(fc.nat(30_000_000), fc.nat(59), fc.boolean()).map(([first, length, isLastGood]) => ({
        firstAt: first * minuteMs,
        lastAt: (first + length) * minuteMs,
        isLastGood,
      })),
    },
    { requiredKeys: ["counted", "carriedBad"] },
  ),
  { nil: undefined },
)

/** Of each track, all sums have states or none has. */
const track = (periods: number) =>
  fc
    .tuple(
      fc.boolean(),
      fc.array(
        fc.option(
          fc.record({
            good: events,
            total: events,
            minutes: fc.nat(1_440),
            goodShares: fc.double({ min: 0, max: 1_440, noNaN: true }),
            goodMinutes: fc.nat(1_440),
            states,
          }),
          { nil: undefined },
        ),
        { minLength: periods, maxLength: periods },
      ),
    )
    .map(([hasStates, sums]) =>
      sums.map((each): MinuteSums | undefined => {
        if (each === undefined) return undefined
        const { states = { counted: 0, carriedBad: 0 }, ...plain } = each
        return hasStates ? { ...plain, states } : plain
      }),
    )

const tracks = fc.constantFrom(1, 24, 28).chain((periods) =>
  fc.tuple(
    fc.constant(periods),
    fc
      .dictionary(name, track(periods), { maxKeys: 4, noNullPrototype: true })
      .map((all) => new Map(Object.entries(all))),
  ),
)

describe("an hour of an SLO", () => {
  it("is read as it was written, whatever was read before", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, hour), { maxLength: 4 }), (all) => {
        const tracks = new Map(all)
        expect(unpackSloHour(packSloHour(tracks))).toEqual(tracks)
      }),
    )
  })

  it("has the same bytes in whatever order its tracks are given", () => {
    const one = { good: Array<number>(60).fill(1), total: Array<number>(60).fill(1) }
    const other = { good: Array<number>(60).fill(1), total: Array<number>(60).fill(2) }
    expect(
      packSloHour(
        new Map([
          ["b", one],
          ["a", other],
        ]),
      ),
    ).toEqual(
      packSloHour(
        new Map([
          ["a", other],
          ["b", one],
        ]),
      ),
    )
  })
})

describe("packed sums", () => {
  it("are read as they were written", () => {
    fc.assert(
      fc.property(tracks, ([periods, all]) => {
        const bytes = packSums(periods, all)
        expect(unpackSums(bytes)).toEqual(all)
        const some = [...all].map(([name, sums]) => [
          name,
          sums.map((each, period) => (period >= 3 && period < 9 ? each : undefined)),
        ])
        expect([...unpackSums(bytes, 3, 9)]).toEqual(some.toSorted(([a], [b]) => (`${a}` < `${b}` ? -1 : 1)))
        const totals = totalOfPeriods(all)
        const twice = new TotalsReader(new Uint8Array([...packTotals(totals), ...packTotals(totals)]))
        for (let time = 0; time < 2; time++) {
          const read = new Map<string, MinuteSums>()
          twice.next((track, sums) => void read.set(track, sums))
          expect(read).toEqual(totals)
        }
        expect(() => twice.next(() => undefined)).toThrow(BytesAreInvalid)
      }),
    )
  })

  it("have a total that equals the sum of their minutes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(minutes, { nil: undefined }), { minLength: 24, maxLength: 24 }),
        (hours) => {
          const sums = hours.map((all, index) => {
            if (all === undefined) return undefined
            // Whole and small, so that no sum is rounded.
            const whole = all.map((each) => each && Math.round(each[1] * 100))
            const of = (value: number) =>
              whole.map((each) => (each === undefined ? Number.NaN : value === 0 ? each : 100))
            const from = index * hourMs
            return sumHour({ good: of(0), total: of(1) }, undefined, { from, to: from + hourMs })
          })
          const counted = hours
            .flatMap((all) => all ?? [])
            .flatMap((each) => (each === undefined ? [] : [each]))
          const total = totalOfPeriods(new Map([["good", sums]])).get("good")
          expect([total?.good ?? 0, total?.total ?? 0, total?.minutes ?? 0]).toEqual([
            counted.reduce((sum, each) => sum + Math.round(each[1] * 100), 0),
            100 * counted.length,
            counted.length,
          ])
        },
      ),
    )
  })

  it("are not read from other bytes", () => {
    const sums = packSums(24, new Map([["good", Array<undefined>(24).fill(undefined)]]))
    expect(() => unpackSums(sums.slice(0, -1))).toThrow(BytesAreInvalid)
    expect(() => unpackSums(new Uint8Array([...sums, 0]))).toThrow(BytesAreInvalid)
    expect(() => unpackSums(new Uint8Array([9, ...sums.slice(1)]))).toThrow(BytesAreInvalid)
    expect(() => unpackSums(new Uint8Array([1, 255, 255, 3]))).toThrow(BytesAreInvalid)
    expect(() => unpackSloHour(new Uint8Array([2, 0]))).toThrow(BytesAreInvalid)
    expect(() => unpackSloHour(new Uint8Array())).toThrow(BytesAreInvalid)
  })
})
