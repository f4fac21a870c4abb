import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { scratch, tocsin } from "./child-process.ts"
import { useMemoryServer } from "./memory-server.ts"

const environment = useMemoryServer({ TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8" })

const run = (...args: ReadonlyArray<string>) => tocsin(args, environment())

const definitions = `
apiVersion: tocsin/v1alpha
kind: Project
metadata: { name: shop, displayName: Shop }
---
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web, project: shop, labels: { team: [payments, checkout] }, annotations: { runbook: "https://127.0.0.1/web" } }
---
apiVersion: tocsin/v1alpha
kind: DataSource
metadata: { name: metrics, project: shop }
spec: { prometheus: { url: "http://127.0.0.1:9", basic: { username: me, password: s3cret } } }
---
apiVersion: tocsin/v1alpha
kind: AlertMethod
metadata: { name: on-call, project: shop, displayName: On call }
spec:
  webhook:
    url: https://127.0.0.1:9/
    templateFields: [slo_name]
    headers: [{ name: Authorization, value: s3cret, isSecret: true }]
---
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: burning, project: shop }
spec:
  severity: High
  coolDown: 5m
  conditions: [{ measurement: averageBurnRate, alertingWindow: 5m, op: gte, value: 14.4 }]
  then: [{ after: 10m, alertMethods: [{ metadata: { name: on-call } }] }]
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: checkout, project: shop, displayName: 決済 }
spec:
  description: "Payments\\nare taken"
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  alertPolicies: [burning]
  objectives:
    - { name: good, displayName: Good, target: 0.999 }
    - { name: fast, displayName: Fast, target: 0.95 }
    - { name: fresh, displayName: Fresh, target: 0.95 }
---
apiVersion: tocsin/v1alpha
kind: AlertSilence
metadata: { name: upgrade, project: shop }
spec:
  description: Upgrade of the database
  slo: checkout
  period: { startTime: "2099-01-01T00:00:00Z", duration: 2h }
---
apiVersion: tocsin/v1alpha
kind: BudgetAdjustment
metadata: { name: outage, project: shop }
spec: { reason: Outage, period: { startTime: "2026-01-01T00:00:00Z", duration: 2h }, slos: [{ name: search, project: shop }] }
---
apiVersion: tocsin/v1alpha
kind: BudgetAdjustment
metadata: { name: nightly, project: shop }
spec:
  reason: Batch
  sloLabels: team:batch
  recurrence: { startTime: "2026-01-01 02:00:00", timeZone: UTC, rrule: FREQ=DAILY, duration: 1h }
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: search, project: shop }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Month, count: 1, calendar: { startTime: "2026-01-01 00:00:00", timeZone: UTC } }]
  objectives: [{ name: good, displayName: Good, target: 0.99 }]
`

beforeAll(async () => {
  const file = join(scratch, "described.yaml")
  writeFileSync(file, definitions)
  expect(await run("apply", "-f", file)).toMatchObject({ code: 0, stderr: "" })
  // Deliveries then stay as they are.
  expect(await run("delivery", "pause", "on-call", "-p", "shop")).toMatchObject({ code: 0 })
  const token = (await run("token")).stdout.trim()
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${environment()["TOCSIN_URL"]}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        organization: "acme",
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    })
    return response.status
  }
  const minute = Math.floor(Date.now() / 60_000) * 60_000 - 120_000
  const counts = { project: "shop", slo: "checkout", at: new Date(minute).toISOString(), total: 10_000 }
  const posted = await post("/api/counts", [
    { ...counts, objective: "good", good: 9_980 },
    { ...counts, objective: "fast", good: 9_590 },
  ])
  expect(posted).toBe(204)
  const opened = await post("/api/alerts", {
    alertId: "incident-1",
    status: "triggered",
    slo: { project: "shop", name: "checkout" },
    alertMethods: [{ project: "shop", name: "on-call" }],
  })
  expect(opened).toBe(202)
  // The status is computed within a second.
  await vi.waitFor(
    async () => expect((await run("status", "-o", "json")).stdout).toContain('"burnRate": 2'),
    { timeout: 60_000, interval: 50 },
  )
})

/** Without what differs from run to run, and as long. */
const masked = (text: string): string =>
  text
    .replaceAll(/20[0-8]\d-\d\d-\d\dT[\d:.]+Z|20[0-8][\d-]*(T[\d:.]*)?…/g, (time) =>
      time.replaceAll(/\d/g, "0"),
    )
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => id.replaceAll(/[\da-f]/g, "0"))

const objects = [
  ["project", "shop"],
  ["svc", "web"],
  ["slo", "checkout"],
  ["alertpolicy", "burning"],
  ["am", "on-call"],
  ["alertsilence", "upgrade"],
  ["datasource", "metrics"],
  ["budgetadjustment", "outage"],
  ["alert", "incident-1"],
] as const

describe("tocsin describe", () => {
  it.each([80, 120])("shows objects of every kind with their state, in %d columns", async (columns) => {
    const texts: Array<string> = []
    for (const [kind, name] of objects) {
      const described = await tocsin(["describe", kind, name, "-p", "shop"], {
        ...environment(),
        COLUMNS: String(columns),
      })
      expect([described.code, described.stderr]).toEqual([0, ""])
      texts.push(`$ tocsin describe ${kind} ${name} -p shop\n${masked(described.stdout)}`)
    }
    expect(texts.join("")).not.toContain("s3cret")
    await expect(texts.join("\n")).toMatchFileSnapshot(`../golden/cli/describe-${columns}.txt`)
  })

  it("takes several names, and says what was probably meant", async () => {
    const { code, stdout, stderr } = await run("describe", "slo", "search", "chekout", "-p", "shop")
    expect([code, stderr]).toEqual([
      1,
      "tocsin: SLO not found in project shop: chekout; did you mean checkout?\n",
    ])
    expect(stdout).toMatch(/^Name: +search\n/)
    const errors = await Promise.all([
      run("describe", "slo", "search", "-p", "shpo"),
      run("describe", "slso", "search"),
      run("describe", "slo", "zzz"),
    ])
    expect(errors.map((each) => [each.code, each.stdout, each.stderr])).toEqual([
      [1, "", "tocsin: Project not found: shpo; did you mean shop?\n"],
      [1, "", expect.stringMatching(/^tocsin: Unknown kind: slso \(Did you mean slos\?/)],
      [1, "", "tocsin: SLO not found in project default: zzz; specify the project with -p\n"],
    ])
  })

  it("spec/incidents §1: says which service of an incident was meant", async () => {
    const created = await run("incident", "create", "Slow", "--service", "shop/wev")
    expect(created).toEqual({
      code: 1,
      stdout: "",
      stderr: "tocsin: Service not found in project shop: wev; did you mean web?\n",
    })
  })

  it("has the times of silences and adjustments in the tables of get", async () => {
    const { stdout } = await run("get", "as,ba", "-p", "shop", "-o", "csv")
    expect(stdout.split(/\r?\n/)).toEqual([
      "PROJECT,NAME,SLO,FROM,LASTS,POLICY,RECURRENCE",
      "shop,upgrade,checkout,2099-01-01T00:00:00Z,2h,,",
      "",
      "PROJECT,NAME,FROM,LASTS,RECURRENCE",
      "shop,nightly,2026-01-01 02:00:00,1h,FREQ=DAILY",
      "shop,outage,2026-01-01T00:00:00Z,2h,",
      "",
    ])
  })

  it("colors the status when it is asked for", async () => {
    const { stdout } = await tocsin(["describe", "slo", "checkout", "-p", "shop"], {
      ...environment(),
      FORCE_COLOR: "1",
    })
    expect(stdout).toContain("\u001b[31mbreached\u001b[39m")
    expect(stdout).toContain("\u001b[33mat risk\u001b[39m")
  })
})
