import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { scratch, startTocsin, tocsin } from "./child-process.ts"
import { masterKey, useMemoryServer } from "./memory-server.ts"

const environment = useMemoryServer()

/** A context file of its own for each test. */
const newFile = (content?: string): string => {
  const file = join(mkdtempSync(join(scratch, "config-")), "tocsin", "config.yaml")
  if (content !== undefined) {
    const existing = join(file, "../../given.yaml")
    writeFileSync(existing, content, { mode: 0o600 })
    return existing
  }
  return file
}

const login = async (file: string, secret: string, ...flags: ReadonlyArray<string>) => {
  const { TOCSIN_URL = "" } = environment()
  const running = startTocsin(
    ["login", "--url", TOCSIN_URL, "--organization", "acme", "--client-id", "me", ...flags],
    { TOCSIN_CONFIG: file },
  )
  running.write(secret)
  return running.ended
}

const stdinFlag = "--client-secret-stdin"

const secretOf = () => environment()["TOCSIN_CLIENT_SECRET"] ?? ""

describe("contexts", () => {
  it("store a credential that is checked, for commands that then need no variables", async ({ expect }) => {
    const file = newFile()
    const wrong = await login(file, "0123456789abcdef0123456789abcdef0123456789B\n", stdinFlag)
    expect([wrong.code, wrong.stdout]).toEqual([1, ""])
    expect(wrong.stderr).toMatch(/invalid client ID or secret/i)
    const empty = await login(file, "\n", stdinFlag)
    expect(empty).toMatchObject({ code: 1, stdout: "" })
    expect(empty.stderr).toContain("stdin is empty; pipe the client secret into the command")
    const spaced = await tocsin(["credentials", "create", "--organization", "acme corp"], {
      TOCSIN_URL: environment()["TOCSIN_URL"] ?? "",
      TOCSIN_MASTER_KEY: masterKey,
    })
    expect(spaced.stderr).toContain(
      "TOCSIN_ORGANIZATION (or --organization) must be 1 to 253 visible ASCII characters, without spaces",
    )
    expect(() => statSync(file)).toThrow("ENOENT")

    const { code, stdout } = await login(file, `${secretOf()}\n`, stdinFlag)
    expect([code, stdout]).toEqual([
      0,
      `Signed in to ${environment()["TOCSIN_URL"]}. Selected context acme\n`,
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const read = await tocsin(["get", "projects", "-A", "-o", "json"], { TOCSIN_CONFIG: file })
    expect([read.code, JSON.parse(read.stdout)]).toEqual([0, expect.any(Array)])
    const listed = await tocsin(["config", "get-contexts"], { TOCSIN_CONFIG: file })
    expect(listed.stdout).toMatch(/^CURRENT +NAME .*\n\* +acme +http:\/\/127\.0\.0\.1:\d+ +acme +me\n$/)
    expect(listed.stdout).not.toContain(secretOf())

    // The operator's commands use the server of the context too.
    const operated = await tocsin(["credentials", "list"], {
      TOCSIN_CONFIG: file,
      TOCSIN_MASTER_KEY: masterKey,
    })
    expect([operated.code, operated.stderr]).toEqual([0, ""])
  })

  it("ask for nothing without a terminal, but name everything that is missing", async ({ expect }) => {
    const file = newFile()
    const running = startTocsin(["login"], { TOCSIN_CONFIG: file })
    running.write("")
    const { code, stderr } = await running.ended
    expect(code).toBe(1)
    for (const variable of ["TOCSIN_ORGANIZATION", "TOCSIN_CLIENT_ID", "TOCSIN_CLIENT_SECRET"])
      expect(stderr).toContain(`${variable} `)
  })

  it("give way to variables and flags, and send their secret to no other server", async ({ expect }) => {
    const { TOCSIN_URL = "" } = environment()
    const file = newFile(
      [
        "currentContext: other",
        "contexts:",
        "  - { name: other, url: http://127.0.0.1:9, organization: x, clientId: y, clientSecret: z }",
        `  - { name: mine, url: "${TOCSIN_URL}/", organization: acme, clientId: me, clientSecret: "${secretOf()}" }`,
      ].join("\n"),
    )
    const run = (args: ReadonlyArray<string>, own: Readonly<Record<string, string>> = {}) =>
      tocsin(args, { TOCSIN_CONFIG: file, ...own })
    expect((await run(["token"])).stderr).toContain("cannot connect to http://127.0.0.1:9")
    expect(await run(["token"], { TOCSIN_CONTEXT: "mine" })).toMatchObject({ code: 0, stderr: "" })
    expect(await run(["token"], environment())).toMatchObject({ code: 0, stderr: "" })
    expect((await run(["token", "--url", TOCSIN_URL])).stderr).toMatch(
      /TOCSIN_ORGANIZATION .*\nTOCSIN_CLIENT_ID .*\nTOCSIN_CLIENT_SECRET /,
    )
    expect((await run(["token"], { TOCSIN_CONTEXT: "mine", TOCSIN_CLIENT_ID: "else" })).stderr).toMatch(
      /^tocsin: TOCSIN_CLIENT_SECRET is required/,
    )
    expect((await run(["token"], { TOCSIN_CONTEXT: "mien" })).stderr).toBe(
      "tocsin: context not found: mien; did you mean mine?\n",
    )
  })

  it("are created, selected, changed and deleted", async ({ expect }) => {
    const file = newFile()
    const config = async (...args: ReadonlyArray<string>) => {
      const { code, stdout, stderr } = await tocsin(["config", ...args], { TOCSIN_CONFIG: file })
      return [code, stdout, stderr]
    }
    expect(await config("current-context")).toEqual([
      1,
      "",
      expect.stringContaining("no context is selected"),
    ])
    expect(await config("set-context", "a", "--url", "https://a.example")).toEqual([
      0,
      "Created context a\n",
      "",
    ])
    expect(await config("set-context", "a", "--organization", "acme")).toEqual([0, "Changed context a\n", ""])
    expect(await config("set-context", "b c", "--url", "ftp://b")).toEqual([
      1,
      "",
      expect.stringMatching(/^tocsin: invalid context: name must have .*; url must be a URL /),
    ])
    expect(await config("use-context", "a")).toEqual([0, "Selected context a\n", ""])
    expect(await config("current-context")).toEqual([0, "a\n", ""])
    expect(readFileSync(file, "utf8")).toBe(
      "currentContext: a\ncontexts:\n  - name: a\n    url: https://a.example\n    organization: acme\n",
    )
    expect(await config("delete-context", "a")).toEqual([
      0,
      "Deleted context a\n",
      "No context is selected now.\n",
    ])
    expect(await config("use-context", "a")).toEqual([1, "", expect.stringContaining("has no contexts")])
  })

  it("keep a secret from moving to another server", async ({ expect }) => {
    const file = newFile("contexts: [{ name: a, url: https://a.example, clientSecret: s3cr3t }]")
    const moved = await tocsin(["config", "set-context", "a", "--url", "https://b.example"], {
      TOCSIN_CONFIG: file,
    })
    expect([moved.code, moved.stderr]).toEqual([1, expect.stringContaining("of another server")])
  })

  it("are reported with every issue when the file is wrong, and with a warning when others can read it", async ({
    expect,
  }) => {
    const wrong = newFile("currentContext: 7\ncontexts: [{ name: a, clientSecret: 5 }, { name: a }]")
    const { code, stderr } = await tocsin(["config", "get-contexts"], { TOCSIN_CONFIG: wrong })
    expect([code, stderr]).toEqual([
      1,
      [
        `tocsin: ${wrong}:`,
        "  contexts[0].clientSecret must be a string: put it in quotes",
        "  currentContext must be a string: put it in quotes",
        "",
      ].join("\n"),
    ])
    const open = newFile("contexts: [{ name: a }]")
    chmodSync(open, 0o644)
    const listed = await tocsin(["config", "get-contexts"], { TOCSIN_CONFIG: open })
    expect([listed.code, listed.stderr]).toEqual([
      0,
      `tocsin: warning: other users can access ${open}, which has client secrets; run \`chmod 600 ${open}\`\n`,
    ])
  })
})
