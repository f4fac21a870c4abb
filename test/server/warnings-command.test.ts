import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { scratch, tocsin } from "./child-process.ts"
import { useMemoryServer } from "./memory-server.ts"

const environment = useMemoryServer({})

const run = (...args: ReadonlyArray<string>) => tocsin(args, environment())

const silent = `apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: silent }
spec:
  severity: Low
  conditions: [{ measurement: burnedBudget, value: 0.5 }]
  alertMethods: []
`

it("spec/definitions §14: apply prints warnings with their file to stderr, and returns them in JSON; describe lists them", async () => {
  const file = join(scratch, "silent.yaml")
  const service = "apiVersion: tocsin/v1alpha\nkind: Service\nmetadata: { name: web }\n"
  writeFileSync(file, `${service}---\n${silent}`)
  const place = `${file}, document 2 (AlertPolicy silent): spec.alertMethods: `
  const warned = expect.stringMatching(/^Warning: .*\n$/)
  const dry = await run("apply", "-f", file, "--dry-run")
  expect(dry).toEqual({
    code: 0,
    stdout: "Service default/web created (dry run)\nAlertPolicy default/silent created (dry run)\n",
    stderr: warned,
  })
  expect(dry.stderr).toContain(place)
  expect(await run("apply", "-f", file)).toEqual({
    code: 0,
    stdout: "Service default/web created\nAlertPolicy default/silent created\n",
    stderr: dry.stderr,
  })
  const json = await run("apply", "-f", file, "-o", "json")
  expect([json.code, json.stderr]).toEqual([0, ""])
  expect(JSON.parse(json.stdout)).toMatchObject({
    data: [{ outcome: "unchanged" }, { outcome: "unchanged" }],
    warnings: [{ path: "[1].spec.alertMethods", code: "notifies_nobody" }],
  })
  const described = await run("describe", "alertpolicy", "silent")
  expect(described.stdout).toMatch(/\nWarnings:\n {2}spec\.alertMethods: is empty.*\n/)
  expect((await run("describe", "service", "web")).stdout).not.toContain("Warnings")
})
