import { makeCountHistory, runBacktest } from "@tocsin/domain/features/backtest"
import type { Condition } from "@tocsin/domain/alerting"
import { atOnce } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import * as Effect from "effect/Effect"
import { aPolicy, sloKey } from "../test/alerting/Incident.ts"
import { anSlo } from "@tocsin/testing/fixtures"
import { compare, type Comparison } from "./Compare.ts"
import { amount, roundsOf } from "./Length.ts"

const hourMs = 3_600_000

const to = Date.UTC(2026, 5, 1)
const storedHours = 60 * 24
const days = amount(31, 5)

/** In one hour of 50, half of the events are bad. */
const isBad = (hour: number): boolean => hour % 50 === 0
const badHours = Array.from({ length: days * 24 }, (_, hour) => storedHours - 1 - hour).filter(isBad).length

/** Backtests of 31 days of one objective over 28 days, with a count in each minute, whose hours have been read. */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const from = to - storedHours * hourMs
  const hours = Array.from({ length: storedHours }, (_, hour) => ({
    track: "good",
    at: from + hour * hourMs,
    counts: {
      good: Array.from({ length: 60 }, (_, minute) => (isBad(hour) ? 500 : 999 - (minute % 7))),
      total: Array.from({ length: 60 }, () => 1_000),
    },
  }))
  const definition = anSlo(sloKey, { objectives: [{ name: "good", target: 0.99 }] })
  const slo = { definition, version: "1", createdAt: 0, updatedAt: 0 }
  const rates = (value: number, ...windows: ReadonlyArray<string>): ReadonlyArray<Condition> =>
    windows.map((window) => ({
      measurement: "averageBurnRate",
      op: "gte",
      value,
      alertingWindow: durationOf(window),
    }))
  const backtest = async (conditions: ReadonlyArray<Condition>): Promise<number> => {
    const policy = { definition: aPolicy(conditions), version: "1", createdAt: 0, updatedAt: 0 }
    const before = process.cpuUsage()
    const history = atOnce(makeCountHistory(definition, hours, { from, to }))
    const { alerts } = await Effect.runPromise(
      runBacktest({
        organization: "acme",
        slo,
        policy,
        components: [],
        adjustments: [],
        histories: new Map([[`${sloKey.project}/${sloKey.name}`, history]]),
        range: { from: to - days * 24 * hourMs, to },
      }),
    )
    const { user, system } = process.cpuUsage(before)
    if (alerts.length !== badHours) throw new Error(`${alerts.length} alerts instead of ${badHours}`)
    return user + system
  }
  return [
    await compare(
      "A backtest of 31 days of one objective",
      [
        { name: "burn rate over 1 h and 5 min", round: () => backtest(rates(14.4, "1h", "5m")) },
        { name: "burn rate over 5 min", round: () => backtest(rates(14.4, "5m")) },
      ],
      { time: "cpu", ...roundsOf(5, 1) },
    ),
  ]
}
