import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { startFile } from "./child-process.ts"

/** Stands behind everything else in PATH: real curl goes first where there is one. */
const curlFolder = fileURLToPath(new URL("bin", import.meta.url))

it(
  "`npm start`, the demo, prints a verified notification, and curl lines which work",
  { timeout: 60_000 },
  async () => {
    const demo = startFile("apps/server/src/main.ts", ["demo"], { PORT: "0" })
    await demo.until(/Ctrl-C ends it/)
    const printed = demo.stdout()
    expect(printed).toContain("✓ digest verified")
    expect(printed).toContain("✓ signature verified")
    for (const component of ["@method", "@authority", "@path", "content-digest", "content-type"]) {
      expect(printed).toContain(`"${component}":`)
    }
    expect(printed).toContain('"slo": "shop/checkout-latency"')

    const lines = printed.slice(printed.indexOf("TOKEN="), printed.indexOf("Ctrl-C ends it"))
    const path = `${process.env["PATH"]}:${curlFolder}`
    const { status, stdout } = spawnSync("sh", ["-c", lines], { env: { PATH: path }, encoding: "utf8" })
    expect(status).toBe(0)
    const { data, links } = JSON.parse(stdout)
    expect(data).toHaveLength(3)
    expect(data[0]).toMatchObject({ project: { name: "payments" }, name: "card-authorization" })
    expect(links.next).toContain("cursor=")

    demo.kill("SIGINT")
    const { code, stderr } = await demo.ended
    expect([code, stderr]).toEqual([0, ""])
  },
)
