import { dayMs } from "./MinuteInstant.ts"

/** The rules of an IANA time zone. */
export interface TimeZoneRules {
  /** Local time minus UTC at a time in Unix milliseconds, in milliseconds. */
  readonly offsetAt: (ms: number) => number
}

/** The rules of the time zone with a name, in any case; `undefined`: there is none. */
export const timeZoneRules = (name: string): TimeZoneRules | undefined => {
  // An offset such as +01:00, which some platforms accept as a name, is not a time zone. Names are ASCII, so that no other letter becomes
  // one of them in lower case.
  if (!/^[A-Za-z][!-~]*$/.test(name)) return undefined
  const key = name.toLowerCase()
  const known = rulesByName.get(key)
  if (known !== undefined) return known
  const format = formatOf(name)
  if (format === undefined) return undefined
  const rules: TimeZoneRules = { offsetAt: (ms) => offsetOf(format.format(ms)) }
  rulesByName.set(key, rules)
  return rules
}

const formatOf = (timeZone: string): Intl.DateTimeFormat | undefined => {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
  } catch {
    return undefined
  }
}

/** By name in lower case: not more than the names of zones that the platform knows, about 600. */
const rulesByName = new Map<string, TimeZoneRules>()

/** Of a text that ends with `GMT`, `GMT+05:45` or `GMT-00:44:30`. */
const offsetOf = (text: string): number => {
  const [, sign, hours, minutes, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? []
  if (sign === undefined) return 0
  const ms = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000
  return sign === "-" ? -ms : ms
}

/**
 * The time at which the clocks of a zone show a wall-clock time, both in Unix milliseconds, the latter as if it were
 * in UTC. The first one if it occurs twice; as much later as the gap is long if it is skipped.
 */
export const timeOfWallClock = (wallClock: number, { offsetAt }: TimeZoneRules): number => {
  const before = offsetAt(wallClock - dayMs)
  const after = offsetAt(wallClock + dayMs)
  const isAfter =
    before !== after && offsetAt(wallClock - before) !== before && offsetAt(wallClock - after) === after
  return wallClock - (isAfter ? after : before)
}
