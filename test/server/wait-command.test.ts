import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { scratch, startInTerminal, startTocsin, tocsin } from "./child-process.ts"
import { useMemoryServer } from "./memory-server.ts"

const environment = useMemoryServer({ TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8" })

const run = (...args: ReadonlyArray<string>) => tocsin(args, environment())

const definitions = `apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web }
---
apiVersion: tocsin/v1alpha
kind: AlertMethod
metadata: { name: on-call }
spec: { webhook: { url: "https://127.0.0.1:9/", templateFields: [slo_name] } }
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: checkout }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, target: 0.9 }, { name: fast, target: 0.5 }]
`

const post = async (path: string, body: unknown) => {
  const token = (await run("token")).stdout.trim()
  const response = await fetch(`${environment()["TOCSIN_URL"]}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, organization: "acme", "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return [response.status, text === "" ? undefined : JSON.parse(text)] as const
}

const alert = (alertId: string, status: string) =>
  post("/api/alerts", {
    alertId,
    status,
    slo: { project: "default", name: "checkout" },
    alertMethods: [{ project: "default", name: "on-call" }],
  })

beforeAll(async () => {
  const file = join(scratch, "waited.yaml")
  writeFileSync(file, definitions)
  expect(await run("apply", "-f", file)).toMatchObject({ code: 0, stderr: "" })
  expect(await run("delivery", "pause", "on-call")).toMatchObject({ code: 0 })
})

describe("tocsin wait", () => {
  it("waits for the status of the worst objective of an SLO", async () => {
    const waiting = startTocsin(["wait", "SLOs/checkout", "--for=status=At-Risk"], environment())
    const at = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 120_000).toISOString()
    const counts = { slo: "checkout", project: "default", at, total: 1_000 }
    const [posted] = await post("/api/counts", [
      { ...counts, objective: "good", good: 910 },
      { ...counts, objective: "fast", good: 1_000 },
    ])
    expect(posted).toBe(204)
    expect(await waiting.ended).toEqual({ code: 0, stdout: "SLOs/checkout is at-risk\n", stderr: "" })
  })

  it("waits for an alert, and for a delivery, and fails when it can no longer happen", async () => {
    const [opened, receipt] = await alert("incident-1", "triggered")
    expect(opened).toBe(202)
    const waiting = startTocsin(["wait", "alert/incident-1", "--for", "status=resolved"], environment())
    const id = receipt.deliveries[0].id
    expect(await run("wait", `delivery/${id}`, "--for=status=pending")).toEqual({
      code: 0,
      stdout: `delivery/${id} is pending\n`,
      stderr: "",
    })
    await alert("incident-1", "resolved")
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: "alert/incident-1 is resolved\n" })
    expect(await run("wait", "alert/incident-1", "--for=status=triggered")).toEqual({
      code: 1,
      stdout: "",
      stderr: "tocsin: alert/incident-1 is resolved, which is final\n",
    })
  })

  it("waits until objects exist, and until they do not", async () => {
    const created = startTocsin(["wait", "service/new", "svc/web", "--for=create"], environment())
    const file = join(scratch, "new.yaml")
    writeFileSync(file, "apiVersion: tocsin/v1alpha\nkind: Service\nmetadata: { name: new }\n")
    await run("apply", "-f", file)
    expect(await created.ended).toMatchObject({ code: 0, stdout: "service/new exists\nsvc/web exists\n" })
    const deleted = startTocsin(["wait", "service/new", "--for=delete"], environment())
    await run("delete", "-f", file)
    expect(await deleted.ended).toMatchObject({ code: 0, stdout: "service/new does not exist\n" })
  })

  it("fails with the last state when the time is over", async () => {
    const { code, stdout, stderr } = await run(
      "wait",
      "slo/checkout",
      "--for=status=healthy",
      "--timeout",
      "1s",
    )
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(
      /^tocsin: timed out after 1s: (slo\/checkout is at-risk|the server has not responded)\n$/,
    )
  })

  it("shows on a terminal what it waits for, until it is interrupted", async () => {
    const waiting = startInTerminal(["wait", "slo/checkout", "--for=status=healthy"], environment())
    await waiting.until(/Waiting: slo\/checkout is at-risk \(\d+ s\)/)
    waiting.type("\u0003")
    const { code, stdout } = await waiting.ended
    expect([code, stdout.endsWith("\r\u001b[K")]).toEqual([130, true])
  })

  it("says what is wrong with what is to be waited for", async () => {
    const wrong = [
      [["slo/checkout", "--for=health"], "It must be create, delete or status=<status>"],
      [["slo/checkout", "--for=delete", "--timeout=0s"], "more than 0 and at most 24h"],
      [["slo/checkout", "--for=delete", "--timeout=25h"], "more than 0 and at most 24h"],
      [["checkout", "--for=delete"], "checkout: specify kind/name, such as slo/checkout"],
      [["slo/checkout", "--for=status=fine"], "slo are healthy, at-risk, breached, no-data"],
      [
        ["svc/web", "--for=status=healthy"],
        "svc/web: has no status to wait for; slo, alert, delivery have one",
      ],
      [["delivery/1", "--for=delete"], "can only be waited for by status"],
      [["slo/chekout", "--for=status=healthy"], "did you mean checkout?"],
      [["slso/checkout", "--for=delete"], "Unknown kind: slso (Did you mean slos?"],
      [["delivery/none", "--for=status=delivered"], "not found"],
    ] as const
    const errors = await Promise.all(wrong.map(([args]) => run("wait", ...args)))
    for (const [index, { code, stdout, stderr }] of errors.entries())
      expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining(wrong[index]?.[1] ?? "")])
  })
})
