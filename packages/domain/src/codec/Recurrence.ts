/** Times that recur by an RFC 5545 recurrence rule, such as every Saturday from 02:00 to 04:00 in Berlin. */
import { RRuleTemporal } from "rrule-temporal"
import { type Codec, described, mapped, type TypeOf } from "./Codec.ts"
import { object } from "./Containers.ts"
import type { Duration } from "./Duration.ts"
import { duration } from "./DurationCodec.ts"
import type { IssueCode } from "./Issue.ts"
import { string } from "./Leaves.ts"
import { dayMs, minuteMs, minuteOf } from "./MinuteInstant.ts"
import type { MinuteRange } from "./MinuteRange.ts"
import { type NamedTimeZone, timeZone, type WallClockTime, wallClockTime } from "./WallClock.ts"

/** Longest recurrence rule, in characters. */
const recurrenceRuleMaxCharacters = 200

/** Longest occurrence of a recurrence, in milliseconds. */
const recurrenceDurationMaxMs = 31 * 86_400_000

/** Largest interval of a recurrence: a number of days, weeks, months or years, as its frequency says. */
const recurrenceIntervalMax = 1_000

/** A value of a part of a rule. */
interface PartRule {
  readonly isValid: (value: string) => boolean
  readonly expected: string
}

const oneOfTexts = (...allowed: ReadonlyArray<string>): PartRule => ({
  isValid: (value) => allowed.includes(value),
  expected: `one of ${allowed.join(", ")}`,
})

const matching = (format: RegExp, expected: string): PartRule => ({
  isValid: (value) => format.test(value),
  expected,
})

const integer = (max: number): PartRule => ({
  isValid: (value) => /^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= max,
  expected: `an integer from 1 to ${max}`,
})

/** A position from the start, or, where negative, from the end. */
const position = (max: number): PartRule => ({
  isValid: (value) => integer(max).isValid(value.replace(/^[+-]/, "")),
  expected: `an integer from 1 to ${max} or from -${max} to -1`,
})

const listOf = ({ isValid, expected }: PartRule): PartRule => ({
  isValid: (value) => value.split(",").every(isValid),
  expected: `${expected}, or a list of such values with commas`,
})

const day = matching(
  /^(?:[+-]?(?:[1-9]|[1-4]\d|5[0-3]))?(?:MO|TU|WE|TH|FR|SA|SU)$/,
  "a day such as MO, 1MO or -1SU",
)

/**
 * The parts of a rule. None makes it recur more than once a day, which bounds the occurrences of any range. COUNT is not
 * among them: whether an occurrence is the last one depends on all before it, and finding those can take seconds.
 */
const parts: ReadonlyMap<string, PartRule> = new Map([
  ["FREQ", oneOfTexts("DAILY", "WEEKLY", "MONTHLY", "YEARLY")],
  ["INTERVAL", integer(recurrenceIntervalMax)],
  ["UNTIL", matching(/^\d{8}T\d{6}Z$/, "a date-time in UTC such as 20261231T235959Z")],
  ["BYDAY", listOf(day)],
  ["BYMONTHDAY", listOf(position(31))],
  ["BYYEARDAY", listOf(position(366))],
  ["BYWEEKNO", listOf(position(53))],
  ["BYMONTH", listOf(integer(12))],
  ["BYSETPOS", listOf(position(366))],
  ["WKST", oneOfTexts("MO", "TU", "WE", "TH", "FR", "SA", "SU")],
])

/** A rule by its parts. */
export const recurrenceRule: Codec<string, unknown, string> = mapped(
  described(
    string({ max: recurrenceRuleMaxCharacters }),
    `RFC 5545 recurrence rule such as FREQ=WEEKLY;BYDAY=SA, of ${[...parts.keys()].join(", ")}`,
  ),
  {
    decode: (text, path, issues) => {
      const seen = new Set<string>()
      let isValid = true
      const reject = (code: IssueCode, message: string) => {
        issues.add(path, code, message)
        isValid = false
      }
      for (const part of text.split(";")) {
        const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(part) ?? []
        if (name === "COUNT") {
          reject("not_allowed_value", "must end with UNTIL instead of COUNT")
          continue
        }
        const known = parts.get(name)
        if (known === undefined) {
          const names = [...parts.keys()].join(", ")
          reject("invalid_format", `must consist of parts like FREQ=WEEKLY;BYDAY=SA; the parts are ${names}`)
          break
        }
        if (seen.has(name)) reject("duplicate", `must have ${name} only once`)
        seen.add(name)
        if (!known.isValid(value)) reject("invalid_format", `${name} must be ${known.expected}`)
      }
      if (isValid && !seen.has("FREQ")) reject("required", "must have FREQ")
      return isValid ? text : undefined
    },
    encode: (text) => text,
  },
)

const writtenRecurrence = object(
  {
    startTime: described(
      wallClockTime,
      "When the rule begins, and the time of day of each occurrence: a wall-clock time such as 2026-01-01 02:00:00",
    ),
    timeZone,
    rrule: recurrenceRule,
    duration: duration(
      (ms) => ms >= minuteMs && ms <= recurrenceDurationMaxMs && ms % minuteMs === 0,
      `must be whole minutes, at most ${recurrenceDurationMaxMs / dayMs} days`,
    ),
  },
  {
    example:
      "{ startTime: 2026-01-31 02:00:00, timeZone: Europe/Paris, rrule: FREQ=WEEKLY;BYDAY=SA, duration: 2h }",
    rules: ({ value: { startTime, timeZone, rrule }, at, issues }) => {
      if (startTime === undefined || timeZone === undefined || rrule === undefined) return
      try {
        ruleOf({ startTime, timeZone, rrule })
      } catch {
        issues.add(at("rrule"), "invalid_format", "must be a recurrence rule as in RFC 5545, section 3.3.10")
      }
    },
  },
)

type WrittenRecurrence = TypeOf<typeof writtenRecurrence>

/** Decodes `{ startTime, timeZone, rrule, duration }`. */
export const recurrence = mapped(writtenRecurrence, {
  decode: (written) => new Recurrence(written),
  encode: (value) => value,
})

/** Starts are found and kept for so many milliseconds at a time: finding one takes about 0.1 ms. */
const blockMs = 32 * dayMs

const blockOf = (instant: number): number => Math.floor(instant / blockMs)

/** Blocks kept for each recurrence: more than the retention of counts has. */
const keptBlocks = 64

/** A recurrence, which knows its occurrences. */
export class Recurrence {
  /** When the rule begins, and the time of day of each occurrence; it is an occurrence only if the rule says so. */
  readonly startTime: WallClockTime
  /** The time zone of `startTime`. */
  readonly timeZone: NamedTimeZone
  /** An RFC 5545 recurrence rule, such as `FREQ=WEEKLY;BYDAY=SA`. */
  readonly rrule: string
  /** How long each occurrence is: whole minutes, at most `recurrenceDurationMaxMs`. */
  readonly duration: Duration
  #rule: RRuleTemporal | undefined
  readonly #startsByBlock = new Map<number, ReadonlyArray<number>>()

  /** Of what was written, whose rule is valid. */
  constructor({ startTime, timeZone, rrule, duration }: WrittenRecurrence) {
    this.startTime = startTime
    this.timeZone = timeZone
    this.rrule = rrule
    this.duration = duration
  }

  /**
   * The times of the occurrences that overlap `range`, in order; those that touch or overlap are one.
   *
   * An occurrence whose wall-clock start is skipped by daylight saving time does not take place; one whose start comes
   * twice takes place at the first.
   */
  ranges(range: MinuteRange): ReadonlyArray<MinuteRange> {
    return [...this.eachRange(range)]
  }

  /** As `ranges`, one after the other: it looks no further than for what is read. */
  *eachRange(range: MinuteRange): Generator<MinuteRange> {
    let found: { from: number; to: number } | undefined
    const durationMs = this.duration.ms
    const last = blockOf(range.to - 1)
    for (let block = blockOf(range.from - durationMs); block <= last; block++) {
      for (const from of this.#startsIn(block)) {
        const to = from + durationMs
        if (to <= range.from || from >= range.to) continue
        if (found !== undefined && from <= found.to) found.to = Math.max(found.to, to)
        else {
          if (found !== undefined) yield found
          found = { from, to }
        }
      }
      // What begins in a later block is too late to belong to it.
      if (found !== undefined && found.to < (block + 1) * blockMs) {
        yield found
        found = undefined
      }
    }
    if (found !== undefined) yield found
  }

  /** The latest time at which an occurrence can begin, in Unix milliseconds; `undefined` if its rule never ends. */
  get until(): number | undefined {
    const [, ...parts] = /UNTIL=(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(this.rrule) ?? []
    const [year = 0, month = 0, day, hour, minute, second] = parts.map(Number)
    return parts.length === 0 ? undefined : Date.UTC(year, month - 1, day, hour, minute, second)
  }

  #startsIn(block: number): ReadonlyArray<number> {
    const kept = this.#startsByBlock.get(block)
    if (kept !== undefined) return kept
    this.#rule ??= ruleOf(this)
    const from = block * blockMs
    const starts = this.#rule
      .between(new Date(from), new Date(from + blockMs - 1), true)
      .map(({ epochMilliseconds }) => minuteOf(epochMilliseconds))
    if (this.#startsByBlock.size >= keptBlocks) this.#startsByBlock.clear()
    this.#startsByBlock.set(block, starts)
    return starts
  }
}

const ruleOf = ({ startTime, timeZone, rrule }: Omit<WrittenRecurrence, "duration">): RRuleTemporal => {
  const start = startTime.text.replace(" ", "T").replaceAll(/[-:]/g, "")
  const rruleString = `DTSTART;TZID=${timeZone.name}:${start}\nRRULE:${rrule}`
  return new RRuleTemporal({ rruleString, strict: true })
}
