import { startTocsin } from "@tocsin/testing"
import { expect, it } from "vitest"
import { alertMethodYaml } from "./definitions.ts"

it("spec/alerting §22: a server sends the notice of a silence before it ends", async () => {
  await using server = await startTocsin()
  const { url } = server
  await server.apply(alertMethodYaml("https://hooks.example.com/silences"))
  const endTime = new Date(Math.ceil(server.now() / 1_000) * 1_000 + 600_000).toISOString()
  const startTime = new Date(Date.now() - 3_600_000).toISOString()
  await server.apply({
    apiVersion: "tocsin/v1alpha",
    kind: "AlertSilence",
    metadata: { name: "night", project: "default" },
    spec: {
      sloLabels: "team:nobody",
      period: { startTime, endTime },
      notifyBeforeEnd: { before: "1m", alertMethods: [{ name: "on-call" }] },
    },
  })
  await server.advance(545_000)
  const [sent, ...others] = await server.notificationsArrived(1, 60_000)
  expect(others).toEqual([])
  expect(sent?.url).toBe("https://hooks.example.com/silences")
  expect(sent?.headers.get("notification-event")).toBe("silence.ending")
  const headers = { authorization: `Bearer ${await server.accessToken()}`, organization: "test" }
  const log = await fetch(`${url}/api/deliveries?event=silence.ending`, { headers })
  const { data } = (await log.json()) as { readonly data: ReadonlyArray<object> }
  expect(data).toMatchObject([{ event: "silence.ending", alertMethod: { name: "on-call" } }])
  expect(data[0]).not.toHaveProperty("alertId")
})
