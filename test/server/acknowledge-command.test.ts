import { expect, it } from "vitest"
import { tocsin } from "./child-process.ts"
import { applyMethod, useMemoryServer } from "./memory-server.ts"

const environmentOf = useMemoryServer({ TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128" })

it("spec/alerting §15: acknowledges an open alert", async () => {
  const environment = environmentOf()
  // Nothing listens there.
  await applyMethod(environment, "https://localhost:1/in")
  const { stdout: token } = await tocsin(["token"], environment)
  const response = await fetch(`${environment["TOCSIN_URL"]}/api/alerts`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token.trim()}`,
      organization: "acme",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      status: "triggered",
      slo: { project: "default", name: "checkout" },
      alertMethods: [{ project: "default", name: "on-call" }],
      alertId: "burn/1",
    }),
  })
  expect(response.status, await response.text()).toBe(202)
  const acknowledged = await tocsin(["alert", "acknowledge", "burn/1", "--note", "Rolling back"], environment)
  expect(acknowledged).toMatchObject({ code: 0, stderr: "" })
  expect(acknowledged.stdout).toMatch(/^Alert burn\/1 acknowledged by me at \d{4}-\d\d-\d\dT/)
  const again = await tocsin(["alert", "acknowledge", "burn/1", "--json"], environment)
  expect(JSON.parse(again.stdout)).toMatchObject({
    spec: { acknowledgement: { by: "me", note: "Rolling back" } },
  })
  const listed = await tocsin(["get", "alerts", "-o", "table"], environment)
  expect(listed.stdout).toContain("Triggered, acknowledged")
  const list = await tocsin(["alert", "list"], environment)
  expect(list.stderr).toContain("`tocsin get alerts` lists alerts.")
  const unknown = await tocsin(["alert", "acknowledge", "burn-2"], environment)
  expect(unknown).toMatchObject({ code: 1, stdout: "" })
  expect(unknown.stderr).toContain("Alert not found")
})
