import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { makeDatabaseFolder, removeDatabaseFolder } from "../Watchdog.ts"
import { scratch, tocsin } from "./child-process.ts"
import { useMemoryServer } from "./memory-server.ts"

const environment = useMemoryServer({ TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8" })

const definitions = (target: number) => `apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web }
---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: checkout }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, target: ${target} }]
---
apiVersion: tocsin/v1alpha
kind: AlertMethod
metadata: { name: on-call }
spec:
  webhook: { url: "https://127.0.0.1:9/", templateFields: [slo_name] }
`

const apply = async (target: number) => {
  const file = join(scratch, `edited-${target}.yaml`)
  writeFileSync(file, definitions(target))
  expect(await tocsin(["apply", "-f", file], environment())).toMatchObject({ code: 0 })
  return file
}

/** An editor: a shell script that is given the file. */
const editor = (name: string, ...lines: ReadonlyArray<string>): string => {
  const path = join(scratch, name)
  writeFileSync(path, ["#!/bin/sh", ...lines].join("\n"))
  chmodSync(path, 0o755)
  return path
}

const replace = (from: string, to: string): string => `sed -i 's|${from}|${to}|' "$1"`

let temporary: string

const edit = (command: string, ...args: ReadonlyArray<string>) =>
  tocsin(["edit", ...(args.length > 0 ? args : ["slo", "checkout"])], {
    ...environment(),
    EDITOR: command,
    TMPDIR: temporary,
  })

const target = async () => {
  const { stdout } = await tocsin(["get", "slo", "checkout", "-o", "json"], environment())
  return JSON.parse(stdout)[0].spec.objectives[0].target
}

const keptFile = (stderr: string): string =>
  /Your edits are not applied; they are in (\S+)/.exec(stderr)?.[1] ?? ""

beforeAll(() => {
  temporary = makeDatabaseFolder()
  return () => removeDatabaseFolder(temporary)
})

beforeEach(() => apply(0.99))

describe("tocsin edit", () => {
  it("applies what the editor saves, in a file that only the user can read, and deletes the file", async () => {
    const seen = join(scratch, "seen.yaml")
    const edited = await edit(
      `${editor("changes", `stat -c %a "$2" > ${seen}.mode; cat "$2" >> ${seen}`, 'sed -i "s|target: 0.99|target: $1|" "$2"')} 0.995`,
    )
    expect(edited).toEqual({ code: 0, stdout: "SLO default/checkout updated\n", stderr: "" })
    expect(await target()).toBe(0.995)
    expect(readFileSync(seen, "utf8")).toMatch(
      /^# Edit SLO default\/checkout, .*\n# A file without changes, .*\napiVersion: tocsin\/v1alpha\nkind: SLO\n/,
    )
    expect(readFileSync(`${seen}.mode`, "utf8")).toBe("600\n")
    expect(readdirSync(temporary)).toEqual([])
  })

  it("prefers VISUAL, keeps secrets, and says when nothing was changed", async () => {
    const same = await tocsin(["edit", "slo", "checkout"], {
      ...environment(),
      VISUAL: editor("looks", "exit 0"),
      EDITOR: "false",
      TMPDIR: temporary,
    })
    const unchanged = "SLO default/checkout not edited: the file has no changes\n"
    expect(same).toEqual({ code: 0, stdout: "", stderr: unchanged })
    expect((await edit(editor("empties", ': > "$1"'))).stderr).toBe(unchanged)
    const comments = await edit(editor("comments", "echo '# A note' >> \"$1\""))
    expect(comments).toEqual({ code: 0, stdout: "SLO default/checkout unchanged\n", stderr: "" })
    const named = await edit(
      editor(
        "names",
        `grep -q "is a secret" "$1" && ${replace("  name: on-call", "  name: on-call\\n  displayName: On call")}`,
      ),
      "am",
      "on-call",
    )
    expect(named).toEqual({ code: 0, stdout: "AlertMethod default/on-call updated\n", stderr: "" })
    expect(readdirSync(temporary)).toEqual([])
  })

  it("opens a rejected definition again with all errors, until it is valid", async () => {
    const seen = join(scratch, "rejected.yaml")
    const twice = editor(
      "twice",
      `if grep -q rejected "$1"; then cp "$1" ${seen}; ${replace("target: 2", "target: 0.9")}; ${replace("Sometimes", "Occurrences")}`,
      `else ${replace("target: 0.99", "target: 2")}; ${replace("Occurrences", "Sometimes")}; fi`,
    )
    expect(await edit(twice)).toMatchObject({ code: 0, stdout: "SLO default/checkout updated\n" })
    expect(await target()).toBe(0.9)
    const text = readFileSync(seen, "utf8")
    expect(text).toMatch(
      /^# This definition was rejected:\n# {3}2 errors:\n# {5}spec\.budgetingMethod: .*\n# {5}spec\.objectives\[0\]\.target: must be/m,
    )
    expect(text).toContain("\n      target: 2\n")
    const syntax = editor(
      "syntax",
      `if grep -q rejected "$1"; then cp "$1" ${seen}; sed -i '/^}/d' "$1"; else echo '}' >> "$1"; fi`,
    )
    expect((await edit(syntax)).stderr).toBe("SLO default/checkout not edited: the file has no changes\n")
    expect(readFileSync(seen, "utf8")).toMatch(
      /^# {3}line \d+, column 1: .* \(counted without these comments\)$/m,
    )
    expect(readdirSync(temporary)).toEqual([])
  })

  it("keeps edits that are not applied, and says where they are", async () => {
    const invalid = await edit(editor("invalid", replace("target: 0.99", "target: 3")))
    expect([invalid.code, invalid.stdout]).toEqual([1, ""])
    expect(invalid.stderr).toMatch(
      /tocsin: SLO default\/checkout not edited: the errors are not fixed\n {2}.*target/,
    )
    const renamed = await edit(editor("renamed", replace("name: checkout", "name: other")))
    expect(renamed.stderr).toContain("The file must have only SLO default/checkout")
    const crashed = await edit(editor("crashed", replace("target: 0.99", "target: 0.4"), "exit 3"))
    expect(crashed.stderr).toContain("tocsin: the editor exited with 3:")
    for (const [{ stderr }, part] of [
      [invalid, "target: 3"],
      [renamed, "name: other"],
      [crashed, "target: 0.4"],
    ] as const) {
      const file = keptFile(stderr)
      expect(readFileSync(file, "utf8")).toContain(part)
      expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    }
    expect(await target()).toBe(0.99)
    const missing = await edit("no-such-editor")
    expect(missing.stderr).toMatch(/tocsin: the editor exited with 127: no-such-editor; set EDITOR/)
    expect(keptFile(missing.stderr)).toBe("")
  })

  const command = (args: string) => `"${process.execPath}" apps/server/dist/tocsin.mjs ${args} > /dev/null`

  const others = (text: string): string => {
    const file = join(scratch, "others.yaml")
    writeFileSync(file, text)
    return command(`apply -f ${file}`)
  }

  it("spec/definitions §15: keeps what someone else has changed meanwhile", async () => {
    const described = definitions(0.99).replace("spec:\n", "spec:\n  description: By someone else\n")
    const merged = await edit(editor("merged", others(described), replace("target: 0.99", "target: 0.8")))
    expect(merged).toEqual({
      code: 0,
      stdout: "SLO default/checkout updated\n",
      stderr: "Merged with changes by someone else: spec.description\n",
    })
    const { stdout } = await tocsin(["get", "slo", "checkout", "-o", "json"], environment())
    expect(JSON.parse(stdout)[0].spec).toMatchObject({
      description: "By someone else",
      objectives: [{ target: 0.8 }],
    })
  })

  it("spec/definitions §15: opens the file again when both have changed the same value", async () => {
    const seen = join(scratch, "conflict.yaml")
    const choosing = editor(
      "choosing",
      `if grep -q "Someone else" "$1"; then cp "$1" ${seen}; sed -i '/^# Delete this line/d' "$1"`,
      `else ${others(definitions(0.5))}; ${replace("target: 0.99", "target: 0.8")}; fi`,
    )
    expect(await edit(choosing)).toEqual({ code: 0, stdout: "SLO default/checkout updated\n", stderr: "" })
    expect(await target()).toBe(0.8)
    expect(readFileSync(seen, "utf8")).toContain(
      [
        "# Someone else has changed the same values. The file has your values:",
        "#   spec.objectives[good].target",
        "#     yours:  0.8",
        "#     stored: 0.5",
        "#     before: 0.99",
        "# Delete this line when the values are as you want them.",
      ].join("\n"),
    )
    await apply(0.99)
    const undecided = await edit(
      editor(
        "undecided",
        `grep -q "Someone else" "$1" || { ${others(definitions(0.6))}; ${replace("target: 0.99", "target: 0.7")}; }`,
      ),
    )
    expect([undecided.code, undecided.stdout]).toEqual([1, ""])
    expect(undecided.stderr).toContain(
      "tocsin: SLO default/checkout not edited: someone else has changed the same values",
    )
    expect(readFileSync(keptFile(undecided.stderr), "utf8")).toContain("target: 0.7")
    expect(await target()).toBe(0.6)
  })

  it("spec/definitions §15: opens both changes again when they are rejected together", async () => {
    const seen = join(scratch, "merged.yaml")
    const described = definitions(0.99).replace("spec:\n", "spec:\n  description: By someone else\n")
    const rejected = editor(
      "rejected-merge",
      `if grep -q rejected "$1"; then cp "$1" ${seen}; ${replace("service: none", "service: web")}`,
      `else ${others(described)}; ${replace("service: web", "service: none")}; ${replace("target: 0.99", "target: 0.8")}; fi`,
    )
    expect(await edit(rejected)).toMatchObject({ code: 0, stdout: "SLO default/checkout updated\n" })
    const text = readFileSync(seen, "utf8")
    expect(text).toMatch(/^# This definition was rejected:\n# {3}.*spec\.service/m)
    for (const part of ["description: By someone else", "service: none", "target: 0.8"])
      expect(text).toContain(part)
    const { stdout } = await tocsin(["get", "slo", "checkout", "-o", "json"], environment())
    expect(JSON.parse(stdout)[0].spec).toMatchObject({
      description: "By someone else",
      objectives: [{ target: 0.8 }],
    })
  })

  it("applies nothing when the object was deleted meanwhile", async () => {
    const deleted = await edit(
      editor("deleted", command("delete slo checkout"), replace("target: 0.99", "target: 0.8")),
    )
    expect(deleted.stderr).toContain("was deleted while you edited it")
    expect(existsSync(keptFile(deleted.stderr))).toBe(true)
    expect((await edit("true")).stderr).toContain("SLO not found in project default: checkout")
    expect((await edit("true", "alert", "none")).code).toBe(1)
  })
})
