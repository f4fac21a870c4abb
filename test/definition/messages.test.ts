import { describe, expect, it } from "vitest"
import {
  aProject,
  aService,
  anAlertMethod,
  anAlertPolicy,
  aBudgetAdjustment,
  anAlertSilence,
  anSlo,
  changed,
  issuesOf,
  type Plain,
} from "./valid-definitions.ts"

const condition = (value: Plain): readonly [string, unknown] => ["spec.conditions[0]", value]
const objectives = "spec.objectives"
const composite = { target: 0.9, composite: { maxDelay: "5m", components: { objectives: [] } } }
const component = { slo: "other", objective: "good", weight: 1, whenDelayed: "Ignore" }
const withComponent = (changes: Plain): readonly [string, unknown] => [
  `${objectives}[0].composite`,
  { maxDelay: "5m", components: { objectives: [{ ...component, ...changes }] } },
]
const window = (value: Plain): readonly [string, unknown] => ["spec.timeWindows[0]", value]
const calendar = { startTime: "2026-01-01 00:00:00", timeZone: "Europe/Paris" }
const header = (value: unknown): readonly [string, unknown] => ["spec.webhook.headers", [value]]

/** Changes of one place, each of which breaks a rule. */
const cases: ReadonlyArray<readonly [Plain, ReadonlyArray<readonly [path: string, value: unknown]>]> = [
  [
    aProject(),
    [
      ["apiVersion", "other/v1"],
      ["apiVersion", undefined],
      ["kind", "Projekt"],
      ["kind", undefined],
      ["kind", 7],
      ["metadata", undefined],
      ["metadata", "shop"],
      ["metadata.name", undefined],
      ["metadata.name", 7],
      ["metadata.name", null],
      ["metadata.name", ["a"]],
      ["metadata.name", "No Name"],
      ["metadata.name", "x".repeat(254)],
      ["metadata.project", "shop"],
      ["metadata.displayName", "x".repeat(254)],
      ["metadata.displayName", "a\u0000"],
      ["metadata.labels", []],
      ["metadata.labels", { Team: ["a"] }],
      ["metadata.labels", { team: "a" }],
      ["metadata.labels", { team: ["a", "a"] }],
      ["metadata.labels", { ["x".repeat(64)]: ["y".repeat(201)] }],
      ["metadata.labels", Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, []]))],
      ["metadata.annotations", { "": "a", "-a": "b", "Example.com/a": "c", a: true, b: "x".repeat(1051) }],
      ["spec", 7],
      ["spec.description", "x".repeat(1051)],
      ["spec.descripton", "x"],
      ["spec.https://secret", "x"],
    ],
  ],
  [aService(), [["metadata.project", undefined]]],
  [
    anSlo(),
    [
      ["spec", undefined],
      ["metadata.name", "x".repeat(64)],
      ["spec.service", undefined],
      ["spec.budgetingMethod", "occurrences"],
      ["spec.budgetingMethod", "Timeslices"],
      ["spec.timeWindows", []],
      ["spec.timeWindows", "28d"],
      ["spec.timeWindows", [{}, {}]],
      window({ unit: "Day", count: 28 }),
      window({ unit: "Day", count: 28, isRolling: "yes" }),
      window({ unit: "Day", count: 28, isRolling: false }),
      window({ unit: "Day", count: 28, isRolling: true, calendar }),
      window({ unit: "Day", count: 0, isRolling: true }),
      window({ unit: "Day", count: 1.5, isRolling: true }),
      window({ unit: "Day", count: 401, isRolling: true }),
      window({ unit: "Month", count: 1, isRolling: true }),
      window({ unit: "Year", count: 10, calendar }),
      window({ unit: "Minute", count: 2, calendar }),
      window({ unit: "Year", count: 1, calendar: { startTime: "2026-01-01", timeZone: "Mars/Olympus" } }),
      window({ unit: "Year", count: 1, calendar: { startTime: "2026-01-01 00:00:30", timeZone: "+01:00" } }),
      window({ unit: "Year", count: 1, calendar: { startTime: 7 } }),
      [objectives, []],
      [
        objectives,
        [
          { name: "a", target: 0.9 },
          { name: "a", target: 0.9 },
        ],
      ],
      [`${objectives}[0].target`, 1],
      [`${objectives}[0].target`, "0.9"],
      [`${objectives}[0].timeSliceTarget`, 0.5],
      [`${objectives}[0].timeSliceTarget`, 2],
      [`${objectives}[0]`, composite],
      [`${objectives}[0].composite`, { components: {} }],
      [`${objectives}[0].composite`, { maxDelay: "30s", components: { objectives: [component] } }],
      withComponent({ weight: 0, whenDelayed: "CountAsGod" }),
      withComponent({ slo: "checkout" }),
      [`${objectives}[0].composite`, { maxDelay: "5m", components: { objectives: [component, component] } }],
      ["spec.composite", { target: 0.9 }],
      ["spec.composite", { target: 0.9, burnRateCondition: { value: 1001, op: "lt" } }],
      ["spec.alertPolicies", ["a", "a"]],
      ["spec.alertPolicies", Array.from({ length: 31 }, (_, at) => `p${at}`)],
      ["spec.indicator", {}],
      ["spec.indicator", { prometheus: { url: "ftp://a.example", good: " ", total: "x" } }],
      ["spec.indicator", { prometheus: { url: "https://a.example/?q", good: "x", total: 7 } }],
      ["spec.anomalyConfig", { noData: {} }],
      ["spec.anomalyConfig", { noData: { alertMethods: [], alertAfter: "1m" } }],
      [
        "spec.anomalyConfig",
        { noData: { alertMethods: [{ name: "a" }, { name: "a" }], alertAfter: "2 days" } },
      ],
    ],
  ],
  [
    anAlertPolicy(),
    [
      ["spec.severity", "high"],
      ["spec.coolDown", "4m59s"],
      ["spec.coolDown", "5 minutes"],
      ["spec.coolDown", 300],
      ["spec.conditions", []],
      ["spec.conditions", Array.from({ length: 11 }, () => ({ measurement: "burnedBudget", value: 0.9 }))],
      condition({ value: 1 }),
      condition({ measurement: "burnRate", value: 1 }),
      condition({ measurement: "averageBurnRate" }),
      condition({ measurement: "averageBurnRate", value: "20" }),
      condition({ measurement: "averageBurnRate", value: -1, op: "lt" }),
      condition({ measurement: "burnedBudget", value: 1, alertingWindow: "5m" }),
      condition({ measurement: "timeToBurnBudget", value: 72 }),
      condition({ measurement: "timeToBurnBudget", value: "0h" }),
      condition({ measurement: "budgetDrop", value: 0.1 }),
      condition({ measurement: "budgetDrop", value: 0.1, lastsFor: "5m" }),
      condition({ measurement: "averageBurnRate", value: 1, alertingWindow: "4m" }),
      condition({ measurement: "averageBurnRate", value: 1, lastsFor: "-1m" }),
      condition({ measurement: "averageBurnRate", value: 1, minEvents: 0 }),
      ["spec.conditions", undefined],
      ["spec.conditionGroups", [{ conditions: [] }]],
      ["spec.sreWorkbook", "page"],
      ["spec.alertMethods", [{ metadata: { name: "a" } }, { metadata: { name: "a" } }]],
      ["spec.alertMethods", [{ name: "a" }]],
    ],
  ],
  [
    anAlertMethod(),
    [
      ["spec.webhook", undefined],
      ["spec.webhook.url", 7],
      ["spec.webhook.url", "http://hooks.example.com"],
      ["spec.webhook.url", "https://user:secret@hooks.example.com"],
      ["spec.webhook.url", "https://10.0.0.1/"],
      ["spec.webhook.url", "https://intranet/"],
      ["spec.webhook.url", "https://a b/"],
      ["spec.webhook.url", "https://a.example/#x"],
      ["spec.webhook.url", `https://a.example/${"x".repeat(2048)}`],
      ["spec.webhook.templateFields", undefined],
      ["spec.webhook.templateFields", ["slo_nam", "slo_name", "slo_name"]],
      ["spec.webhook.template", '{"a": 1}'],
      ["spec.webhook", { template: { a: 1 } }],
      ["spec.webhook", { template: "" }],
      ["spec.webhook", { template: '{"a": $slo_nam, "a": 1,}' }],
      ["spec.webhook", { template: '{"a": "\u0000"}' }],
      header({}),
      header({ name: "Host", value: "x" }),
      header({ name: "a b", value: " x" }),
      header({ name: "a", value: " " }),
      header({ name: "a", value: "\u00e9" }),
      header({ name: "a", value: "b", isSecret: "yes" }),
      [
        "spec.webhook.headers",
        [
          { name: "a", value: "b" },
          { name: "A", value: "c" },
        ],
      ],
      ["spec.webhook.headers", Array.from({ length: 11 }, (_, at) => ({ name: `h${at}`, value: "x" }))],
      [
        "spec.webhook.headers",
        Array.from({ length: 5 }, (_, at) => ({ name: `h${at}`, value: "x".repeat(4000) })),
      ],
      ["spec.webhook.sendResolution", "no"],
      ["spec.webhook.sendResolutions", true],
      ["metadata.labels", { a: ["b"] }],
    ],
  ],
  [
    anAlertSilence(),
    [
      ["spec.slo", undefined],
      ["spec.alertPolicy", { project: "b" }],
      ["spec.period", undefined],
      ["spec.period", {}],
      ["spec.period", { endTime: "2026-01-30T22:00:00Z", duration: "1h" }],
      ["spec.period", { startTime: "2026-01-30T22:00:00Z", endTime: "2026-01-30T22:00:00Z" }],
      ["spec.period", { startTime: "2026-01-30", duration: "1h" }],
      ["spec.period", { endTime: 7 }],
      ["spec.period", { duration: "0s" }],
    ],
  ],
  [
    aBudgetAdjustment(),
    [
      ["spec.reason", undefined],
      ["spec.slos", undefined],
      ["spec.slos", []],
      ["spec.slos", [{ name: "a" }, { name: "a", project: "shop" }]],
      ["spec.sloLabels", "team:a"],
      ["spec.sloLabels", ":a"],
      ["spec.period", undefined],
      ["spec.period", { duration: "1h" }],
      ["spec.period", { startTime: "2026-01-30T22:00:00Z" }],
      ["spec.period", { startTime: "2026-01-30T22:00:00Z", endTime: "2026-01-30T22:00:00Z" }],
      ["spec.set", { good: 2, total: 1 }],
      ["spec.set", { good: -1 }],
    ],
  ],
]

describe("the messages of definitions", () => {
  it("are those of the golden file", async () => {
    const lines = cases.flatMap(([definition, changes]) =>
      changes.flatMap(([path, value]) => {
        const written = JSON.stringify(value) ?? "(absent)"
        const shown = written.length > 100 ? `${written.slice(0, 100)}…` : written
        const issues = issuesOf(changed(definition, path, value))
        expect(issues, `${path} ${shown}`).not.toEqual([])
        return [
          `${String(definition["kind"])} ${path} = ${shown}`,
          ...issues.map((issue) => `    ${issue.path} [${issue.code}] ${issue.message}`),
        ]
      }),
    )
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("messages.txt")
  })
})
