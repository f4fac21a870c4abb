import { startTestServer } from "@tocsin/server/TestServer"
import { createNotificationVerifier } from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { describe, expect, it } from "vitest"
import { alertMethodYaml, triggerAlert } from "../e2e/definitions.ts"

describe("a test server", () => {
  it("records what it would send, and lets nothing leave the process", async () => {
    await using server = await startTestServer()
    await server.apply(alertMethodYaml("https://hooks.example.com/a?b=c"))
    await triggerAlert(server)
    const [sent, ...others] = await server.notificationsArrived(1)
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
    await using server = await startTestServer({ organization: "acme" })
    expect(server.organization).toBe("acme")
    const tokens = await Promise.all([server.accessToken(), server.accessToken()])
    expect(new Set([...tokens, await server.accessToken()]).size).toBe(1)
  })

  it("is alone: two of them share neither port nor definitions nor tokens", async () => {
    await using one = await startTestServer()
    await using other = await startTestServer()
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
    await using server = await startTestServer()
    const broken = { apiVersion: "tocsin/v1alpha", kind: "AlertMethod", metadata: {}, spec: {} }
    const rejected = server.apply(broken)
    await expect(rejected).rejects.toThrow(/metadata\.name.*metadata\.project.*spec\.webhook/s)
    await expect(server.apply("a: [")).rejects.toThrow(/line 1, column 5/)
  })

  it("says when notifications do not arrive", async () => {
    await using server = await startTestServer()
    await expect(server.notificationsArrived(1, 10)).rejects.toThrow(
      "0 instead of 1 notifications arrived within 10 ms",
    )
  })

  it("frees its port when it stops, and can be stopped twice", async () => {
    const server = await startTestServer()
    await server.stop()
    await server.stop()
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })
})
