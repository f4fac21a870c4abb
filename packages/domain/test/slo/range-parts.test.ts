import { rangeParts } from "@tocsin/domain/adapter"
import { dayMs, hourMs, minuteMs } from "@tocsin/domain/codec"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const at = (day: number, hour = 0, minute = 0): number => day * dayMs + hour * hourMs + minute * minuteMs

describe("cutting a range into days, hours and minutes", () => {
  it("takes whole days first, then whole hours, then what is left", () => {
    expect(rangeParts({ from: at(0, 22, 58), to: at(3, 1, 1) })).toEqual({
      days: [{ from: at(1), to: at(3) }],
      hours: [
        { from: at(0, 23), to: at(1) },
        { from: at(3), to: at(3, 1) },
      ],
      minutes: [
        { from: at(0, 22, 58), to: at(0, 23) },
        { from: at(3, 1), to: at(3, 1, 1) },
      ],
    })
  })

  it("cuts minutes over the edge of an hour, or of a day, in two", () => {
    expect(rangeParts({ from: at(5, 23, 30), to: at(6, 0, 30) })).toEqual({
      days: [],
      hours: [],
      minutes: [
        { from: at(5, 23, 30), to: at(6) },
        { from: at(6), to: at(6, 0, 30) },
      ],
    })
  })

  it("has nothing of an empty range", () => {
    expect(rangeParts({ from: at(1), to: at(1) })).toEqual({ days: [], hours: [], minutes: [] })
  })

  const minutes = fc.oneof(
    fc.integer({ min: 0, max: 5 * 24 * 60 }),
    fc.integer({ min: 0, max: 5 * 24 }).map((hours) => hours * 60),
    fc.integer({ min: 0, max: 5 }).map((days) => days * 24 * 60),
  )

  it("gives parts that are whole, follow one another and are the range together", () => {
    fc.assert(
      fc.property(minutes, minutes, (a, b) => {
        const [from, to] = [Math.min(a, b) * minuteMs, Math.max(a, b) * minuteMs]
        const { days, hours, minutes } = rangeParts({ from, to })
        for (const part of days) expect([part.from % dayMs, part.to % dayMs]).toEqual([0, 0])
        for (const part of hours) expect([part.from % hourMs, part.to % hourMs]).toEqual([0, 0])
        for (const part of minutes) {
          expect(Math.floor(part.from / hourMs)).toBe(Math.floor((part.to - 1) / hourMs))
        }
        const parts = [...days, ...hours, ...minutes].toSorted((a, b) => a.from - b.from)
        expect(parts.every((part) => part.from < part.to)).toBe(true)
        let end = from
        for (const part of parts) {
          expect(part.from).toBe(end)
          end = part.to
        }
        expect(end).toBe(to)
        // So that the work stays small: no day is left over as hours, and no hour as minutes.
        expect(hours.every((part) => part.to - part.from < 2 * dayMs)).toBe(true)
        expect(minutes.length).toBeLessThanOrEqual(2)
      }),
    )
  })
})
