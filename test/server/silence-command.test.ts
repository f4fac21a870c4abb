import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { scratch, tocsin } from "./child-process.ts"
import { applyMethod, useMemoryServer } from "./memory-server.ts"

const environmentOf = useMemoryServer({ TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128" })

const fileOf = (name: string, ...specs: ReadonlyArray<string>): string => {
  const file = join(scratch, name)
  const documents = specs.map(
    (spec, index) =>
      `apiVersion: tocsin/v1alpha\nkind: AlertSilence\nmetadata: { name: night-${index} }\nspec: ${spec}\n`,
  )
  writeFileSync(file, documents.join("---\n"))
  return file
}

it("spec/definitions §1: creates a silence that begins now, for a duration or until a time", async () => {
  const environment = environmentOf()
  await applyMethod(environment, "https://localhost:1/in")
  const stored = async (name: string) =>
    JSON.parse((await tocsin(["get", "alertsilence", name, "-o", "json"], environment)).stdout)
  const created = await tocsin(["silence", "create", "checkout", "--description", "Moving"], environment)
  expect(created).toMatchObject({ code: 0, stderr: "" })
  const [, name = ""] =
    /^AlertSilence default\/(checkout-silence-\d{4}-\d{2}-\d{2}-\w{4}) created; silenced until [\d:.TZ-]+\n$/.exec(
      created.stdout,
    ) ?? []
  expect(JSON.stringify(await stored(name))).toContain('"description":"Moving","slo":"checkout"')
  expect(JSON.stringify(await stored(name))).toContain('"duration":"1h"')
  const until = ["--until", "2100-01-30T23:00:00Z", "--name", "move"]
  expect((await tocsin(["silence", "create", "checkout", ...until], environment)).stdout).toBe(
    "AlertSilence default/move created; silenced until 2100-01-30T23:00:00Z\n",
  )
  expect(JSON.stringify(await stored("move"))).toContain('"endTime":"2100-01-30T23:00:00Z"')
  const again = await tocsin(["silence", "create", "checkout", "--name", "move"], environment)
  expect(again).toMatchObject({ code: 1, stdout: "" })
  expect(JSON.stringify(await stored("move"))).toContain('"endTime":"2100-01-30T23:00:00Z"')
  const both = await tocsin(["silence", "create", "checkout", "--for", "1h", ...until], environment)
  expect(both).toMatchObject({ code: 1, stdout: "" })
  expect(both.stderr).toContain("must have either endTime or duration, not both")
  const days = await tocsin(["silence", "create", "checkout", "--for", "4days"], environment)
  expect(days.stderr).toContain("It must be a duration such as 30m or 4h.")
  expect(days.stderr).not.toContain("spec.period")
})

it("spec/alerting §21: prints what a silence covers, and when", async () => {
  const environment = environmentOf()
  // Nothing listens there.
  await applyMethod(environment, "https://localhost:1/in")
  const period = 'period: { startTime: "2100-01-30T22:00:00Z", duration: 1h }'
  const file = fileOf("silence.yaml", `{ slo: checkout, ${period} }`)
  const previewed = await tocsin(["silence", "preview", "-f", file], environment)
  expect(previewed).toMatchObject({ code: 0, stderr: "" })
  expect(previewed.stdout).toBe(
    "Active:\n  2100-01-30T22:00:00Z to 2100-01-30T23:00:00Z\nSLOs: 1\n  default/checkout\nOpen alerts: 0\n",
  )
  const ended = fileOf("ended.yaml", `{ sloLabels: "team:nobody", ${period.replace("2100", "2000")} }`)
  expect((await tocsin(["silence", "preview", "-f", ended], environment)).stdout).toBe(
    "The silence has ended.\nSLOs: 0\nOpen alerts: 0\n",
  )
  const two = fileOf("two.yaml", `{ slo: checkout, ${period} }`, `{ slo: checkout, ${period} }`)
  const rejected = await tocsin(["silence", "preview", "-f", two], environment)
  expect(rejected).toMatchObject({ code: 1, stdout: "" })
  expect(rejected.stderr).toContain("must have exactly one AlertSilence, not 2")
})
