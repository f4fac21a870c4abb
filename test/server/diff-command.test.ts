import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { scratch, tocsin } from "./child-process.ts"
import { useMemoryServer } from "./memory-server.ts"

const environment = useMemoryServer({
  TOCSIN_VENDOR_PREFIX: "acme",
  TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
})

const service = `apiVersion: acme/v1alpha
kind: Service
metadata: { name: web, displayName: Web }
`

const slo = (target: number) => `apiVersion: acme/v1alpha
kind: SLO
metadata: { name: checkout }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, target: ${target} }]
`

const method = (secret: string) => `apiVersion: acme/v1alpha
kind: AlertMethod
metadata: { name: on-call }
spec:
  webhook:
    url: https://127.0.0.1:9/
    templateFields: [slo_name]
    headers: [{ name: Authorization, value: ${secret}, isSecret: true }]
`

const fileOf = (name: string, ...documents: ReadonlyArray<string>): string => {
  const path = join(scratch, name)
  writeFileSync(path, documents.join("---\n"))
  return path
}

const diff = (...args: ReadonlyArray<string>) => tocsin(["diff", ...args], environment())

beforeAll(async () => {
  const file = fileOf("stored.yaml", service, slo(0.99), method("s3cret-1"))
  expect(await tocsin(["apply", "-f", file], environment())).toMatchObject({ code: 0, stderr: "" })
})

describe("tocsin diff", () => {
  it("prints nothing and exits with 0 when applying would change nothing", async () => {
    const file = fileOf("same.yaml", service, slo(0.99), method("s3cret-1"))
    expect(await diff("-f", file)).toEqual({ code: 0, stdout: "", stderr: "" })
  })

  it("prints what applying would store, with defaults and without secrets, and exits with 1", async () => {
    const added = service.replace("web", "api").replace("Web", "API")
    const file = fileOf("changed.yaml", slo(0.995), method("s3cret-2"), service, added)
    const { code, stdout, stderr } = await diff("-f", file)
    expect([code, stderr]).toEqual([1, ""])
    expect(stdout).not.toContain("s3cret")
    await expect(stdout).toMatchFileSnapshot("../golden/cli/diff.txt")
    const again = await diff("-f", file)
    expect(again.stdout).toBe(stdout)
  })

  it("colors lines when it is asked for, and not with NO_COLOR", async () => {
    const file = fileOf("colored.yaml", slo(0.9))
    const colored = await tocsin(["diff", "-f", file], { ...environment(), FORCE_COLOR: "1" })
    expect(colored.stdout).toContain(
      "\u001b[31m-      target: 0.99\u001b[39m\n\u001b[32m+      target: 0.9\u001b[39m",
    )
    expect(colored.stdout).toContain("\u001b[36m@@ ")
    const plain = await tocsin(["diff", "-f", file], { ...environment(), FORCE_COLOR: "1", NO_COLOR: "1" })
    expect(plain.stdout).toContain("-      target: 0.99\n")
  })

  it("exits with 2 after an error, of usage too", async () => {
    const file = fileOf("invalid.yaml", slo(2))
    const errors = await Promise.all([
      diff("-f", file),
      diff("-f", join(scratch, "absent.yaml")),
      diff(),
      diff("-f", file, "--unknown"),
      tocsin(["diff", "-f", file], { ...environment(), TOCSIN_URL: "http://127.0.0.1:9" }),
    ])
    expect(errors.map(({ code, stdout, stderr }) => [code, stdout, stderr.split("\n")[0]])).toEqual([
      [2, "", expect.stringContaining("invalid.yaml (SLO checkout): spec.objectives[0].target: must be")],
      [
        2,
        "",
        expect.stringMatching(
          /^tocsin: .*absent\.yaml: no such file or directory; relative paths start at the current directory$/,
        ),
      ],
      [2, "", expect.stringContaining("required option '-f, --file <file...>' not specified")],
      [2, "", "error: unknown option '--unknown'"],
      [2, "", expect.stringContaining("cannot connect to http://127.0.0.1:9")],
    ])
    expect((await diff("--help")).code).toBe(0)
  })
})
