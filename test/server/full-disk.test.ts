import { execFileSync } from "node:child_process"
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { freePort } from "../FreePort.ts"
import { dataDirectory, startTocsin, tocsin } from "./child-process.ts"

const mounted: Array<string> = []
afterAll(() => {
  for (const directory of mounted) execFileSync("umount", ["--lazy", directory])
})

/** A file system of its own, which only root can create. */
const smallDisk = (size: string): string => {
  const directory = dataDirectory()
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "tmpfs", directory])
  mounted.push(directory)
  const data = join(directory, "data")
  mkdirSync(data)
  chmodSync(data, 0o755)
  return data
}

/** Fills a file system to its last byte, and returns a function that frees the space. */
const fill = (directory: string): (() => void) => {
  const file = join(directory, "..", "filler")
  const descriptor = openSync(file, "a")
  for (const size of [1_048_576, 4_096, 1]) {
    try {
      for (;;) writeSync(descriptor, Buffer.alloc(size))
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" })
    }
  }
  closeSync(descriptor)
  return () => rmSync(file)
}

const refusal = async (directory: string) => {
  const { code, stderr } = await tocsin(["serve"], { PORT: "0", TOCSIN_DATA_DIR: directory })
  expect(code).toBe(1)
  expect(stderr).not.toContain("    at ")
  expect(stderr.trimEnd().split("\n")).toHaveLength(1)
  return stderr
}

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("a full disk", () => {
  it("is reported in one line when a server starts for the first time", async () => {
    const directory = smallDisk("4m")
    fill(directory)
    expect(await refusal(directory)).toMatch(
      /^tocsin: cannot use .*: ENOSPC: no space left on device.*TOCSIN_DATA_DIR/,
    )
    const key = { TOCSIN_MASTER_KEY: Buffer.alloc(32, 1).toString("base64") }
    const withKey = await tocsin(["serve"], { PORT: "0", TOCSIN_DATA_DIR: directory, ...key })
    expect(withKey).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^tocsin: cannot use the data directory: ENOSPC: no space left on device, .*; free disk space\n$/,
      ),
    })
  })

  it("is reported in one line when it is too small for a database", async () => {
    const directory = smallDisk("8m")
    expect(await refusal(directory)).toMatch(
      /^tocsin: cannot create the database in .*: .*No space left on device/,
    )
  })

  it("spec/operations §5: makes a server not ready while writes fail, and ready again once there is space", async () => {
    const directory = smallDisk("160m")
    const port = await freePort()
    const environment = { PORT: port, TOCSIN_DATA_DIR: directory, TOCSIN_LOG_LEVEL: "error" }
    const server = startTocsin(["serve"], environment)
    await server.until(/Storage:/)
    const ready = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`)
      return [response.status, await response.text()] as const
    }
    expect(await ready()).toEqual([200, '{"status":"ok"}'])
    const free = fill(directory)
    await vi.waitUntil(async () => (await ready())[0] === 503, { timeout: 60_000, interval: 100 })
    await vi.waitUntil(async () => (await ready())[1].includes("Writing to the database failed for "), {
      timeout: 60_000,
      interval: 100,
    })
    free()
    await vi.waitUntil(async () => (await ready())[0] === 200, { timeout: 60_000, interval: 100 })
    server.kill("SIGTERM")
    expect(await server.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("No space left on device"),
    })

    const freeAgain = fill(directory)
    expect(await refusal(directory)).toMatch(/free disk space\n$/)
    freeAgain()
    const again = startTocsin(["serve"], environment)
    await again.until(/Storage:/)
    again.kill("SIGTERM")
    expect((await again.ended).code).toBe(0)
  })
})
