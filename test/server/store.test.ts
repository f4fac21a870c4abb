import { existsSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { dataDirectory, startTocsin, tocsin } from "./child-process.ts"

const newKey = Buffer.alloc(32, 9).toString("base64")

describe("tocsin serve with a database of its own", () => {
  it("spec/operations §1: keeps everything, its master key too, and moves to another one while it runs", async () => {
    const directory = dataDirectory()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const environment = {
      PORT: port,
      TOCSIN_URL: url,
      TOCSIN_DATA_DIR: directory,
      TOCSIN_LOG_LEVEL: "warning",
    }
    const serve = async (more: Record<string, string> = {}) => {
      const server = startTocsin(["serve"], { ...environment, ...more })
      await server.until(/Storage:/)
      return server
    }
    const stop = async (server: Awaited<ReturnType<typeof serve>>) => {
      server.kill("SIGTERM")
      expect((await server.ended).code).toBe(0)
    }

    const first = await serve()
    expect(first.stderr()).toContain(`Storage:       ${directory} (database and master key)`)
    const keyFile = join(directory, "master-key")
    expect(statSync(keyFile).mode & 0o077).toBe(0)
    const second = await tocsin(["serve"], { ...environment, PORT: "0" })
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is in use by process \d+; stop that process, or set TOCSIN_DATA_DIR/),
    })

    // The operator's commands find the key in the folder.
    const created = await tocsin(
      ["credentials", "create", "--organization", "acme", "--role", "editor"],
      environment,
    )
    const user = Object.fromEntries(
      [...created.stdout.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value ?? ""]),
    )
    const elsewhere = await tocsin(["credentials", "list", "--organization", "acme"], {
      TOCSIN_URL: url,
      TOCSIN_DATA_DIR: dataDirectory(),
    })
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("TOCSIN_MASTER_KEY is required"),
    })
    const applying = startTocsin(["apply", "-f", "-"], { ...environment, ...user })
    const secret = ["headers:", "  - { name: X-Key, value: s3cr3t, isSecret: true }"]
    applying.write(
      withSlo(methodYaml("pager", "https://hooks.example.com/", "templateFields: [slo_name]", ...secret)),
    )
    expect((await applying.ended).code).toBe(0)
    const token = (await tocsin(["token"], { ...environment, ...user })).stdout.trim()
    const slo = () =>
      fetch(`${url}/api/v2/slos/checkout`, {
        headers: { authorization: `Bearer ${token}`, organization: "acme", project: "default" },
      })
    expect((await slo()).status).toBe(200)
    await stop(first)

    const refused = await tocsin(["serve"], { ...environment, TOCSIN_MASTER_KEY: newKey })
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toMatch(/^tocsin: .*encrypted with another master key/)
    expect(refused.stderr).toContain("TOCSIN_PREVIOUS_MASTER_KEY to that key and run `tocsin keys reseal`")

    const both = await serve({
      TOCSIN_MASTER_KEY: newKey,
      TOCSIN_PREVIOUS_MASTER_KEY: readFileSync(keyFile, "utf8").trim(),
    })
    expect((await slo()).status).toBe(200)
    const operator = { ...environment, TOCSIN_MASTER_KEY: newKey }
    expect(await tocsin(["keys", "reseal"], operator)).toEqual({
      code: 0,
      stdout: "Re-encrypted 2 stored secrets. All secrets are now encrypted with the current master key.\n",
      stderr: "",
    })
    expect((await tocsin(["keys", "reseal"], operator)).stdout).toMatch(
      /already encrypted with the current master key/,
    )
    await stop(both)

    rmSync(keyFile)
    const missing = await tocsin(["serve"], environment)
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/master-key does not exist; set TOCSIN_MASTER_KEY/),
    })
    expect(existsSync(keyFile)).toBe(false)
    const last = await serve({ TOCSIN_MASTER_KEY: newKey })
    expect((await slo()).status).toBe(401)
    const method = await tocsin(["get", "alertmethod", "pager"], { ...environment, ...user })
    expect(method.stdout).toContain("X-Key")
    await stop(last)
  })
})
