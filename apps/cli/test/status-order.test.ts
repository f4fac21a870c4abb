import { createServer } from "node:http"
import { describe, expect, it } from "vitest"
import { closeServer, listen } from "../../../test/receiver/KeyServer.ts"
import { tocsin } from "../../../test/server/child-process.ts"

const slo = (name: string, figures: object) => ({
  project: { name: "shop", displayName: "shop" },
  service: { name: "web", displayName: "web" },
  name,
  displayName: name,
  description: "",
  objectives: [{ name: "good", displayName: "good", target: 0.99, sliType: "Ratio", ...figures }],
  createdAt: "2026-01-30T12:00:00.000Z",
  budgetingMethod: "Occurrences",
})

const figures = (errorBudgetRemainingPercentage: number, burnRate: number) => ({
  reliability: 0.98,
  errorBudgetRemaining: 0,
  errorBudgetRemainingPercentage,
  burnRate,
})

const responses: Readonly<Record<string, object>> = {
  "/api/accessToken": { access_token: "token", expires_in: 3600 },
  "/api/v2/slos": {
    data: [
      slo("burned-once", figures(-30.58, 0)),
      slo("burning", figures(0.5, 1)),
      slo("changed", { ...figures(0.9, 0.5), isOutdated: true }),
      slo("new", { isOutdated: true }),
    ],
    links: { self: "/api/v2/slos" },
  },
  "/api/review-reminders": {
    reminders: [{ title: "Weekly", scope: {}, dueAt: "2026-01-30T12:00:00.000Z" }],
  },
}

const credentials = {
  TOCSIN_ORGANIZATION: "acme",
  TOCSIN_CLIENT_ID: "me",
  TOCSIN_CLIENT_SECRET: "0123456789abcdef0123456789abcdef0123456789A",
  COLUMNS: "120",
}

describe("tocsin status", () => {
  it("lists what burns now before what burned once, says which status is being computed, and that a review is due", async () => {
    const server = createServer(({ url = "" }, response) => {
      response.end(JSON.stringify(responses[url.split("?")[0] ?? ""] ?? []))
    })
    const environment = { ...credentials, TOCSIN_URL: await listen(server) }
    const table = await tocsin(["status"], environment)
    const json = await tocsin(["status", "-o", "json"], environment)
    await closeServer(server)
    expect(table).toMatchObject({ code: 0, stderr: "1 review is due within 7 days: tocsin review due\n" })
    expect(json).toMatchObject({ code: 0, stderr: "" })
    expect(table.stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
      ["SLO", "OBJECTIVE", "TARGET", "SLI"],
      ["burning", "good", "99%", "98%"],
      ["burned-once", "good", "99%", "98%"],
      ["changed", "good", "99%", "98% (computing)"],
      ["new", "good", "99%", "computing"],
      [""],
    ])
    const lines = JSON.parse(json.stdout) as ReadonlyArray<{
      readonly slo: string
      readonly isOutdated?: true
    }>
    expect(lines.filter(({ isOutdated }) => isOutdated === true).map(({ slo: name }) => name)).toEqual([
      "changed",
      "new",
    ])
  })

  it("lists the SLOs although the reviews that are due cannot be read", async () => {
    let status = 503
    const server = createServer(({ url = "" }, response) => {
      const path = url.split("?")[0] ?? ""
      if (path === "/api/review-reminders") response.writeHead(status)
      response.end(JSON.stringify(responses[path] ?? []))
    })
    const environment = { ...credentials, TOCSIN_URL: await listen(server) }
    const unavailable = await tocsin(["status"], environment)
    status = 404
    const older = await tocsin(["status"], environment)
    await closeServer(server)
    expect(unavailable).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Cannot list due reviews: .*503.*\n$/) as string,
    })
    expect(older).toMatchObject({ code: 0, stderr: "" })
    expect(unavailable.stdout).toContain("burned-once")
    expect(older.stdout).toBe(unavailable.stdout)
  })
})
