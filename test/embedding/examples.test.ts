import { ports, triggerAlert } from "@tocsin/examples/use-cases"
import { freePort } from "../FreePort.ts"
import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { describe } from "vitest"
import { startFile } from "../server/child-process.ts"

it.live("the use cases without HTTP define, count and triggerAlert", () =>
  Effect.gen(function* () {
    const { slos, sent } = yield* Effect.provide(triggerAlert, ports)
    expect(slos).toMatchObject([{ name: "checkout", objectives: [{ name: "good", reliability: 0.97 }] }])
    expect(sent.url.href).toBe("https://hooks.example.com/on-call")
    expect(new TextDecoder().decode(sent.body)).toBe('{"slo_name":"checkout","severity":"high"}')
  }),
)

describe.concurrent("the examples by themselves", () => {
  for (const name of ["fetch", "hono", "express", "core"]) {
    it(`embed-${name}.ts runs and serves`, async ({ expect }) => {
      const PORT = await freePort()
      const example = startFile(`examples/src/embed-${name}.ts`, [], { PORT })
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
    const { code, stdout, stderr } = await startFile("examples/src/use-cases.ts", []).ended
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toContain(
      'Signature-Input: sig1=("@method" "@authority" "@path" "content-digest" "content-type")',
    )
  })

  it("test-suite.ts runs and passes", async ({ expect }) => {
    const { code, stdout } = await startFile("examples/src/test-suite.ts", []).ended
    expect(stdout).toContain("pass 2")
    expect(code).toBe(0)
  })
})
