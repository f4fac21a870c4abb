import type { HourOfCounts } from "@tocsin/domain/adapter"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as fc from "fast-check"
import { BytesAreInvalid } from "../../src/counts/PackedColumn.ts"
import { packHour, presenceOfHour, unpackHour } from "../../src/counts/PackedHour.ts"
import { packSloHour, presenceOfSloHour } from "../../src/counts/PackedSloHour.ts"
import { countPresent, isPresent, presentMinutesOf } from "../../src/counts/PresentMinutes.ts"

const events = fc.oneof(
  fc.nat(9),
  fc.nat(4_000),
  fc.maxSafeNat(),
  fc.constantFrom(2 ** 51 - 1, 2 ** 51, 2 ** 53, 2 ** 60 + 2 ** 20, 0, 0.1, 1e300, 5e-324),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
)

/** Steady, or any: each minute has a total, or no count, and a share of it is bad. */
const totals = fc.oneof(
  fc.array(fc.option(events, { nil: Number.NaN }), { minLength: 60, maxLength: 60 }),
  fc
    .tuple(fc.nat(5_000), fc.nat(200))
    .map(([base, spread]) =>
      Array.from({ length: 60 }, (_, minute) => base + ((minute * 7_919) % (spread + 1))),
    ),
  // Around powers of 2, where a number of bits ends.
  fc
    .record({
      base: fc.nat(9),
      power: fc.constantFrom(1, 8, 23, 24, 25, 48, 49, 50),
      more: fc.constantFrom(-1, 0, 1),
      shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 58, maxLength: 58 }),
    })
    .map(({ base, power, more, shares }) =>
      [0, ...shares, 1].map((share) => base + Math.round(share * (2 ** power + more))),
    ),
)
const shares = fc.array(fc.constantFrom(0, 0, 0, 0.001, 0.3, 1), { minLength: 60, maxLength: 60 })

const hours: fc.Arbitrary<ReadonlyMap<number, HourOfCounts>> = fc
  .array(fc.record({ totals, bad: fc.array(shares, { minLength: 1, maxLength: 3 }) }), { maxLength: 3 })
  .map(
    (groups) =>
      new Map(
        groups
          .flatMap(({ totals, bad }) =>
            bad.map((ofTrack): HourOfCounts => ({
              total: totals,
              good: totals.map((total, minute) => {
                const share = ofTrack[minute] ?? 0
                return Number.isInteger(total) ? Math.round(total * (1 - share)) : total * (1 - share)
              }),
            })),
          )
          .map((hour, track) => [track * 3, hour] as const),
      ),
  )

describe("a packed hour", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(hours, (tracks) => {
        expect(unpackHour(packHour(tracks))).toEqual(new Map(tracks))
      }),
    )
  })

  it("is read without its values as the minutes that have counts", () => {
    fc.assert(
      fc.property(hours, (tracks) => {
        const present = new Map(Array.from(tracks, ([track, hour]) => [track, presentMinutesOf(hour)]))
        const minutes = [...present.values()].map((each) =>
          Array.from({ length: 60 }, (_, minute) => isPresent(each, minute)),
        )
        expect(presenceOfHour(packHour(tracks))).toEqual(present)
        expect(minutes).toEqual(
          [...tracks.values()].map(({ total }) => total.map((each) => !Number.isNaN(each))),
        )
        expect([...present.values()].map(countPresent)).toEqual(
          minutes.map((each) => each.filter(Boolean).length),
        )
        const named = <A>(all: ReadonlyMap<number, A>) =>
          new Map(Array.from(all, ([track, each]) => [`ü-${track}`, each]))
        expect(presenceOfSloHour(packSloHour(named(tracks)))).toEqual(named(present))
      }),
    )
  })

  it.each([2 ** 49 - 1, 2 ** 49, 2 ** 49 + 1, 2 ** 50 - 1, 2 ** 50, 2 ** 50 + 1])(
    "is read as it was written where its numbers are up to %d apart",
    (spread) => {
      const total = Array.from(
        { length: 60 },
        (_, minute) => 3 + (minute % 2 === 0 ? spread - minute : Math.floor(0.6 * spread)),
      )
      total[1] = 3
      const tracks = new Map([[0, { good: total, total }]])
      expect(unpackHour(packHour(tracks))).toEqual(tracks)
    },
  )

  it("has one total for all tracks that share it", () => {
    const total = Array.from({ length: 60 }, (_, minute) => 3_000 + ((minute * 7_919) % 60))
    const track = (bad: number): HourOfCounts => ({
      total,
      good: total.map((events, minute) => events - ((minute * bad) % 7)),
    })
    const [one, two] = [
      packHour(new Map([[0, track(3)]])),
      packHour(
        new Map([
          [0, track(3)],
          [1, track(5)],
        ]),
      ),
    ]
    expect(one.length).toBeLessThan(90)
    expect(two.length - one.length).toBeLessThan(30)
  })

  it("is refused in another version, cut, or with bytes behind it", () => {
    const hour = { good: Array.from({ length: 60 }, () => 1.5), total: Array.from({ length: 60 }, () => 2.5) }
    const bytes = packHour(new Map([[0, hour]]))
    for (const invalid of [
      new Uint8Array([2, ...bytes.subarray(1)]),
      bytes.subarray(0, bytes.length - 1),
      new Uint8Array([...bytes, 0]),
      new Uint8Array(),
    ]) {
      expect(() => unpackHour(invalid)).toThrow(BytesAreInvalid)
      expect(() => presenceOfHour(invalid)).toThrow(BytesAreInvalid)
    }
  })
})
