import * as Result from "effect/Result"
import { decodeDefinition } from "@tocsin/domain"
import { durationOf, durationToMs, normalDuration } from "@tocsin/domain/codec"
import { describe, expect, it } from "vitest"
import {
  anAlertPolicy,
  changed,
  codesOf,
  decodeOptions,
  issuesOf,
  type Plain,
  writtenOf,
} from "../../../../test/definition/valid-definitions.ts"

const condition = { measurement: "burnedBudget", value: 0.9, op: "gte" }

describe("an alert policy", () => {
  const policy = anAlertPolicy()
  const path = "spec.conditions[0]"
  const withCondition = (condition: Plain): Plain => changed(policy, "spec.conditions", [condition])

  it("needs a severity and a condition; the cool-down is 5 minutes at first", () => {
    expect(codesOf(changed(policy, "spec", { description: "x" }))).toEqual([
      ["spec.conditions", "required"],
      ["spec.severity", "required"],
    ])
    expect(writtenOf(changed(policy, "spec.coolDown", undefined))["spec"]).toMatchObject({ coolDown: "5m" })
  })

  it("spec/alerting §1: has at most 10 conditions", () => {
    const conditions = (length: number) =>
      changed(
        policy,
        "spec.conditions",
        Array.from({ length }, () => condition),
      )
    expect(codesOf(conditions(10))).toEqual([])
    expect(codesOf(conditions(11))).toEqual([["spec.conditions", "too_many"]])
  })

  it("spec/alerting §16: is sent again every 1 minute to 7 days, 1 to 100 times", () => {
    const renotify = (every: string, atMost: number) => changed(policy, "spec.renotify", { every, atMost })
    for (const [every, atMost] of [
      ["1m", 1],
      ["168h", 100],
    ] as const)
      expect(issuesOf(renotify(every, atMost))).toEqual([])
    expect(codesOf(renotify("59s", 0))).toEqual([
      ["spec.renotify.atMost", "out_of_range"],
      ["spec.renotify.every", "out_of_range"],
    ])
    expect(codesOf(renotify("169h", 101))).toEqual([
      ["spec.renotify.atMost", "out_of_range"],
      ["spec.renotify.every", "out_of_range"],
    ])
    expect(codesOf(changed(policy, "spec.renotify", { every: "1m" }))).toEqual([
      ["spec.renotify.atMost", "required"],
    ])
  })

  it("spec/alerting §16: has 1 to 5 escalation steps at different times, each with alert methods", () => {
    const step = (after: string) => ({ after, alertMethods: [{ metadata: { name: "ops" } }] })
    const steps = (...then: ReadonlyArray<Plain>) => changed(policy, "spec.then", then)
    expect(issuesOf(steps(...["5m", "10m", "15m", "20m", "25m"].map(step)))).toEqual([])
    expect(codesOf(steps(...["5m", "10m", "15m", "20m", "25m", "30m"].map(step)))).toEqual([
      ["spec.then", "too_many"],
    ])
    expect(codesOf(steps(step("5m"), step("300s")))).toEqual([["spec.then[1].after", "duplicate"]])
    expect(codesOf(steps({ after: "0s", alertMethods: [] }))).toEqual([
      ["spec.then[0].after", "out_of_range"],
      ["spec.then[0].alertMethods", "too_few"],
    ])
    expect(writtenOf(steps(step("5m")))["spec"]).toMatchObject({
      then: [{ after: "5m", alertMethods: [{ metadata: { name: "ops", project: "shop" } }] }],
    })
  })

  it("has a severity of Low, Medium or High", () => {
    expect(codesOf(changed(policy, "spec.severity", "high"))).toEqual([
      ["spec.severity", "not_allowed_value"],
    ])
  })

  it("cools down for at least 5 minutes", () => {
    for (const coolDown of ["5m", "300s", "1h30m"])
      expect(issuesOf(changed(policy, "spec.coolDown", coolDown))).toEqual([])
    expect(codesOf(changed(policy, "spec.coolDown", "4m59s"))).toEqual([["spec.coolDown", "out_of_range"]])
    expect(codesOf(changed(policy, "spec.coolDown", "5 minutes"))).toEqual([
      ["spec.coolDown", "invalid_format"],
    ])
    expect(codesOf(changed(policy, "spec.coolDown", 300))).toEqual([["spec.coolDown", "wrong_type"]])
  })

  it.each([
    [{ measurement: "averageBurnRate", value: 20, alertingWindow: "5m" }, "gte"],
    [{ measurement: "averageBurnRate", value: 0.5, lastsFor: "0s" }, "gte"],
    [{ measurement: "burnedBudget", value: 0.8 }, "gte"],
    [{ measurement: "burnedBudget", value: 0.8, op: "lt", lastsFor: "10m" }, "lt"],
    [{ measurement: "timeToBurnBudget", value: "72h", lastsFor: "10m" }, "lt"],
    [{ measurement: "timeToBurnEntireBudget", value: "72h", alertingWindow: "168h" }, "lte"],
    [{ measurement: "budgetDrop", value: 0.1, alertingWindow: "1h" }, "gte"],
    [{ measurement: "budgetDrop", value: 0.1, alertingWindow: "1h", lastsFor: "10m" }, "gte"],
    [{ measurement: "averageBurnRate", value: 1, alertingWindow: "5m", lastsFor: "5m" }, "gte"],
    [{ measurement: "averageBurnRate", value: 1, minEvents: 100, minBadEvents: 5 }, "gte"],
  ])("takes the condition %j, with the operator of its measurement", (condition, op) => {
    expect(writtenOf(withCondition(condition))["spec"]).toMatchObject({
      conditions: [{ ...condition, op }],
    })
  })

  it.each([
    [{ measurement: "averageBurnRate", value: "20" }, ["value", "wrong_type"]],
    [{ measurement: "averageBurnRate", value: -1 }, ["value", "out_of_range"]],
    [{ measurement: "averageBurnRate" }, ["value", "required"]],
    [{ measurement: "averageBurnRate", value: 1, op: "lt" }, ["op", "not_allowed_value"]],
    [{ measurement: "timeToBurnBudget", value: 72 }, ["value", "wrong_type"]],
    [{ measurement: "timeToBurnBudget", value: "0h" }, ["value", "out_of_range"]],
    [
      { measurement: "burnedBudget", value: 1, alertingWindow: "5m" },
      ["alertingWindow", "not_allowed_value"],
    ],
    [{ measurement: "budgetDrop", value: 0.1 }, ["alertingWindow", "required"]],
    [{ measurement: "averageBurnRate", value: 1, alertingWindow: "4m" }, ["alertingWindow", "out_of_range"]],
    [
      { measurement: "averageBurnRate", value: 1, alertingWindow: "168h1m" },
      ["alertingWindow", "out_of_range"],
    ],
    [
      { measurement: "averageBurnRate", value: 1, alertingWindow: "330s" },
      ["alertingWindow", "out_of_range"],
    ],
    [{ measurement: "averageBurnRate", value: 1, lastsFor: "-1m" }, ["lastsFor", "out_of_range"]],
    [{ measurement: "averageBurnRate", value: 1, minEvents: 0 }, ["minEvents", "out_of_range"]],
    [{ measurement: "averageBurnRate", value: 1, minBadEvents: 1.5 }, ["minBadEvents", "out_of_range"]],
    [{ measurement: "burnRate", value: 1 }, ["measurement", "not_allowed_value"]],
    [{ value: 1 }, ["measurement", "required"]],
  ])("refuses the condition %j", (condition, [property, code]) => {
    expect(codesOf(withCondition(condition))).toEqual([[`${path}.${property}`, code]])
  })

  it.each([
    { conditionGroups: [{ conditions: [condition] }, { conditions: [condition, condition] }] },
    { sreWorkbook: "page" },
  ])("spec/alerting §14: takes %j instead of conditions", (instead) => {
    const spec = { severity: "High", coolDown: "5m", alertMethods: [], ...instead }
    expect(writtenOf(changed(policy, "spec", spec))["spec"]).toMatchObject(instead)
  })

  it.each([
    [{ conditionGroups: [] }, ["spec.conditionGroups", "too_few"]],
    [
      { conditionGroups: Array.from({ length: 6 }, () => ({ conditions: [condition] })) },
      ["spec.conditionGroups", "too_many"],
    ],
    [{ conditionGroups: [{}] }, ["spec.conditionGroups[0].conditions", "required"]],
    [{ conditionGroups: [{ conditions: [] }] }, ["spec.conditionGroups[0].conditions", "too_few"]],
    [
      { conditionGroups: [{ conditions: [{ value: 1 }] }] },
      ["spec.conditionGroups[0].conditions[0].measurement", "required"],
    ],
    [{ sreWorkbook: "pager" }, ["spec.sreWorkbook", "not_allowed_value"]],
    [{ sreWorkbook: "page", conditions: [condition] }, ["spec", "mutually_exclusive"]],
    [
      { conditionGroups: [{ conditions: [condition] }], conditions: [condition] },
      ["spec", "mutually_exclusive"],
    ],
  ])("spec/alerting §14: rejects %j", (instead, issue) => {
    const spec = { severity: "High", ...instead }
    expect(codesOf(changed(policy, "spec", spec))).toEqual([issue])
  })

  it("names alert methods, of its own project unless another is said", () => {
    const decoded = decodeDefinition(
      changed(policy, "spec.alertMethods", [
        { metadata: { name: "a" } },
        { metadata: { name: "a", project: "b" } },
      ]),
      decodeOptions,
    )
    expect(Result.isSuccess(decoded) && decoded.success.spec).toMatchObject({
      alertMethods: [
        { name: "a", project: "shop" },
        { name: "a", project: "b" },
      ],
    })
    const twice = [{ metadata: { name: "a" } }, { metadata: { name: "a", project: "shop" } }]
    expect(codesOf(changed(policy, "spec.alertMethods", twice))).toEqual([
      ["spec.alertMethods[1].metadata.name", "duplicate"],
    ])
    expect(codesOf(changed(policy, "spec.alertMethods", [{ name: "a" }]))).toEqual([
      ["spec.alertMethods[0].metadata", "required"],
      ["spec.alertMethods[0].name", "unknown_property"],
    ])
  })
})

describe("a duration", () => {
  it.each([
    ["0", 0],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["1.s", 1_000],
    ["100ms", 100],
    ["1us", 0.001],
    ["1µs", 0.001],
    ["-1m", -60_000],
    ["+1m", 60_000],
    ["1m1m", 120_000],
  ])("%s is %d ms", (text, ms) => {
    expect(durationToMs(text)).toBeCloseTo(ms, 9)
  })

  it.each([
    ["5m", "5m"],
    ["300s", "5m"],
    ["90m", "1h30m"],
    ["72h", "72h"],
    ["1.5h", "1h30m"],
    ["1h1s", "1h1s"],
    ["500ms", "0.5s"],
    ["0s", "0"],
    ["-90s", "-1m30s"],
  ])("%s is %s too", (text, normal) => {
    expect(normalDuration(durationOf(text).ms)).toBe(normal)
    expect(durationToMs(normal)).toBe(durationToMs(text))
  })

  it.each(["", "5", "m", "5d", "5 m", "5M", "--5m", "1e3s", ".s", "5m ", "1h-5m", "9".repeat(70)])(
    "%j is invalid",
    (text) => {
      expect(durationToMs(text)).toBeUndefined()
    },
  )
})
