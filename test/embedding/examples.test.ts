import { ports, triggerAlert } from "@tocsin/examples/use-cases"
import { freePort } from "../FreePort.ts"
import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { beforeAll, describe } from "vitest"
import { bundledProgram } from "../BundledProgram.ts"
import { bundlePrograms } from "../Programs.ts"
import { scratch, startProgram } from "../server/child-process.ts"

it.live("the use cases without HTTP define, count and triggerAlert", () =>
  Effect.gen(function* () {
    const { slos, sent } = yield* Effect.provide(triggerAlert, ports)
    expect(slos).toMatchObject([{ name: "checkout", objectives: [{ name: "good", reliability: 0.97 }] }])
    expect(sent.url.href).toBe("https://hooks.example.com/on-call")
    expect(new TextDecoder().decode(sent.body)).toBe('{"slo_name":"checkout","severity":"high"}')
  }),
)

describe.concurrent("the examples by themselves", () => {
  const served = ["fetch", "hono", "express", "core"]
  let programs = ""
  beforeAll(async () => {
    const names = [...served.map((name) => `embed-${name}`), "use-cases", "test-suite"]
    programs = await bundlePrograms(
      names.map((name) => new URL(`../../examples/src/${name}.ts`, import.meta.url)),
      join(scratch, "examples"),
    )
  })
  const startExample = (name: string, environment: Readonly<Record<string, string>> = {}) =>
    startProgram(bundledProgram(name, programs), [], environment)

  for (const name of served) {
    it(`embed-${name}.ts runs and serves`, async ({ expect }) => {
      const PORT = await freePort()
      const example = startExample(`embed-${name}`, { PORT })
      const [, clientSecret] = await example.until(/as me with (\S+)/)
      const response = await fetch(`http://127.0.0.1:${PORT}/api/accessToken`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`me:${clientSecret}`)}`, organization: "acme" },
      })
      expect(response.status).toBe(200)
      example.kill("SIGTERM")
      await example.ended
    })
  }

  it("use-cases.ts runs and prints what would be sent", async ({ expect }) => {
    const { code, stdout, stderr } = await startExample("use-cases").ended
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toContain(
      'Signature-Input: sig1=("@method" "@authority" "@path" "content-digest" "content-type")',
    )
  })

  it("test-suite.ts runs and passes", async ({ expect }) => {
    const { code, stdout } = await startExample("test-suite").ended
    expect(stdout).toContain("pass 2")
    expect(code).toBe(0)
  })
})
