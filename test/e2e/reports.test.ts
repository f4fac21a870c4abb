import { reportScheduleAt } from "@tocsin/domain/adapter"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { createPublicKey, verify } from "node:crypto"
import { setClockAhead, urlOf } from "../crash/CrashDatabase.ts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { newDatabase } from "../pg/TestDatabase.ts"
import { startTocsin } from "../server/child-process.ts"
import { eventually, startStoringServer } from "./clocked-server.ts"
import { withSlo } from "./definitions.ts"
import { makeJumpingClock } from "./jumping-clock.ts"

/** Time between two looks for reports to make. */
const reportPollMs = 10_000

const masterKey = Redacted.make(new Uint8Array(32).fill(3))

type Server = Effect.Success<ReturnType<typeof startStoringServer>>

/** Applies an SLO, and records counts of the current minute. Returns the schedule of its report. */
const prepare = ({ send, login }: Server) =>
  Effect.gen(function* () {
    const headers = yield* login
    const applied = yield* send("PUT", "/api/apply", {
      headers: { ...headers, "content-type": "application/yaml" },
      body: withSlo(),
    })
    expect(applied.status).toBe(200)
    const spec = {
      filters: { projects: ["default"] },
      reliabilityRollup: { timeFrame: { rolling: { unit: "Week", count: 1 }, timeZone: "UTC" } },
    }
    const saved = yield* send("PUT", "/api/apply", {
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({
        apiVersion: "tocsin/v1alpha",
        kind: "Report",
        metadata: { name: "weekly" },
        spec,
      }),
    })
    expect(saved.status).toBe(200)
    const now = yield* Clock.currentTimeMillis
    const at = new Date(Math.floor(now / 60_000) * 60_000).toISOString()
    const recorded = yield* send("POST", "/api/slos/checkout/counts", {
      headers: { ...headers, project: "default", "content-type": "application/json" },
      body: JSON.stringify([{ objective: "good", at, good: 99, total: 100 }]),
    })
    expect(recorded.status).toBe(204)
    return reportScheduleAt({ unit: "Day", count: 28 }, now)
  })

/** Reads the report of the SLO over the API, and prints it with its signature by the command line. */
const check = ({ send, environment }: Server, { period }: Effect.Success<ReturnType<typeof prepare>>) =>
  Effect.gen(function* () {
    const tocsin = (...given: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const { code, stdout, stderr } = await startTocsin(given, environment).ended
        expect([code, stderr]).toEqual([0, ""])
        return stdout
      })
    const token = (yield* tocsin("token")).trim()
    const headers = { authorization: `Bearer ${token}`, organization: environment.TOCSIN_ORGANIZATION }
    const { json } = yield* eventually(
      send("GET", "/api/reports?slo=checkout", { headers }),
      ({ json }) => json.data.length > 0,
    )
    const [from, to] = [period.from, period.to].map((time) => new Date(time).toISOString())
    expect(json.data).toMatchObject([{ slo: "checkout", period: { from, to } }])
    const { id } = json.data[0]
    expect((yield* tocsin("report", "list", "--slo", "checkout")).replaceAll(/ +/g, " ")).toBe(
      `ID SLO FROM TO\n${id} default/checkout ${from} ${to}\n`.replaceAll(".000Z", "Z"),
    )
    expect(yield* tocsin("report", "list", "--slo", "other")).toBe("No reports.\n")
    const document = yield* tocsin("report", "get", id)
    expect(JSON.parse(document)).toMatchObject({
      id,
      objectives: [{ name: "good", good: 99, total: 100, reliability: 0.99 }],
    })
    const { publicKeyPem, signature } = JSON.parse(
      yield* tocsin("report", "get", id, "--format", "signature"),
    )
    const key = createPublicKey(publicKeyPem)
    expect(verify(null, Buffer.from(document), key, Buffer.from(signature, "base64"))).toBe(true)
    expect(yield* tocsin("report", "get", id, "--format", "html")).toMatch(/^<!doctype html>/)
    expect((yield* tocsin("report", "get", id, "--format", "csv")).split("\r\n")[1]).toContain(
      `${id},default,`,
    )
  })

/** Generates a saved report by the command line. */
const checkDrawn = ({ environment }: Server) =>
  Effect.promise(async () => {
    const csv = await startTocsin(["report", "generate", "weekly", "--format", "csv"], environment).ended
    expect([csv.code, csv.stderr]).toEqual([0, ""])
    const [head, project, service, slo] = csv.stdout.split("\r\n")
    expect(head).toBe("folder,depth,project,service,slo,displayName,score,weight,days,daysMet")
    expect(project).toMatch(/^.+,0,,,,,/)
    expect(service).toMatch(/^.+,1,,,,,/)
    expect(slo).toMatch(/,1,default,.+,checkout,.+,\d,\d$/)
    const gone = await startTocsin(["report", "generate", "gone"], environment).ended
    expect([gone.code, gone.stdout]).toEqual([1, ""])
    expect(gone.stderr).toContain("No Report has this name")
  })

describe("a report at the end of the month", () => {
  it.effect(
    "spec/reports §1: is made by a server in memory, and printed with its signature by the command line",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        const { clock, jump } = yield* makeJumpingClock
        const server = yield* Effect.provideService(
          startStoringServer({ store: { kind: "memory", masterKey } }),
          Clock.Clock,
          clock,
        )
        const schedule = yield* prepare(server)
        jump(schedule.dueAt - (yield* Clock.currentTimeMillis))
        yield* TestClock.adjust(reportPollMs)
        yield* check(server, schedule)
        yield* checkDrawn(server)
      }),
  )

  it.live("spec/reports §2: is made by a server on PostgreSQL that was not running then", () =>
    Effect.gen(function* () {
      const { clock, jump } = yield* makeJumpingClock
      const connection = yield* Effect.promise(() => newDatabase("schema"))
      const url = Redacted.make(urlOf(connection))
      const start = Effect.provideService(
        startStoringServer({ store: { kind: "postgres", url, masterKey } }),
        Clock.Clock,
        clock,
      )
      const schedule = yield* Effect.scoped(Effect.flatMap(start, prepare))
      const aheadMs = schedule.dueAt - (yield* Clock.currentTimeMillis)
      jump(aheadMs)
      yield* Effect.promise(() => setClockAhead(connection, aheadMs))
      yield* check(yield* start, schedule)
    }),
  )
})
