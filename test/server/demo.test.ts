import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { dataDirectory, startTocsin, startTocsinAlone } from "./child-process.ts"

/** The last folder in PATH: an installed curl has precedence. */
const curlFolder = fileURLToPath(new URL("bin", import.meta.url))

describe("`npm start`, the demo,", () => {
  it("burns a budget until an alert fires, prints the verified notification and working curl commands, and fires again after a restart", async () => {
    const directory = dataDirectory()
    const first = await runDemo(directory)
    expect(first.printed).toMatch(
      /\/sign-in#link=[^]*Preparing 12 SLOs with 184 days of history …\nCreated 12 SLOs with 184 days of history/,
    )
    for (const component of ["@method", "@authority", "@path", "content-digest", "content-type"]) {
      expect(first.printed).toContain(`"${component}":`)
    }
    expect(first.printed).toContain('"slo": "shop/checkout-latency"')
    expect(first.printed).toContain('"status": "triggered"')
    expect(first.printed).toContain("Average burn rate is at least 5 over the last 5 minutes")
    expect(first.slos).toHaveLength(3)
    expect(first.slos[0]).toMatchObject({ project: { name: "payments" }, name: "card-authorization" })
    expect(first.firstDay).toHaveLength(24 * 4)
    expect(first.firstDay).not.toContain(null)
    expect(first.lastWeek).toHaveLength(7 * 24 * 4)
    expect(first.lastWeek).not.toContain(null)
    expect(statSync(join(directory, "master-key")).mode & 0o077).toBe(0)

    const second = await runDemo(directory)
    expect(second.printed).toContain("Found 12 SLOs of an earlier run")
    expect(second.clientSecret).toBe(first.clientSecret)
    const [created] = first.slos.map(({ createdAt }) => createdAt)
    expect(created).toMatch(/Z$/)
    expect(second.slos[0]?.createdAt).toBe(created)
  })

  it("stores its data in memory, and says so, if the embedded PostgreSQL is not installed", async () => {
    const directory = dataDirectory()
    const demo = startTocsinAlone(["demo"], { PORT: "0", TOCSIN_DATA_DIR: directory })
    await demo.until(/Press Ctrl-C to stop\. The data is in memory/)
    expect(demo.stdout()).toMatch(
      /^Starting PostgreSQL …\nWarning: the embedded PostgreSQL .*\nThe demo stores its data in memory/,
    )
    expect(demo.stdout()).toContain("✓ signature verified")
    demo.kill("SIGINT")
    expect((await demo.ended).code).toBe(0)
    expect(existsSync(join(directory, "postgres"))).toBe(false)
  })
})

/** Runs the demo until it has printed everything, then its curl commands. */
const runDemo = async (directory: string) => {
  const demo = startTocsin(["demo"], { PORT: "0", TOCSIN_DATA_DIR: directory })
  await demo.until(/Press Ctrl-C to stop\. The data is stored in/)
  const printed = demo.stdout()
  expect(printed).toContain("alert.triggered, attempt 1")
  expect(printed).toContain("✓ digest verified")
  expect(printed).toContain("✓ signature verified")

  const lines = printed.slice(printed.indexOf("TOKEN="), printed.indexOf("Press Ctrl-C"))
  const path = `${process.env["PATH"]}:${curlFolder}`
  const script = `${lines}\necho; echo "$TOKEN"`
  const { status, stdout } = spawnSync("sh", ["-c", script], { env: { PATH: path }, encoding: "utf8" })
  expect(status).toBe(0)
  const [list = "", token = ""] = stdout.trim().split(/\n+/)
  const { data, links } = JSON.parse(list)
  expect(links.next).toContain("cursor=")

  const url = /listening on (\S+)/.exec(printed)?.[1] ?? ""
  const thisQuarter = Math.floor(Date.now() / quarterMs) * quarterMs
  const totals = (from: number, to: number) => chart(url, token, thisQuarter - from, thisQuarter - to)
  const firstDay = await totals(28 * dayMs - quarterMs, 27 * dayMs - quarterMs)
  const lastWeek = await totals(7 * dayMs, 0)

  demo.kill("SIGINT")
  const { code, stderr } = await demo.ended
  expect([code, stderr]).toEqual([0, ""])
  const slos = data as ReadonlyArray<Readonly<Record<string, unknown>>>
  return { printed, slos, firstDay, lastWeek, clientSecret: /-u 'demo:(.*)'/.exec(printed)?.[1] }
}

/** The events of an SLO in steps of 15 minutes, as the web console draws them; `null` for a step without counts. */
const chart = async (url: string, token: string, from: number, to: number) => {
  const query = new URLSearchParams({
    from: new Date(from).toISOString().replace(".000", ""),
    to: new Date(to).toISOString().replace(".000", ""),
    step: "15m",
  })
  const response = await fetch(`${url}/api/slos/checkout-latency/series?${query}`, {
    headers: { authorization: `Bearer ${token}`, organization: "demo", project: "shop" },
  })
  const { objectives } = (await response.json()) as {
    readonly objectives: ReadonlyArray<{ readonly counts: { readonly total: ReadonlyArray<number | null> } }>
  }
  return objectives[0]?.counts.total ?? []
}

const quarterMs = 15 * 60_000
const dayMs = 96 * quarterMs
