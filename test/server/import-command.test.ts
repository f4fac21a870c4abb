import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, describe, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { withSlo } from "../e2e/definitions.ts"
import { closeServer, listen } from "../receiver/KeyServer.ts"
import { type Running, scratch, startInTerminal, startTocsin, tocsin } from "./child-process.ts"
import { type Editor, editorCredential, editorOf, environmentOf } from "./organizations.ts"

const organizations = ["acme"]
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** A day long before the 31 days that an indicator is read back. */
const start = Math.floor(Date.now() / dayMs) * dayMs - 90 * dayMs

let server: Running
let url: string
let editor: Editor

beforeAll(async () => {
  const PORT = await freePort()
  server = startTocsin(["serve"], environmentOf(organizations, { PORT, TOCSIN_STORE: "memory" }))
  await server.until(/listening on/)
  url = `http://127.0.0.1:${PORT}`
  editor = await editorOf([url], "acme")
  await editor.call("PUT", "/api/apply", withSlo(), "application/yaml")
})

afterAll(async () => {
  server?.kill("SIGTERM")
  await server?.ended
})

const timeAt = (minute: number): string => new Date(start + minute * minuteMs).toISOString()

const fileOf = (name: string, text: string): string => {
  const file = join(scratch, name)
  writeFileSync(file, text)
  return file
}

const environment = () => ({
  TOCSIN_URL: url,
  TOCSIN_ORGANIZATION: "acme",
  TOCSIN_CLIENT_ID: editorCredential.clientId,
  TOCSIN_CLIENT_SECRET: editorCredential.clientSecret,
})

const run = (...args: ReadonlyArray<string>) => tocsin(["import", ...args], environment())

interface Series {
  readonly objectives: ReadonlyArray<{ readonly counts: { readonly total: ReadonlyArray<number | null> } }>
}

/** The events from one minute to before another. */
const totalOf = async (from: number, to: number): Promise<number> => {
  const series = (await editor.call(
    "GET",
    `/api/slos/checkout/series?from=${timeAt(from)}&to=${timeAt(to)}`,
  )) as Series
  return (series.objectives[0]?.counts.total ?? []).reduce<number>((sum, each) => sum + (each ?? 0), 0)
}

const line = (minute: number, good = 9): string =>
  JSON.stringify({ slo: "checkout", objective: "good", at: timeAt(minute), good, total: 10 })

describe("tocsin import", () => {
  it("spec/counts §4: imports a file in several requests, of counts older than 31 days", async ({
    expect,
  }) => {
    const file = fileOf(
      "counts.ndjson",
      Array.from({ length: 7_000 }, (_, minute) => line(minute)).join("\n"),
    )
    const { code, stderr } = await run("-f", file)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "Imported 5000 entries\nImported 7000 entries\n" })
    expect(await totalOf(0, 7_200)).toBe(70_000)
  })

  it("spec/counts §4: reads CSV and JSON arrays, with a project, SLO and objective for all entries", async ({
    expect,
  }) => {
    const csv = fileOf(
      "counts.csv",
      `total,at,bad\r\n"10",${timeAt(10_000)},0.5\r\n10,${timeAt(10_001)},0\r\n`,
    )
    const array = fileOf("counts.json", JSON.stringify([{ at: timeAt(10_002), good: 1, total: 2 }], null, 2))
    const names = ["-p", "default", "--slo", "checkout", "--objective", "good"]
    expect(await run("-f", csv, array, ...names)).toMatchObject({ code: 0, stderr: "Imported 3 entries\n" })
    expect(await totalOf(10_000, 10_020)).toBe(22)
  })

  it("spec/counts §4: says where an entry is invalid, and how to continue", async ({ expect }) => {
    const lines = Array.from({ length: 5_002 }, (_, index) => line(20_000 + index, index === 5_001 ? 11 : 9))
    const file = fileOf("invalid.ndjson", lines.join("\n"))
    const { code, stderr } = await run("-f", file)
    expect(code).toBe(1)
    expect(stderr).toContain(`${file}, line 5002: good: `)
    expect(stderr).toContain("must be at most total")
    expect(stderr).toContain("The first 5000 entries are imported; to continue, add --skip 5000.")
    lines[5_001] = line(25_001)
    const fixed = fileOf("fixed.ndjson", lines.join("\n"))
    expect(await run("-f", fixed, "--skip", "5000")).toMatchObject({
      code: 0,
      stderr: "Imported 5002 entries\n",
    })
    expect(await totalOf(20_000, 25_020)).toBe(50_020)
  })

  it("says how to continue when it is interrupted", async ({ expect }) => {
    // It takes the first request, and never answers the second.
    let requests = 0
    const stub = createServer((request, response) => {
      request.resume()
      if (request.url === "/api/accessToken") return response.end('{"access_token":"a","expires_in":3600}')
      if (requests++ === 0) return response.writeHead(204).end()
      return undefined
    })
    const url = await listen(stub)
    const lines = Array.from({ length: 5_001 }, (_, index) => line(index))
    const file = fileOf("interrupted.ndjson", lines.join("\n"))
    const running = startInTerminal(["import", "-f", file], { ...environment(), TOCSIN_URL: url })
    await running.until(/Imported 5000 entries \(\d+ s\)/)
    running.type("\u0003")
    const { code, stdout } = await running.ended
    expect([code, stdout]).toEqual([
      130,
      expect.stringContaining("The first 5000 entries are imported; to continue, add --skip 5000."),
    ])
    await closeServer(stub)
  })

  it.for([
    ["a line that is no JSON", "{", "line 1: is not valid JSON"],
    ["a list of numbers", "[1]", "entry 1: must be an object"],
    ["an unknown column", "at,good,totl\n", "column 3 has an unknown name; did you mean total?"],
    ["a missing column", "at,good\n", "header: must have two of the columns good, bad, total"],
    ["a row that is too short", "at,good,total\n1,2\n", "line 2: has 2 values; the header has 3"],
    ["a word for a number", "at,good,total\nx,many,2\n", "line 2: good must be a number"],
    ["a hexadecimal number", "at,good,total\nx,0x10,20\n", "line 2: good must be a number"],
    ["a blank for a number", "at,good,total\nx, ,20\n", "line 2: good must be a number"],
    ["nothing", "", "no entry to import"],
  ] as const)("spec/counts §4: rejects a file with %s", async ([name, text, message], { expect }) => {
    const { code, stderr } = await run("-f", fileOf(`${name.replaceAll(" ", "-")}.txt`, text))
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  })

  it("spec/counts §1: counts older than the retention are rejected", async ({ expect }) => {
    const at = new Date(start - 400 * dayMs).toISOString()
    const file = fileOf(
      "old.ndjson",
      JSON.stringify({ slo: "checkout", objective: "good", at, good: 1, total: 1 }),
    )
    const { code, stderr } = await run("-f", file)
    expect(code).toBe(1)
    expect(stderr).toContain("must be at most 408 days in the past, the retention of counts")
  })
})
