import { beforeAll, describe, expect, it } from "vitest"
import { tocsin } from "./child-process.ts"
import { applyMethod, masterKey, useMemoryServer } from "./memory-server.ts"

const environmentOf = useMemoryServer()

let environment: Readonly<Record<string, string>>

beforeAll(async () => {
  environment = environmentOf()
  await applyMethod(environment, "https://hooks.example.com/in")
})

describe("tocsin delivery and tocsin resend", () => {
  it("spec/delivery §13: pauses and resumes an alert method", async () => {
    const paused = await tocsin(["delivery", "pause", "on-call"], environment)
    expect(paused).toEqual({
      code: 0,
      stdout: "AlertMethod default/on-call paused; in flight: 0\n",
      stderr: "",
    })
    const resumed = await tocsin(["delivery", "resume", "on-call", "--json"], environment)
    expect(JSON.parse(resumed.stdout)).toMatchObject({ isPaused: false, inFlight: 0 })
    const absent = await tocsin(["delivery", "pause", "unknown"], environment)
    expect(absent).toMatchObject({ code: 1, stdout: "" })
  })

  it("spec/delivery §13: pauses and resumes everything with the master key", async () => {
    const operator = { ...environment, TOCSIN_MASTER_KEY: masterKey }
    const paused = await tocsin(["delivery", "pause", "--all"], operator)
    expect(paused).toEqual({ code: 0, stdout: "All deliveries paused; in flight: 0\n", stderr: "" })
    const resumed = await tocsin(["delivery", "resume", "--all"], operator)
    expect(resumed.stdout).toBe("All deliveries resumed; in flight: 0\n")
  })

  it("spec/delivery §13: requires a scope", async () => {
    for (const scope of [[], ["on-call", "--all"]]) {
      const answer = await tocsin(["delivery", "pause", ...scope], environment)
      expect(answer).toMatchObject({ code: 1, stdout: "" })
      expect(answer.stderr).toContain("specify either an alert method or --all")
    }
  })

  it("asks for the master key of the server, not for a new one", async () => {
    const { stderr } = await tocsin(["delivery", "pause", "--all"], environment)
    expect(stderr).toContain("set it to the master key of the server, or TOCSIN_DATA_DIR")
    expect(stderr).not.toContain("openssl")
  })

  it("spec/delivery §13: --all takes no project, so that a project never means the whole server", async () => {
    const operator = { ...environment, TOCSIN_MASTER_KEY: masterKey }
    await tocsin(["delivery", "pause", "--all"], operator)
    for (const project of ["shop", "default"]) {
      const answer = await tocsin(["delivery", "resume", "--all", "-p", project], operator)
      expect(answer).toMatchObject({ code: 1, stdout: "" })
      expect(answer.stderr).toContain("--all is the whole server and takes no --project")
    }
    const health = await tocsin(["alertmethod", "health", "on-call"], environment)
    expect(health.stdout).toContain("all deliveries of the server are paused")
    await tocsin(["delivery", "resume", "--all"], operator)
  })

  it("lists deliveries, and suggests the name of an alert method that does not exist", async () => {
    expect(await tocsin(["delivery", "list", "-m", "on-call"], environment)).toMatchObject({
      code: 0,
      stdout: "No deliveries.\n",
    })
    expect(await tocsin(["delivery", "list", "-m", "on-cal"], environment)).toEqual({
      code: 1,
      stdout: "",
      stderr: "tocsin: Alert method not found: on-cal; did you mean on-call?\n",
    })
    expect(await tocsin(["delivery", "list", "-p", "shp"], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Project not found: shp"),
    })
    expect((await tocsin(["delivery", "list", "-m", "pager", "-p", "default"], environment)).stderr).toBe(
      "tocsin: Alert method not found in project default: pager; specify the project with -p\n",
    )
  })

  it("spec/resends §4: counts, resends, lists and cancels in bulk", async () => {
    const dryRun = await tocsin(["resend", "start", "--dry-run"], environment)
    expect(dryRun).toEqual({ code: 0, stdout: "Deliveries to resend: 0\n", stderr: "" })
    expect((await tocsin(["resend", "list"], environment)).stdout).toBe("No bulk resends.\n")
    const filter = [
      "--method",
      "on-call",
      "--status",
      "delivered",
      "failed",
      "--from",
      "2026-01-30T12:00:00Z",
    ]
    const begun = await tocsin(["resend", "start", ...filter, "--json"], environment)
    const { id } = JSON.parse(begun.stdout)
    expect(JSON.parse(begun.stdout)).toMatchObject({
      filter: {
        alertMethod: { project: "default", name: "on-call" },
        states: ["delivered", "failed"],
        from: "2026-01-30T12:00:00.000Z",
      },
      matched: 0,
    })
    const listed = await tocsin(["resend", "list"], environment)
    expect(listed.stdout).toMatch(
      new RegExp(`^ID +STATUS +RESENT +OF +CREATED\n${id}  (running|done)  +0 +0 +[0-9T:.-]+Z\n$`),
    )
    const found = await tocsin(["resend", "get", id], environment)
    expect(found.stdout).toMatch(new RegExp(`^${id}  (running|done)  +0 of 0 resent  created [0-9T:.-]+Z\n$`))
    const text = await tocsin(["resend", "start"], environment)
    expect(text.stdout).toMatch(/^Resending 0 deliveries; bulk resend [0-9a-f-]+\n$/)
    const canceled = await tocsin(["resend", "cancel", id], environment)
    expect(canceled.stdout).toMatch(/^Bulk resend (canceled|done); deliveries resent: 0\n$/)
    const absent = await tocsin(["resend", "cancel", "unknown"], environment)
    expect(absent).toMatchObject({ code: 1, stdout: "" })
    expect(await tocsin(["resend", "start", "-m", "on-cal", "--dry-run"], environment)).toEqual({
      code: 1,
      stdout: "",
      stderr: "tocsin: Alert method not found in project default: on-cal; did you mean on-call?\n",
    })
    const wrong = await tocsin(["resend", "start", "--from", "yesterday", "--to", "now"], environment)
    expect(wrong.stderr).toContain("2 errors")
    const unclear = await tocsin(["resend", "start", "-p", "shop"], environment)
    expect(unclear).toMatchObject({ code: 1, stdout: "" })
    expect(unclear.stderr).toContain("--project needs --method")
  })
})
