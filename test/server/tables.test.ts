import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { scratch, startTocsin, tocsin } from "./child-process.ts"
import { useMemoryServer } from "./memory-server.ts"

const environment = useMemoryServer({ TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8" })

const definitions = `
apiVersion: tocsin/v1alpha
kind: Project
metadata: { name: shop, displayName: Shop }
---
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web, project: shop, labels: { team: [payments, checkout] } }
---
apiVersion: tocsin/v1alpha
kind: DataSource
metadata: { name: metrics, project: shop }
spec: { prometheus: { url: "http://127.0.0.1:9", basic: { username: me, password: secret } } }
---
apiVersion: tocsin/v1alpha
kind: AlertMethod
metadata: { name: on-call, project: shop, displayName: On call }
spec: { webhook: { url: "https://127.0.0.1:9/", templateFields: [slo_name], headers: [{ name: X-Team, value: a }] } }
---
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: burning, project: shop }
spec:
  severity: High
  coolDown: 5m
  conditions: [{ measurement: averageBurnRate, alertingWindow: 5m, op: gte, value: 14.4 }]
  alertMethods: [{ metadata: { name: on-call } }]
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: checkout, project: shop, displayName: 決済, labels: { env: [prod] } }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  alertPolicies: [burning]
  objectives:
    - { name: good, displayName: Good, target: 0.999 }
    - { name: fast, displayName: Fast, target: 0.95 }
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
  const file = join(scratch, "tables.yaml")
  writeFileSync(file, definitions)
  expect(await tocsin(["apply", "-f", file], environment())).toMatchObject({ code: 0, stderr: "" })
  const token = (await tocsin(["token"], environment())).stdout.trim()
  const minute = Math.floor(Date.now() / 60_000) * 60_000 - 120_000
  const count = (objective: string, good: number) => ({
    project: "shop",
    slo: "checkout",
    objective,
    at: new Date(minute).toISOString(),
    good,
    total: 10_000,
  })
  const response = await fetch(`${environment()["TOCSIN_URL"]}/api/counts`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      organization: "acme",
      "content-type": "application/json",
    },
    body: JSON.stringify([count("good", 9_980), count("fast", 9_900)]),
  })
  expect(response.status).toBe(204)
  // The status is computed within a second.
  await vi.waitFor(
    async () =>
      expect((await tocsin(["status", "-o", "json"], environment())).stdout).toContain('"burnRate": 2'),
    {
      timeout: 60_000,
      interval: 50,
    },
  )
})

const golden = (name: string, columns: number) => `../golden/cli/${name}-${columns}.txt`

describe.each([80, 120])("in a terminal of %d columns", (columns) => {
  it.each([
    ["status", ["status"]],
    ["get-slos", ["get", "slos", "-A", "-o", "table"]],
    ["get-slos-wide", ["get", "slos", "-p", "shop", "-o", "wide"]],
    ["get-kinds", ["get", "proj,svc,ds,am,ap", "-p", "shop", "-o", "wide"]],
  ])("prints %s", async (name, args) => {
    const { code, stdout, stderr } = await tocsin(args, { ...environment(), COLUMNS: String(columns) })
    expect([code, stderr]).toEqual([0, ""])
    await expect(stdout).toMatchFileSnapshot(golden(name, columns))
  })
})

describe("the commands that list objects", () => {
  const run = (...args: ReadonlyArray<string>) => tocsin(args, environment())

  it("print names, and CSV that no spreadsheet takes for a formula", async () => {
    expect((await run("get", "slo,svc", "-p", "shop", "-o", "name")).stdout).toBe(
      "slo/checkout\nslo/search\nservice/web\n",
    )
    expect((await run("status", "checkout", "-o", "csv")).stdout).toBe(
      "PROJECT,SLO,OBJECTIVE,TARGET,SLI,BUDGET REMAINING,BURN RATE,ALERTS\r\n" +
        "shop,checkout,good,99.9%,99.8%,'-100%,2.00x,\r\n" +
        "shop,checkout,fast,95%,99%,80%,0.20x,\r\n",
    )
  })

  it("color the budgets when it is asked for, and not with NO_COLOR", async () => {
    const colored = await tocsin(["status"], { ...environment(), FORCE_COLOR: "1" })
    expect(colored.stdout).toContain("\u001b[31m░░░░░░░░░░ -100.0%\u001b[39m")
    const plain = await tocsin(["status"], { ...environment(), FORCE_COLOR: "1", NO_COLOR: "1" })
    expect(plain.stdout).not.toContain("\u001b")
  })

  it("take labels with = as well as with :, and reject what no label can be", async () => {
    expect((await run("get", "slos", "-p", "shop", "-l", "env=prod", "-o", "name")).stdout).toBe(
      "slo/checkout\n",
    )
    expect((await run("status", "-l", "env:prod", "-o", "csv")).stdout).not.toContain("search")
    for (const command of [["get", "slos", "-p", "shop"], ["status"]]) {
      const { code, stderr } = await run(...command, "-l", "Env=prod")
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('but has "Env"; a label has a key of lowercase'),
      ])
    }
  })

  it("say what is wrong: a kind, a project, a name, a URL", async () => {
    const errors = await Promise.all([
      run("get", "slso"),
      run("get", "slos,"),
      run("get", "slos", "-p", "shpo"),
      run("status", "-p", "elsewhere"),
      run("status", "chekout"),
      tocsin(["get", "slos"], { ...environment(), TOCSIN_URL: "ftp://127.0.0.1" }),
      tocsin(["get", "slos"], { ...environment(), TOCSIN_URL: "127.0.0.1:8080" }),
      tocsin(["get", "slos"], { ...environment(), TOCSIN_URL: "http://127.0.0.1:8080/api/" }),
    ])
    for (const { code, stdout } of errors) expect([code, stdout]).toEqual([1, ""])
    expect(errors.map(({ stderr }) => stderr.trimEnd())).toEqual([
      expect.stringMatching(/^tocsin: Unknown kind: slso \(Did you mean slos\? Kinds are Project, /),
      "tocsin: slos,: specify kinds separated by commas, such as slo,service",
      "tocsin: Project not found: shpo; did you mean shop?",
      "tocsin: Project not found: elsewhere; `tocsin get projects` lists the projects",
      "tocsin: SLO not found: chekout; did you mean checkout?",
      "tocsin: TOCSIN_URL (or --url) must start with https:// or http://, but starts with ftp://",
      'tocsin: TOCSIN_URL (or --url) must be a URL such as https://tocsin.example.com, but is "127.0.0.1:8080"',
      "tocsin: TOCSIN_URL (or --url) must be the URL of the server, without the path /api",
    ])
  })

  it("print nothing but a note when there is nothing", async () => {
    expect(await run("get", "alerts", "-A", "-o", "table")).toEqual({
      code: 0,
      stdout: "",
      stderr: "No objects found.\n",
    })
  })

  it("print what changes while they watch, until they are interrupted", async () => {
    const watching = startTocsin(["get", "slos", "-p", "shop", "-o", "name", "--watch"], environment())
    await watching.until(/slo\/search\n/)
    const applying = startTocsin(["apply", "-f", "-"], environment())
    applying.write(definitions.replace("name: search", "name: search, displayName: Search"))
    expect((await applying.ended).code).toBe(0)
    await watching.until(/slo\/search\n[^]*slo\/search\n/)
    watching.kill("SIGINT")
    expect(await watching.ended).toMatchObject({
      code: 130,
      stdout: "slo/checkout\nslo/search\nslo/search\n",
    })
  })
})
