import { afterAll, beforeAll, expect, it } from "vitest"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { freePort, type Running, startTocsin, tocsin } from "./child-process.ts"

const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"

let server: Running
let environment: Readonly<Record<string, string>>

beforeAll(async () => {
  const port = `${await freePort()}`
  const own = { organization: "acme", clientId: "me", clientSecret, role: "editor" }
  server = startTocsin(["serve"], {
    PORT: port,
    TOCSIN_STORE: "memory",
    TOCSIN_MASTER_KEY: Buffer.alloc(32, 6).toString("base64"),
    TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([own]),
  })
  environment = {
    TOCSIN_URL: `http://127.0.0.1:${port}`,
    TOCSIN_ORGANIZATION: "acme",
    TOCSIN_CLIENT_ID: "me",
    TOCSIN_CLIENT_SECRET: clientSecret,
  }
  await server.until(/listening on/)
})

afterAll(async () => {
  server?.kill("SIGTERM")
  await server?.ended
})

it("spec/alerting §15: acknowledges an open alert", async () => {
  const applying = startTocsin(["apply", "-f", "-"], environment)
  applying.write(withSlo(methodYaml("on-call", "https://hooks.example.com/in", "templateFields: [slo_name]")))
  await applying.ended
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
  const acknowledged = await tocsin(["acknowledge", "burn/1"], environment)
  expect(acknowledged).toMatchObject({ code: 0, stderr: "" })
  expect(acknowledged.stdout).toMatch(/^Alert burn\/1 acknowledged by me at \d{4}-\d\d-\d\dT/)
  const again = await tocsin(["acknowledge", "burn/1", "--json"], environment)
  expect(JSON.parse(again.stdout)).toMatchObject({ spec: { acknowledgement: { by: "me" } } })
  const unknown = await tocsin(["acknowledge", "burn-2"], environment)
  expect(unknown).toMatchObject({ code: 1, stdout: "" })
  expect(unknown.stderr).toContain("Alert not found")
})
