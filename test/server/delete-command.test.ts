import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { type Running, scratch, startInTerminal, tocsin } from "./child-process.ts"
import { useMemoryServer } from "./memory-server.ts"

const environment = useMemoryServer({ TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8" })

const run = (...args: ReadonlyArray<string>) => tocsin(args, environment())

const service = (name: string, labels = "") =>
  `apiVersion: tocsin/v1alpha\nkind: Service\nmetadata: { name: ${name}${labels} }\n`

const slo = (name: string, of: string, project = "default") => `apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: ${name}, project: ${project}, labels: { owner: [team-a] } }
spec:
  service: ${of}
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, target: 0.99 }]
`

const method = `apiVersion: tocsin/v1alpha
kind: AlertMethod
metadata: { name: on-call }
spec: { webhook: { url: "https://127.0.0.1:9/", templateFields: [slo_name] } }
`

const owned = ", labels: { owner: [team-a] }"

const fileOf = (name: string, ...documents: ReadonlyArray<string>): string => {
  const path = join(scratch, name)
  writeFileSync(path, documents.join("---\n"))
  return path
}

const stored = async () =>
  (await run("get", "proj,svc,slo,am", "-A", "-o", "name")).stdout.split("\n").filter((line) => line !== "")

const project = `apiVersion: tocsin/v1alpha\nkind: Project\nmetadata: { name: shop }\n`

beforeEach(async () => {
  const file = fileOf(
    "all.yaml",
    project,
    service("web", owned),
    service("api", owned),
    service("other"),
    service("shop-web, project: shop", owned),
    slo("checkout", "web"),
    slo("search", "api"),
    slo("cart", "shop-web", "shop"),
    method,
  )
  expect(await run("apply", "-f", file)).toMatchObject({ code: 0, stderr: "" })
})

const answered = async (running: Running, question: RegExp, answer: string) => {
  await running.until(question)
  running.type(answer)
  const { code, stdout } = await running.ended
  return {
    code,
    lines: stdout.replaceAll("\r", "").split("\n"),
  }
}

describe("tocsin delete", () => {
  it("asks on a terminal before it deletes several objects, and changes nothing unless the answer is yes", async () => {
    const names = ["delete", "slo", "checkout", "search"]
    const before = await stored()
    for (const answer of ["n\r", "\r", "\u0004"]) {
      const { code, lines } = await answered(startInTerminal(names, environment()), /\(y\/N\)/, answer)
      expect(code).toBe(1)
      expect(lines.slice(0, 3)).toEqual([
        "This deletes 2 objects:",
        "  SLO default/checkout",
        "  SLO default/search",
      ])
      expect(lines.join("\n")).toMatch(/tocsin: canceled/)
    }
    expect(await stored()).toEqual(before)
    const { code, lines } = await answered(startInTerminal(names, environment()), /\(y\/N\)/, "y\r")
    expect(code).toBe(0)
    expect(lines).toContain("SLO default/checkout deleted")
    expect((await stored()).filter((name) => name.startsWith("slo"))).toEqual(["slo/cart"])
  })

  it("does not ask for one object, with --yes, in a dry run, or without a terminal", async () => {
    const file = fileOf("two.yaml", slo("checkout", "web"), slo("search", "api"))
    const dryRun = await startInTerminal(["delete", "-f", file, "--dry-run"], environment()).ended
    expect([dryRun.code, dryRun.stdout.replaceAll("\r", "")]).toEqual([
      0,
      "SLO default/checkout deleted (dry run)\nSLO default/search deleted (dry run)\n",
    ])
    const one = await startInTerminal(["delete", "am", "on-call"], environment()).ended
    expect(one.stdout).toBe("AlertMethod default/on-call deleted\r\n")
    const yes = await startInTerminal(["delete", "-f", file, "--yes"], environment()).ended
    expect([yes.code, yes.stdout]).toEqual([0, expect.not.stringContaining("(y/N)")])
    expect(await run("delete", "service", "web", "api", "web")).toEqual({
      code: 0,
      stdout: "Service default/web deleted\nService default/api deleted\n",
      stderr: "",
    })
  })
})

describe("tocsin apply --prune", () => {
  it("deletes the objects of all projects that have the labels and are in no file", async () => {
    const file = fileOf("team-a.yaml", service("web", owned), slo("checkout", "web"), method)
    const before = await stored()
    const dryRun = await run("apply", "-f", file, "--prune", "-l", "owner=team-a", "--dry-run")
    const pruned = ["Service default/api", "Service shop/shop-web", "SLO default/search", "SLO shop/cart"]
    expect(dryRun).toEqual({
      code: 0,
      stdout: [
        "Service default/web unchanged (dry run)",
        "SLO default/checkout unchanged (dry run)",
        "AlertMethod default/on-call unchanged (dry run)",
        ...pruned.map((name) => `${name} deleted (dry run)`),
        "",
      ].join("\n"),
      stderr: "Objects of these kinds have no labels and are never pruned: AlertMethod\n",
    })
    expect(await stored()).toEqual(before)
    const real = await run("apply", "-f", file, "--prune", "-l", "owner=team-a")
    expect([real.code, real.stdout]).toEqual([0, dryRun.stdout.replaceAll(" (dry run)", "")])
    expect((await stored()).toSorted()).toEqual(
      [
        "alertmethod/on-call",
        "project/default",
        "project/shop",
        "service/other",
        "service/web",
        "slo/checkout",
      ].filter((name) => before.includes(name)),
    )
  })

  it("asks on a terminal, and applies nothing when the answer is no", async () => {
    const file = fileOf("asked.yaml", service("new"), service("web", owned), service("api", owned))
    const args = ["apply", "-f", file, "--prune", "-l", "owner=team-a"]
    const { code, lines } = await answered(startInTerminal(args, environment()), /\(y\/N\)/, "no\r")
    expect(code).toBe(1)
    expect(lines).toContain("This deletes 4 objects:")
    expect(lines).toContain("tocsin: canceled; nothing was changed")
    expect(await stored()).not.toContain("service/new")
    const yes = await startInTerminal([...args, "-y"], environment()).ended
    expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining("SLO shop/cart deleted")])
    expect(await stored()).toContain("service/new")
  })

  it("needs labels, and says that the files are applied when another object still needs a pruned one", async () => {
    const using = fileOf("using.yaml", slo("mine", "web").replace("owner: [team-a]", "owner: [team-b]"))
    expect((await run("apply", "-f", using)).code).toBe(0)
    const file = fileOf("few.yaml", service("late", owned))
    const errors = await Promise.all([
      run("apply", "-f", file, "--prune"),
      run("apply", "-f", file, "--prune", "-l", " "),
      run("apply", "-f", file, "-l", "owner=team-a"),
      run("apply", "-f", file, "--prune", "-l", "Owner=team-a"),
    ])
    expect(errors.map(({ code, stdout }) => [code, stdout])).toEqual(errors.map(() => [1, ""]))
    expect(errors.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining("--prune needs the labels"),
      expect.stringContaining("--prune needs the labels"),
      expect.stringContaining("-l is only for --prune"),
      expect.stringContaining("a label has a key of lowercase"),
    ])
    const used = await run("apply", "-f", file, "--prune", "-l", "owner=team-a")
    expect([used.code, used.stdout]).toEqual([1, "Service default/late created\n"])
    expect(used.stderr).toMatch(
      /^tocsin: the files are applied, but nothing was pruned: .*the Service web of project default is in use by the SLO mine/,
    )
    expect(await stored()).toContain("service/web")
    expect((await run("delete", "-f", using)).code).toBe(0)
  })
})
