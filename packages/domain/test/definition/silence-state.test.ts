import { silenceEnd } from "../../src/alert-policy/AlertSilence.ts"
import { decodeDefinition, silenceState } from "@tocsin/domain"
import { silenceStateUntil } from "../../src/alert-policy/SilenceState.ts"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import {
  anAlertSilence,
  changed,
  decodeOptions,
  type Plain,
} from "../../../../test/definition/valid-definitions.ts"

const written = Date.UTC(2026, 0, 30, 22)
const hour = 3_600_000
const day = 24 * hour

const silenceOf = (when: object) => {
  const { period: _, ...others } = anAlertSilence()["spec"] as Plain
  const input = changed(anAlertSilence(), "spec", { ...others, ...when })
  const definition = Result.getOrThrow(decodeDefinition(input, decodeOptions))
  if (definition.kind !== "AlertSilence") throw new Error(definition.kind)
  return { definition, updatedAt: written }
}

const recurring = (rrule: string, change: object = {}) =>
  silenceOf({
    recurrence: { startTime: "2026-01-01 02:00:00", timeZone: "UTC", rrule, duration: "2h", ...change },
  })

it("spec/alerting §23: a silence is scheduled, then active, then ended", () => {
  const later = silenceOf({ period: { startTime: "2026-01-31T00:00:00Z", duration: "1h" } })
  const [startsAt, endsAt] = [written + 2 * hour, written + 3 * hour]
  expect([0, 2 * hour, 3 * hour].map((ms) => silenceState(later, written + ms))).toEqual([
    { status: "scheduled", startsAt, endsAt },
    { status: "active", startsAt, endsAt },
    { status: "ended", endsAt },
  ])
  const sinceChange = silenceOf({ period: { duration: "1h" } })
  expect(silenceState(sinceChange, written)).toEqual({
    status: "active",
    startsAt: written,
    endsAt: written + hour,
  })
})

it("spec/alerting §23: a recurring silence has ended once no occurrence can follow", () => {
  const statusOf = (rrule: string, change?: object) => silenceState(recurring(rrule, change), written)
  const next = Date.UTC(2026, 0, 31, 2)
  expect(statusOf("FREQ=DAILY")).toEqual({ status: "scheduled", startsAt: next, endsAt: next + 2 * hour })
  expect(statusOf("FREQ=DAILY;UNTIL=20260130T020000Z")).toEqual({ status: "ended" })
  expect(statusOf("FREQ=YEARLY;INTERVAL=3")).toEqual({ status: "scheduled" })
  expect(statusOf("FREQ=YEARLY;INTERVAL=3;UNTIL=20280101T000000Z")).toEqual({ status: "scheduled" })
  expect(statusOf("FREQ=DAILY", { duration: "24h" })).toEqual({
    status: "active",
    startsAt: next - day,
  })
  expect(statusOf("FREQ=DAILY;UNTIL=20260201T020000Z", { duration: "24h" })).toEqual({
    status: "active",
    startsAt: next - day,
    endsAt: next + 2 * day,
  })
})

it("spec/alerting §23: the state agrees with what alerting applies, at every time until it changes", () => {
  const when = fc.oneof(
    fc.record({
      startTime: fc.integer({ min: -50, max: 50 }).map((n) => new Date(written + n * hour).toISOString()),
      duration: fc.integer({ min: 1, max: 100 }).map((n) => `${n}h`),
    }),
    fc.record({ duration: fc.integer({ min: 1, max: 100 }).map((n) => `${n}h`) }),
  )
  const rule = fc.record({
    rrule: fc.constantFrom(
      "FREQ=DAILY",
      "FREQ=DAILY;INTERVAL=2",
      "FREQ=WEEKLY;BYDAY=SA,SU",
      "FREQ=MONTHLY;BYDAY=-1SU",
      "FREQ=DAILY;UNTIL=20260202T000000Z",
    ),
    timeZone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York"),
    duration: fc.integer({ min: 1, max: 60 }).map((n) => `${n}h`),
  })
  const silences = fc.oneof(
    when.map((period) => silenceOf({ period })),
    rule.map(({ rrule, ...change }) => recurring(rrule, change)),
  )
  fc.assert(
    fc.property(
      silences,
      fc.integer({ min: -200 * hour, max: 200 * hour }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
      (silence, offset, parts) => {
        const now = written + offset
        const state = silenceState(silence, now)
        const isActive = (at: number) => silenceEnd(silence, at) !== undefined
        const until = Math.min(silenceStateUntil(state, now), now + 60 * day)
        expect(until).toBeGreaterThan(now)
        for (const part of [0, ...parts]) {
          const at = Math.min(Math.floor(now + part * (until - now)), until - 1)
          expect([at, isActive(at)]).toEqual([at, state.status === "active"])
        }
        if (state.status === "active" && state.endsAt !== undefined)
          expect(isActive(state.endsAt)).toBe(false)
        if (state.status === "scheduled" && state.startsAt !== undefined) {
          expect(isActive(state.startsAt)).toBe(true)
        }
      },
    ),
    { numRuns: 150 },
  )
})
