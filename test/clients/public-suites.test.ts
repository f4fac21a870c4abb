import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { type Running, startTocsin } from "../server/child-process.ts"

/** The folder with checkouts of the public clients, each by its name; they are built where they are. */
const checkouts = process.env["TOCSIN_CLIENTS"] ?? ""

const folder = mkdtempSync(join(tmpdir(), "tocsin-clients-"))

/** As the service's IDs of users are. */
const clientId = "00uAAAAAAAAAAAAAAAAA"
const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"

let server: Running
let url = ""

beforeAll(async () => {
  const missing = ["nobl9-go", "sloctl", "terraform-provider-nobl9"].filter(
    (name) => !existsSync(join(checkouts, name, "go.mod")),
  )
  if (checkouts === "" || missing.length > 0) {
    throw new Error(
      `Set TOCSIN_CLIENTS to a folder with checkouts of the public clients; missing: ${missing.join(", ")}`,
    )
  }
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  server = startTocsin(["serve"], {
    PORT: port,
    TOCSIN_BASE_URL: url,
    TOCSIN_STORE: "memory",
    TOCSIN_VENDOR_PREFIX: "n9",
    TOCSIN_ALLOW_UNSUPPORTED: "on",
    TOCSIN_MASTER_KEY: Buffer.alloc(32, 6).toString("base64"),
    TOCSIN_LOG_LEVEL: "warning",
    TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([
      { organization: "acme", clientId, clientSecret, role: "admin" },
    ]),
  })
  await server.until(/listening on/)
})

afterAll(async () => {
  server?.kill("SIGTERM")
  await server?.ended
  rmSync(folder, { recursive: true, force: true })
})

/** What the clients are told: the server, and a proxy that does not exist for every other host. */
const clientEnvironment = (): Readonly<Record<string, string>> => ({
  PATH: `${folder}:${process.env["PATH"] ?? ""}`,
  HOME: folder,
  TMPDIR: folder,
  LANG: "C.UTF-8",
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  CHECKPOINT_DISABLE: "1",
  ...Object.fromEntries(
    ["NOBL9_SDK_", "SLOCTL_", "TERRAFORM_NOBL9_"].flatMap((prefix) =>
      Object.entries({
        CLIENT_ID: clientId,
        CLIENT_SECRET: clientSecret,
        URL: `${url}/api`,
        OKTA_ORG_URL: url,
        OKTA_AUTH_SERVER: "acme",
        ORGANIZATION: "acme",
        NO_CONFIG_FILE: "true",
      }).map(([name, value]) => [`${prefix}${name}`, value]),
    ),
  ),
  NOBL9_CLIENT_ID: clientId,
  NOBL9_CLIENT_SECRET: clientSecret,
  NOBL9_URL: `${url}/api`,
  NOBL9_OKTA_URL: url,
  NOBL9_OKTA_AUTH: "acme",
  NOBL9_ORG: "acme",
  NOBL9_NO_CONFIG_FILE: "true",
})

/** Runs a program to its end, whatever it thinks of its tests, and gives what it prints. */
const output = (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
) =>
  new Promise<string>((resolve, reject) => {
    const child = execFile(program, args, { cwd, env, maxBuffer: 1e9 }, (cause, stdout, stderr) => {
      // A program that ran its tests and failed has an exit code; one that could not be started has none.
      if (cause !== null && typeof cause.code !== "number") reject(cause)
      else resolve(`${stdout}${stderr}`)
    })
    // `sloctl get alert` reads names from stdin to its end.
    child.stdin?.end()
  })

/** Builds with the modules of the machine, which may come from a registry. */
const go = async (client: string, ...args: ReadonlyArray<string>) => {
  const printed = await output("go", args, join(checkouts, client), process.env)
  if (printed.includes("FAIL") || /^# /m.test(printed)) throw new Error(`go ${args.join(" ")}\n${printed}`)
}

/** How many tests passed, subtests included. */
const goSuite = async (
  client: string,
  package_: string,
  tags: ReadonlyArray<string>,
  more: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const program = join(folder, `${client}-${package_.replaceAll("/", "-")}.test`)
  await go(client, "test", "-c", ...tags, "-o", program, `./${package_}`)
  const printed = await output(program, ["-test.v", "-test.timeout=30m"], join(checkouts, client, package_), {
    ...clientEnvironment(),
    ...more,
  })
  return logged(client, package_, printed).match(/^ *--- PASS: /gm)?.length ?? 0
}

/** The tests of sloctl in Bash, which change their own files. */
const batsSuite = async (): Promise<number> => {
  await go("sloctl", "build", "-o", join(folder, "sloctl"), "./cmd/sloctl")
  const copy = join(folder, "sloctl-tests")
  mkdirSync(copy)
  cpSync(join(checkouts, "sloctl", "test"), join(copy, "test"), { recursive: true })
  const printed = await output("bats", ["--formatter", "tap", "--filter-tags", "e2e", "test"], copy, {
    ...clientEnvironment(),
    npm_config_offline: "true",
    SLOCTL_GIT_REVISION: "test",
    TERM: "linux",
  })
  return logged("sloctl", "bats", printed).match(/^ok \d+ (?!.*# skip)/gm)?.length ?? 0
}

/** Keeps the output, where TOCSIN_CLIENTS_LOGS says, to read why a test failed. */
const logged = (client: string, suite: string, printed: string): string => {
  const logs = process.env["TOCSIN_CLIENTS_LOGS"]
  if (logs !== undefined) writeFileSync(join(logs, `${client}-${suite.replaceAll("/", "-")}.log`), printed)
  return printed
}

/** The passing tests that the table of docs/spec/clients.md records for a suite. */
const recorded = (suite: string): number => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/spec/clients.md"), "utf8")
  const row = page.split("\n").find((line) => line.startsWith(`| ${suite} `)) ?? ""
  return Number(row.split("|")[2])
}

const terraform = {
  TF_ACC: "1",
  TF_ACC_TERRAFORM_PATH: process.env["TF_ACC_TERRAFORM_PATH"] ?? "/usr/local/bin/terraform",
}

const suites: Readonly<Record<string, () => Promise<number>>> = {
  "SDK end-to-end": () => goSuite("nobl9-go", "tests", ["-tags=e2e_test"]),
  "Terraform provider acceptance": () => goSuite("terraform-provider-nobl9", "nobl9", [], terraform),
  "Terraform provider framework": () =>
    goSuite("terraform-provider-nobl9", "internal/frameworkprovider", [], terraform),
  "Command line (bats)": batsSuite,
}

describe("the public test suites of the clients", () => {
  it.each(Object.entries(suites))(
    "spec/clients §11: %s: at least as many tests pass as are recorded",
    async (suite, run) => {
      const passed = await run()
      process.stderr.write(`${suite}: ${passed} tests passed\n`)
      expect(recorded(suite)).toBeGreaterThan(0)
      expect(passed).toBeGreaterThanOrEqual(recorded(suite))
    },
    3_600_000,
  )
})
