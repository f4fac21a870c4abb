import * as Result from "effect/Result"
import { decodeDefinition, definitionToJson } from "@tocsin/domain"
import type { AlertSilence } from "@tocsin/domain/adapter"
import { dateTimeToMs } from "@tocsin/domain/codec"
import { silenceEnd } from "../../src/alert-policy/AlertSilence.ts"
import { describe, expect, it } from "vitest"
import {
  anAlertSilence,
  changed,
  codesOf,
  decodeOptions,
  type Plain,
} from "../../../../test/definition/valid-definitions.ts"

const silence = anAlertSilence()
const withPeriod = (period: unknown): Plain => changed(silence, "spec.period", period)

const decoded = (input: Plain): AlertSilence => {
  const result = decodeDefinition(input, decodeOptions)
  if (Result.isFailure(result) || result.success.kind !== "AlertSilence")
    throw new Error(JSON.stringify(result))
  return result.success
}

const start = "2026-01-30T22:00:00Z"
const startMs = Date.UTC(2026, 0, 30, 22)

describe("an alert silence", () => {
  it("spec/alerting §6: reads back as it is written", () => {
    expect(codesOf(silence)).toEqual([])
    expect(definitionToJson(decoded(silence), "tocsin")).toEqual(silence)
  })

  it("spec/alerting §6: needs an SLO and a period", () => {
    expect(codesOf(changed(silence, "spec", {}))).toEqual([
      ["spec.period", "required"],
      ["spec.slo", "required"],
    ])
    expect(codesOf(changed(silence, "spec.slo", "a".repeat(64)))).toEqual([["spec.slo", "too_long"]])
  })

  it("spec/alerting §20: selects SLOs by labels instead of one by its name", () => {
    const { slo, ...others } = silence["spec"] as Plain
    const labelled = (sloLabels: unknown) => changed(silence, "spec", { ...others, sloLabels })
    const selector = labelled("team:payments,env:eu, env:us,tier")
    expect(definitionToJson(decoded(selector), "tocsin")).toEqual(selector)
    expect(decoded(selector).spec.sloLabels?.filter).toEqual({
      team: ["payments"],
      env: ["eu", "us"],
      tier: [],
    })
    expect(codesOf(changed(selector, "spec.slo", slo))).toEqual([["spec", "mutually_exclusive"]])
    expect(codesOf(labelled(""))).toEqual([["spec.slo", "required"]])
    for (const text of [",", ":payments", "team:a,", " "])
      expect(codesOf(labelled(text)), text).toEqual([["spec.sloLabels", "invalid_format"]])
    const many = Array.from({ length: 101 }, (_, index) => `team:${index}`).join(",")
    expect(codesOf(labelled(many))).toEqual([["spec.sloLabels", "too_many"]])
    expect(codesOf(labelled({ team: ["a"] }))).toEqual([["spec.sloLabels", "wrong_type"]])
  })

  it("spec/alerting §22: notifies alert methods before it ends, less than its duration earlier", () => {
    const notified = (before: unknown, spec: Plain = {}, methods: unknown = [{ name: "hook" }]) =>
      changed(silence, "spec", {
        ...(silence["spec"] as Plain),
        ...spec,
        notifyBeforeEnd: { before, alertMethods: methods },
      })
    const own = notified("15m", {}, [
      { name: "hook", project: "shop" },
      { name: "hook", project: "other" },
    ])
    expect(definitionToJson(decoded(own), "tocsin")).toEqual(own)
    expect(decoded(notified("15m")).spec.notifyBeforeEnd?.alertMethods).toEqual([
      { name: "hook", project: "shop" },
    ])
    const tooLong = [["spec.notifyBeforeEnd.before", "out_of_range"]]
    expect(codesOf(notified("89m"))).toEqual([])
    expect(codesOf(notified("90m"))).toEqual(tooLong)
    expect(codesOf(notified("59s"))).toEqual(tooLong)
    const period = { startTime: start, endTime: "2026-01-30T23:00:00Z" }
    expect(codesOf(notified("59m", { period }))).toEqual([])
    expect(codesOf(notified("60m", { period }))).toEqual(tooLong)
    expect(codesOf(notified("60m", { period: { endTime: start } }))).toEqual([])
    const { period: _, ...others } = silence["spec"] as Plain
    const notifyBeforeEnd = { before: "2h", alertMethods: [{ name: "hook" }] }
    expect(codesOf(changed(silence, "spec", { ...others, recurrence: saturdays, notifyBeforeEnd }))).toEqual(
      tooLong,
    )
    expect(codesOf(notified("5m", {}, []))).toEqual([["spec.notifyBeforeEnd.alertMethods", "too_few"]])
    expect(codesOf(notified("5m", {}, [{ name: "a" }, { name: "a", project: "shop" }]))).toEqual([
      ["spec.notifyBeforeEnd.alertMethods[1]", "duplicate"],
    ])
    const many = Array.from({ length: 11 }, (_, index) => ({ name: `a-${index}` }))
    expect(codesOf(notified("5m", {}, many))).toEqual([["spec.notifyBeforeEnd.alertMethods", "too_many"]])
  })

  it("spec/alerting §6: names an alert policy of its own project unless another is said, or none", () => {
    expect(decoded(changed(silence, "spec.alertPolicy", { name: "a" })).spec.alertPolicy).toEqual({
      name: "a",
      project: "shop",
    })
    expect(decoded(changed(silence, "spec.alertPolicy", undefined)).spec).not.toHaveProperty("alertPolicy")
    expect(codesOf(changed(silence, "spec.alertPolicy", { project: "b" }))).toEqual([
      ["spec.alertPolicy.name", "required"],
    ])
  })

  it.each([
    [{}, ["spec.period", "required"]],
    [{ startTime: start }, ["spec.period", "required"]],
    [{ endTime: start, duration: "1h" }, ["spec.period", "mutually_exclusive"]],
    [{ startTime: start, endTime: start }, ["spec.period.endTime", "out_of_range"]],
    [{ startTime: "2026-01-30", duration: "1h" }, ["spec.period.startTime", "invalid_format"]],
    [{ endTime: 7 }, ["spec.period.endTime", "wrong_type"]],
    [{ duration: "0s" }, ["spec.period.duration", "out_of_range"]],
    [{ duration: "an hour" }, ["spec.period.duration", "invalid_format"]],
    [{ duration: 60 }, ["spec.period.duration", "wrong_type"]],
  ])("spec/alerting §6: rejects the period %j", (period, issue) => {
    expect(codesOf(withPeriod(period))).toEqual([issue])
  })

  it("spec/alerting §6: holds from its start, or its last change, to its end", () => {
    const isEnd = (period: unknown, from: number, to: number) => {
      const definition = decoded(withPeriod(period))
      const endAt = (now: number) => silenceEnd({ definition, updatedAt: startMs - 1_000 }, now)
      expect([from - 1, from, to - 1, to].map(endAt)).toEqual([undefined, to, to, undefined])
    }
    isEnd({ startTime: start, duration: "1h" }, startMs, startMs + 3_600_000)
    isEnd({ startTime: "1970-01-01T00:00:00Z", duration: "1s" }, 0, 1_000)
    isEnd({ duration: "1m" }, startMs - 1_000, startMs + 59_000)
    isEnd({ endTime: "2026-01-31T00:00:00+01:00" }, startMs - 1_000, startMs + 3_600_000)
  })

  const saturdays = {
    startTime: "2026-01-01 02:00:00",
    timeZone: "Europe/Berlin",
    rrule: "FREQ=WEEKLY;BYDAY=SA",
    duration: "2h",
  }
  const { period, ...others } = silence["spec"] as Plain
  const recurring = (recurrence: Plain): Plain => changed(silence, "spec", { ...others, recurrence })

  it("spec/alerting §17: recurs by a rule in a time zone, instead of one period", () => {
    expect(definitionToJson(decoded(recurring(saturdays)), "tocsin")).toEqual(recurring(saturdays))
    expect(codesOf(changed(silence, "spec", { ...others, period, recurrence: saturdays }))).toEqual([
      ["spec", "mutually_exclusive"],
    ])
    expect(codesOf(recurring({ ...saturdays, rrule: "FREQ=HOURLY", duration: "0s" }))).toEqual([
      ["spec.recurrence.duration", "out_of_range"],
      ["spec.recurrence.rrule", "invalid_format"],
    ])
  })

  it("spec/alerting §17: is active during each occurrence, by the clocks of the time zone", () => {
    const definition = decoded(recurring(saturdays))
    const endAt = (text: string) => {
      const end = silenceEnd({ definition, updatedAt: startMs }, Date.parse(text))
      return end === undefined ? undefined : new Date(end).toISOString()
    }
    expect(endAt("2026-01-31T00:59:59.999Z")).toBeUndefined()
    expect(endAt("2026-01-31T01:00:00Z")).toBe("2026-01-31T03:00:00.000Z")
    expect(endAt("2026-01-31T02:59:59.999Z")).toBe("2026-01-31T03:00:00.000Z")
    expect(endAt("2026-01-31T03:00:00Z")).toBeUndefined()
    // An hour earlier in summer.
    expect(endAt("2026-07-04T00:00:30Z")).toBe("2026-07-04T02:00:00.000Z")
    expect(endAt("2026-02-01T01:30:00Z")).toBeUndefined()
  })
})

describe("a date-time", () => {
  it.each([
    ["2026-01-30T22:00:00Z", startMs],
    ["2026-01-30t22:00:00z", startMs],
    ["2026-01-30T23:30:00+01:30", startMs],
    ["2026-01-30T14:00:00.25-08:00", startMs + 250],
    ["2026-01-31T00:00:00-00:00", startMs + 7_200_000],
  ])("%s is read with its offset", (text, ms) => {
    expect(dateTimeToMs(text)).toBe(ms)
  })

  it.each([
    "2026-01-30T22:00:00",
    "2026-01-30T22:00:00+1:00",
    "2026-01-30T22:00:00+24:00",
    "2026-01-30T22:00:00+01:60",
    "2026-01-30T22:00:00ZZ",
    "2026-01-30T22:00:00+00:00Z",
    "2026-02-30T22:00:00Z",
    "2026-01-30 22:00:00Z",
    "",
  ])("%j is invalid", (text) => {
    expect(dateTimeToMs(text)).toBeUndefined()
  })
})
