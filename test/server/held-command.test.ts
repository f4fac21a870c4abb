import { expect, it } from "vitest"
import { startTocsin, tocsin } from "./child-process.ts"
import { useMemoryServer } from "./memory-server.ts"

const environmentOf = useMemoryServer()

const definitions = `
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web, project: default }
spec: {}
---
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: slow-burn, project: default }
spec:
  severity: High
  conditions: [{ measurement: averageBurnRate, value: 2, op: gte, alertingWindow: 6h }]
  alertMethods: []
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: checkout, project: default }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, target: 0.9 }]
  alertPolicies: [slow-burn]
`

it("spec/alerting §24: lists held alerts, and explains and describes them", async () => {
  const environment = environmentOf()
  const applying = startTocsin(["apply", "-f", "-"], environment)
  applying.write(definitions)
  expect(await applying.ended, applying.stderr()).toMatchObject({ code: 0 })
  expect((await tocsin(["alert", "held"], environment)).stdout).toBe("No alerts are held.\n")
  const { stdout: token } = await tocsin(["token"], environment)
  const now = Math.floor(Date.now() / 60_000) * 60_000
  const post = async (from: number, to: number, bad: number) => {
    const response = await fetch(`${environment["TOCSIN_URL"]}/api/slos/checkout/counts`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token.trim()}`,
        organization: "acme",
        project: "default",
        "content-type": "application/json",
      },
      body: JSON.stringify(
        Array.from({ length: to - from }, (_, index) => ({
          objective: "good",
          at: new Date(now + (from + index) * 60_000).toISOString(),
          bad,
          total: 10,
        })),
      ),
    })
    expect(response.ok, await response.text()).toBe(true)
  }
  await post(-60, 0, 0)
  await post(-240, -180, 10)
  const detail =
    /Changed most recently at \S+: minutes from \S+ to \S+\. Without the change, the conditions are not met/
  for (const arguments_ of [["checkout"], ["-p", "*"]]) {
    const { stdout, code } = await tocsin(["alert", "held", ...arguments_], environment)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^default\/checkout {2}good {2}slow-burn {2}held since \d{4}-\d\d-\d\dT\S+Z\n {2}Changed/,
    )
    expect(stdout).toMatch(detail)
  }
  const json = await tocsin(["alert", "held", "--json"], environment)
  expect(JSON.parse(json.stdout)).toMatchObject({
    data: [{ objective: "good", reason: "past_changed" }],
    hasMore: false,
  })
  const explained = await tocsin(["alert", "explain", "checkout", "--policy", "slow-burn"], environment)
  expect(explained.stdout).toMatch(/ {2}good: met, held \(Changed most recently/)
  const described = await tocsin(["describe", "slo", "checkout"], environment)
  expect(described.stdout).toMatch(/Held alerts[^]*good +slow-burn +\S+Z +Changed most recently/)
  const other = await tocsin(["alert", "held", "other"], environment)
  expect(other.stdout).toBe("No alerts are held.\n")
})
