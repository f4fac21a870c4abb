import { startTocsin } from "@tocsin/testing"
import { createNotificationVerifier } from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { describe, expect, it, vi } from "vitest"
import { freePort } from "../FreePort.ts"
import { alertMethodYaml, headersOf, triggerAlert } from "../e2e/definitions.ts"

describe("a test server", () => {
  it("records what it would send, and lets nothing leave the process", async () => {
    await using server = await startTocsin()
    await server.apply(alertMethodYaml("https://hooks.example.com/a?b=c"))
    await triggerAlert(server)
    const [sent, ...others] = await server.notificationsArrived(1, 60_000)
    expect(others).toEqual([])
    expect(sent?.url).toBe("https://hooks.example.com/a?b=c")
    const verifier = createNotificationVerifier({ baseUrl: server.url, authority: "hooks.example.com" })
    const verified = await verifyFetchRequest(
      verifier,
      new Request(sent?.url ?? "", { method: "POST", ...sent }),
    )
    expect(verified.event).toBe("alert.triggered")
  })

  it("gives one access token, however often it is asked", async () => {
    await using server = await startTocsin({ organization: "acme" })
    expect(server.organization).toBe("acme")
    const tokens = await Promise.all([server.accessToken(), server.accessToken()])
    expect(new Set([...tokens, await server.accessToken()]).size).toBe(1)
  })

  it("is alone: two of them share neither port nor definitions nor tokens", async () => {
    await using one = await startTocsin()
    await using other = await startTocsin()
    await one.apply(alertMethodYaml("https://hooks.example.com/"))
    expect(one.url).not.toBe(other.url)
    const listed = (token: string) =>
      fetch(`${other.url}/api/get/alertmethods`, {
        headers: { authorization: `Bearer ${token}`, organization: "test" },
      })
    expect(await (await listed(await other.accessToken())).json()).toEqual([])
    expect((await listed(await one.accessToken())).status).toBe(401)
  })

  it("spec/definitions §7: rejects definitions with every issue", async () => {
    await using server = await startTocsin()
    const broken = { apiVersion: "tocsin/v1alpha", kind: "AlertMethod", metadata: {}, spec: {} }
    const rejected = server.apply(broken)
    await expect(rejected).rejects.toThrow(/metadata\.name.*metadata\.project.*spec\.webhook/s)
    await expect(server.apply("a: [")).rejects.toThrow(/line 1, column 5/)
  })

  it("says when notifications do not arrive", async () => {
    await using server = await startTocsin()
    await expect(server.notificationsArrived(1, 10)).rejects.toThrow(
      "0 instead of 1 notifications arrived within 10 ms",
    )
  })

  it("frees its port when it stops, and can be stopped twice", async () => {
    const server = await startTocsin()
    await server.stop()
    await server.stop()
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })
})

describe("the clock of a test server", () => {
  it("can be advanced: a failed notification is repeated, and tokens expire", async () => {
    await using server = await startTocsin({ egress: { allowCidrs: ["127.0.0.0/8"] } })
    // Nothing listens there.
    await server.apply(alertMethodYaml(`https://127.0.0.1:${await freePort()}/hook`))
    const token = await server.accessToken()
    await triggerAlert(server)
    await server.notificationsArrived(1, 60_000)
    const before = server.now()
    await server.advance(60 * 60_000)
    expect(server.now() - before).toBeGreaterThanOrEqual(60 * 60_000)
    expect((await server.notificationsArrived(3, 60_000)).length).toBeGreaterThanOrEqual(3)
    expect(await server.accessToken()).not.toBe(token)
    const ids = server.notifications.map(({ headers }) => headers.get("notification-id"))
    expect(new Set(ids).size).toBe(1)
  })

  it("opens and resolves an alert of counts within a test", async () => {
    await using server = await startTocsin()
    await server.apply(`${alertMethodYaml("https://hooks.example.com/")}
---
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: fast, project: default }
spec:
  severity: High
  coolDown: 5m
  conditions:
    - { measurement: averageBurnRate, value: 10, alertingWindow: 5m }
  alertMethods:
    - metadata: { name: on-call, project: default }
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: cart, project: default }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, target: 0.99 }]
  alertPolicies: [fast]
`)
    const textOf = (ms: number) => new Date(ms).toISOString()
    const count = async (good: number) => {
      const response = await fetch(`${server.url}/api/counts`, {
        method: "POST",
        headers: { ...(await headersOf(server)), "content-type": "application/json" },
        body: JSON.stringify([
          {
            project: "default",
            slo: "cart",
            objective: "good",
            at: textOf(Math.floor(server.now() / 60_000) * 60_000),
            good,
            total: 100,
          },
        ]),
      })
      expect(response.status).toBeLessThan(300)
    }
    const countMinutes = async (minutes: number, good: number) => {
      for (let minute = 0; minute < minutes; minute++) {
        await count(good)
        await server.advance(60_000)
      }
    }
    /** What the clock has passed may still be being evaluated. */
    const untilStatus = (status: string) =>
      vi.waitFor(
        async () => {
          const headers = { ...(await headersOf(server)), project: "default" }
          const url = `${server.url}/api/slos/cart/annotations?from=${textOf(server.now() - 3_600_000)}&to=${textOf(server.now())}`
          const { annotations } = JSON.parse(await (await fetch(url, { headers })).text())
          expect(annotations).toMatchObject([{ kind: "alert", status }])
        },
        { timeout: 60_000, interval: 50 },
      )
    await countMinutes(10, 0)
    const sent = await server.notificationsArrived(1, 60_000)
    expect(sent.map(({ headers }) => headers.get("notification-event"))).toContain("alert.triggered")
    await untilStatus("triggered")
    await countMinutes(20, 100)
    await untilStatus("resolved")
  })
})
