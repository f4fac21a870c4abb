import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { dataDirectory, startTocsin, startTocsinAlone } from "./child-process.ts"

/** Stands behind everything else in PATH: real curl goes first where there is one. */
const curlFolder = fileURLToPath(new URL("bin", import.meta.url))

describe("`npm start`, the demo,", () => {
  it("lets a budget burn until its policy rings, prints the verified notification and curl lines which work, and rings anew when it is started again", async () => {
    const directory = dataDirectory()
    const first = await runDemo(directory)
    expect(first.printed).toContain("Defined 12 SLOs")
    for (const component of ["@method", "@authority", "@path", "content-digest", "content-type"]) {
      expect(first.printed).toContain(`"${component}":`)
    }
    expect(first.printed).toContain('"slo": "shop/checkout-latency"')
    expect(first.printed).toContain('"status": "triggered"')
    expect(first.printed).toContain("Average burn rate is at least 5 over the last 5 minutes")
    expect(first.slos).toHaveLength(3)
    expect(first.slos[0]).toMatchObject({ project: { name: "payments" }, name: "card-authorization" })
    expect(statSync(join(directory, "master-key")).mode & 0o077).toBe(0)

    const second = await runDemo(directory)
    expect(second.printed).toContain("Found 12 SLOs and their counts")
    expect(second.clientSecret).toBe(first.clientSecret)
    const [created] = first.slos.map(({ createdAt }) => createdAt)
    expect(created).toMatch(/Z$/)
    expect(second.slos[0]?.createdAt).toBe(created)
  })

  it("is in memory, and says so, where the embedded PostgreSQL is not installed", async () => {
    const directory = dataDirectory()
    const demo = startTocsinAlone(["demo"], { PORT: "0", TOCSIN_DATA_DIR: directory })
    await demo.until(/Ctrl-C ends it; nothing is kept/)
    expect(demo.stdout()).toMatch(/^The embedded PostgreSQL cannot be used: .*\nThe demo goes on in memory/)
    expect(demo.stdout()).toContain("✓ signature verified")
    demo.kill("SIGINT")
    expect((await demo.ended).code).toBe(0)
    expect(existsSync(join(directory, "postgres"))).toBe(false)
  })
})

/** Runs the demo until it has printed all, and its lines of curl. */
const runDemo = async (directory: string) => {
  const demo = startTocsin(["demo"], { PORT: "0", TOCSIN_DATA_DIR: directory })
  await demo.until(/Ctrl-C ends it; the next start goes on/)
  const printed = demo.stdout()
  expect(printed).toContain("alert.triggered, attempt 1")
  expect(printed).toContain("✓ digest verified")
  expect(printed).toContain("✓ signature verified")

  const lines = printed.slice(printed.indexOf("TOKEN="), printed.indexOf("Ctrl-C ends it"))
  const path = `${process.env["PATH"]}:${curlFolder}`
  const { status, stdout } = spawnSync("sh", ["-c", lines], { env: { PATH: path }, encoding: "utf8" })
  expect(status).toBe(0)
  const { data, links } = JSON.parse(stdout)
  expect(links.next).toContain("cursor=")

  demo.kill("SIGINT")
  const { code, stderr } = await demo.ended
  expect([code, stderr]).toEqual([0, ""])
  const slos = data as ReadonlyArray<Readonly<Record<string, unknown>>>
  return { printed, slos, clientSecret: /-u 'demo:(.*)'/.exec(printed)?.[1] }
}
