import { publicKeyPath } from "@tocsin/domain/limits"
import type { StoreConfig } from "@tocsin/server/config/ServerConfig"
import * as Redacted from "effect/Redacted"
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { run, urlOf } from "../crash/CrashDatabase.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { dataDirectory, scratch, tocsin } from "../server/child-process.ts"
import { masterKey, type Served, withServer } from "./ServedStore.ts"
import { newDatabase } from "./TestDatabase.ts"

const secretHeader = ["headers:", "  - { name: X-Key, value: s3cr3t, isSecret: true }"]

/** Fills a store; gives what must be so afterwards too. */
const fill = (store: StoreConfig) =>
  withServer(store, async (served) => {
    const { call, sent } = served
    const method = methodYaml(
      "pager",
      "https://hooks.example.com/",
      "templateFields: [slo_name]",
      ...secretHeader,
    )
    await call("PUT", "/api/apply", withSlo(method))
    const at = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
    const counts = [{ objective: "good", at, good: 97, total: 100 }]
    await call("POST", "/api/slos/checkout/counts", JSON.stringify(counts))
    await call(
      "POST",
      "/api/alerts",
      JSON.stringify({
        status: "triggered",
        alertId: "a-1",
        slo: { name: "checkout", project: "default" },
        alertMethods: [{ name: "pager", project: "default" }],
      }),
    )
    const eventually = (expectation: () => unknown) => vi.waitFor(expectation, { timeout: 60_000 })
    await eventually(() => expect(sent).toHaveLength(1))
    await eventually(async () => expect(await call("GET", "/api/v2/slos/checkout")).toContain("reliability"))
    await eventually(async () => expect(await call("GET", "/api/deliveries")).toContain('"delivered"'))
    return read(served)
  })

const read = async ({ call }: Served) => ({
  key: await call("GET", publicKeyPath),
  slo: JSON.parse(await call("GET", "/api/v2/slos/checkout")),
  methods: JSON.parse(await call("GET", "/api/get/alertmethod")),
  deliveries: JSON.parse(await call("GET", "/api/deliveries")),
})

/** Sees that a store has all that was there, and that its secrets open. */
const expectFilled = (store: StoreConfig, filled: Awaited<ReturnType<typeof fill>>) =>
  withServer(store, async (served) => {
    expect(await read(served)).toEqual(filled)
    expect(served.sent).toEqual([])
    await served.call("POST", "/api/alertmethods/pager/test")
    expect(served.sent[0]?.headers).toContainEqual(["X-Key", "s3cr3t"])
  })

/** The program and its version, where it is here and can read the database of this run. */
const findPgDump = async (): Promise<string | undefined> => {
  const { status, stdout } = spawnSync("pg_dump", ["--version"], { encoding: "utf8" })
  const version = /\d+/.exec(stdout ?? "")?.[0]
  if (status !== 0 || version === undefined) return undefined
  const connection = await newDatabase("empty")
  const [row] = await run<{ version: string }>(
    connection,
    "SELECT current_setting('server_version_num') AS version",
  )
  return Number(version) >= Math.floor(Number(row?.version) / 10_000) ? version : undefined
}

const pgDump = await findPgDump()
const suffix = pgDump === undefined ? " (without pg_dump, which is not installed for this PostgreSQL)" : ""

describe("a backup", () => {
  it(`restores everything from a copy of the folder of a server that was stopped${suffix}`, async () => {
    const [original, copy] = [dataDirectory(), dataDirectory()]
    const filled = await fill({ kind: "embedded", dataDirectory: original })
    execFileSync("cp", ["-a", `${original}/.`, copy])
    rmSync(original, { recursive: true })
    await expectFilled({ kind: "embedded", dataDirectory: copy }, filled)
  })

  it("spec/operations §7: moves everything from the embedded PostgreSQL to another one, and back", async () => {
    const [original, back] = [dataDirectory(), dataDirectory()]
    const filled = await fill({ kind: "embedded", dataDirectory: original })
    const key = readFileSync(join(original, "master-key"), "utf8").trim()
    const url = urlOf(await newDatabase("empty"))
    const own = { DATABASE_URL: url, TOCSIN_MASTER_KEY: key }
    const [there, again] = [join(scratch, "there.ndjson.gz"), join(scratch, "again.ndjson")]
    const move = async (...steps: ReadonlyArray<readonly [string, string, Record<string, string>]>) => {
      for (const [verb, file, environment] of steps)
        expect(await tocsin(["database", verb, file], environment)).toMatchObject({ code: 0 })
    }
    await move(["export", there, { TOCSIN_DATA_DIR: original }])
    const otherKey = Buffer.alloc(32, 9).toString("base64")
    expect(
      await tocsin(["database", "import", there], { ...own, TOCSIN_MASTER_KEY: otherKey }),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("encrypted with another master key"),
    })
    await move(
      ["import", there, own],
      ["export", again, own],
      ["import", again, { TOCSIN_DATA_DIR: back, TOCSIN_MASTER_KEY: key }],
    )
    const moved = Redacted.make(new Uint8Array(Buffer.from(key, "base64")))
    await expectFilled({ kind: "postgres", url: Redacted.make(url), masterKey: moved }, filled)
    await expectFilled({ kind: "embedded", dataDirectory: back, masterKey: moved }, filled)
  })

  if (pgDump !== undefined)
    it(`restores everything from a dump of pg_dump ${pgDump} into an empty database`, async () => {
      const [original, restored] = [urlOf(await newDatabase("empty")), urlOf(await newDatabase("empty"))]
      const storeAt = (url: string): StoreConfig => ({ kind: "postgres", url: Redacted.make(url), masterKey })
      const filled = await fill(storeAt(original))
      const file = join(scratch, "tocsin.dump")
      execFileSync("pg_dump", ["--format=custom", `--file=${file}`, original])
      execFileSync("pg_restore", ["--exit-on-error", "--no-owner", `--dbname=${restored}`, file])
      await expectFilled(storeAt(restored), filled)
    })
})
