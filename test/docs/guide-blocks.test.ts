import { execFileSync, spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { makeCertificates } from "../egress/certificates.ts"
import { listen } from "../egress/listen.ts"
import { freePort } from "../FreePort.ts"
import { startPrometheus } from "../indicator/PrometheusServer.ts"
import { makeDatabaseFolder, removeDatabaseFolder } from "../Watchdog.ts"
import { startSystemPostgres, systemPostgres } from "./SystemPostgres.ts"
import { files, januaryCounts } from "./GuideFixtures.ts"
import { type Block, blocksOf, GuideShell, patternOf } from "./GuideShell.ts"

const root = join(import.meta.dirname, "../..")
const guides = join(root, "docs/guides")
const pages = readdirSync(guides).toSorted()
const pageText = (page: string): string => readFileSync(join(guides, page), "utf8")
const commandsOf = (page: string): ReadonlyArray<Block> =>
  blocksOf(pageText(page)).filter(({ language }) => language === "sh")

/** Pages whose commands other test files run. */
const elsewhere = ["add-your-team.md", "first-page.md", "api.md"]

/** Blocks that do not run here: how each begins, and why. */
const notRun: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "install.md": {
    "npm run build": "installs from the registry; the tests of the release run the build",
    "./tocsin.mjs serve": "test/server/release.test.ts runs the program alone in a folder",
    "sudo ln -s": "changes the machine",
    "npm run pack": "installs from the registry; test:packed runs the packages",
    "npx --package": "installs from the registry; test:packed runs the package of the server",
    "sudo install -d /opt/tocsin": "changes the machine; test:packaging runs the unit",
    "sudo systemd-run": "needs systemd; test:packaging runs the unit",
    "docker build": "needs Docker; test:packaging builds and runs the image",
    "deploy/compose/env.sh": "needs Docker; test:packaging checks the Compose files",
    "docker compose exec -T tocsin tocsin apply": "needs Docker",
    "docker compose --profile monitoring": "needs Docker",
    "docker compose exec -T tocsin tocsin get slos": "needs Docker; the commands are those of prometheus.md",
    "docker compose -f compose.yaml": "needs Docker",
    "kubectl create namespace": "needs a cluster; test:packaging checks the chart",
  },
  "incidents.md": {
    "curl -X POST https://tocsin.example.com":
      "has the URL of a receiver; test/e2e/status-page-subscription.test.ts subscribes webhooks",
  },
  "reviews.md": {
    "tocsin review create":
      "has the dates of a quarter; packages/adapters-http/test/http/reviews.test.ts creates reviews",
    "tocsin report generate": "saves a file; test/e2e/reports.test.ts draws a saved report",
    "tocsin review list":
      "has the ID of a review; packages/adapters-http/test/http/reviews.test.ts reads reviews",
  },
  "operations.md": {
    "export OTEL_EXPORTER_OTLP_ENDPOINT":
      "sets variables only; test/server/telemetry.test.ts exports with them",
  },
  "runbooks.md": {
    "docker compose stop tocsin": "needs Docker; the commands are those of the block before it",
  },
  "scaling.md": {
    "tocsin database distribute": "needs Citus; the test below runs it without",
    "for port in 5432": "needs Citus",
    TOCSIN_TEST_WORKER: "needs Citus",
  },
  "verify-a-notification.md": {
    "kill %1 %2": "restarts programs of the README; apps/cli/test forwards notifications",
    "TOCSIN_BASE_URL=http": "runs until it is stopped; test:languages runs the receiver",
    "sed -i.bak": "continues in the shell of the README",
    "node --import tsx": "runs until it is stopped; test:languages runs the receiver",
    "export TOCSIN_BASE_URL": "sets the variables of the receivers below, which test:languages runs",
    "python3 -m venv": "installs from the registry; test:languages runs the receiver",
    "go mod init": "needs Go; test:languages runs the receiver",
  },
  "write-an-adapter.md": {
    "npm install effect": "installs from the registry; test/server/store.test.ts runs servers with modules",
    "npm install @tocsin/domain": "installs from the registry; test:packed runs the suites",
  },
}

/** Pages for users of a server that run after prometheus.md, in this order. */
const laterPages = ["openslo.md", "alerting.md", "incidents.md", "slos.md", "delivery.md", "command-line.md"]

/** Pages for operators, which stop the server and need PostgreSQL. */
const ofOperators = ["operations.md", "backup.md", "runbooks.md"]

const reasonNotToRun = (page: string, code: string): string | undefined =>
  Object.entries(notRun[page] ?? {}).find(([start]) => code.startsWith(start))?.[1]

const isInstalled = (program: string): boolean =>
  spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0

const missing = ["jq", "openssl", "promtool", "pg_dump", "pg_restore", "createdb", "psql"].filter(
  (program) => !isInstalled(program),
)
const missingFor = (code: string): ReadonlyArray<string> =>
  missing.filter((program) => new RegExp(`\\b${program} `).test(code))

describe("the guides", () => {
  it("have no block of commands that neither a test runs nor the list above explains", () => {
    const run = ["tls.md", "prometheus.md", ...laterPages, "assistants.md", ...ofOperators, ...elsewhere]
    const unexplained = pages
      .filter((page) => !run.includes(page))
      .flatMap((page) => commandsOf(page).map(({ code }) => ({ page, code })))
      .filter(({ page, code }) => reasonNotToRun(page, code) === undefined)
    expect(unexplained).toEqual([])
  })

  it("have each block that the list above explains", () => {
    for (const [page, reasons] of Object.entries(notRun))
      for (const start of Object.keys(reasons))
        expect(
          commandsOf(page).filter(({ code }) => code.startsWith(start)),
          `${page}: ${start}`,
        ).toHaveLength(1)
  })
})

/** Runs each block of a page as a test, and compares what it prints with the text below it. */
const runPage = (
  page: string,
  shell: () => GuideShell,
  adapted: (code: string) => string,
  steps: Readonly<Record<string, (shell: GuideShell) => Promise<unknown>>> = {},
): void => {
  const blocks = blocksOf(pageText(page)).filter(
    ({ language, code }) => language === "sh" && reasonNotToRun(page, code) === undefined,
  )
  for (const [index, { code, expected }] of blocks.entries()) {
    const without = missingFor(code)
    const title = `${page}: block ${index + 1} of ${blocks.length} prints what is below it`
    it.skipIf(without.length > 0)(
      without.length === 0 ? title : `${title} (needs ${without.join(", ")})`,
      async () => {
        for (const [start, step] of Object.entries(steps)) if (code.startsWith(start)) await step(shell())
        const printed = await shell().run(adapted(code))
        if (expected !== undefined) expect(printed).toMatch(patternOf(adapted(expected)))
      },
    )
  }
}

/** The day that examples call 2026-01-31 is today. */
const daysLater = Math.floor(Date.now() / 86_400_000) - Date.parse("2026-01-31T00:00:00Z") / 86_400_000
const withDates = (text: string): string =>
  text.replaceAll(/\b202[56]-\d\d-\d\d(?=T\d)/g, (day) =>
    new Date(Date.parse(day) + daysLater * 86_400_000).toISOString().slice(0, 10),
  )

/** Sends an alert of another system, which notifies `on-call`. */
const sendAlert = `'${process.execPath}' --input-type=module -e '
const response = await fetch(process.env.TOCSIN_URL + "/api/alerts", {
  method: "POST",
  headers: { authorization: "Bearer " + process.argv[1], organization: "acme", "content-type": "application/json" },
  body: JSON.stringify({
    status: "triggered",
    alertId: "burn-42",
    slo: { name: "refund-latency", project: "shop" },
    alertMethods: [{ name: "on-call", project: "shop" }],
  }),
})
if (!response.ok) throw new Error(await response.text())
' "$(tocsin token)"`

/** Calls a tool as an assistant with the file `mcp.json` does. */
const callTool = (name: string, parameters: object): string => `'${process.execPath}' --input-type=module -e '
import { readFileSync } from "node:fs"
const [encoded, params] = process.argv.slice(1)
const { url, headers } = JSON.parse(readFileSync("mcp.json", "utf8").replace("YOUR-ENCODED-CREDENTIALS", encoded)).mcpServers.tocsin
const response = await fetch(url, {
  method: "POST",
  headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: JSON.parse(params) }),
})
console.log(await response.text())
' "$encoded" '${JSON.stringify({ name, arguments: parameters })}'`

/** Ends when the server is ready. */
const untilReady = `
const ask = (left) => fetch(process.env.TOCSIN_URL + "/readyz").then(
  ({ ok }) => ok || Promise.reject(new Error("not ready")),
).catch((cause) => left === 0 ? Promise.reject(cause) : new Promise((next) => setTimeout(next, 200)).then(() => ask(left - 1)))
ask(600)`

const secret = "0123456789abcdef0123456789abcdef0123456789A"

describe("commands of the guides", () => {
  let folder: string
  let environment: Readonly<Record<string, string>>
  let operator: GuideShell
  const replaced = new Map<string, string>()
  const adapted = (text: string): string =>
    [...replaced].reduce((code, [from, to]) => code.replaceAll(from, to), withDates(text))

  /** A shell in the folder of the files, with a command line. */
  const openShell = async (own: Readonly<Record<string, string>> = {}): Promise<GuideShell> => {
    const shell = new GuideShell(folder, { ...environment, ...own })
    await shell.run(`
      tocsin() { '${process.execPath}' '${join(root, "apps/server/dist/tocsin.mjs")}' "$@"; }
      kubectl() { cat "$2.yaml"; }
      start() { '${process.execPath}' '${join(root, "apps/server/dist/tocsin.mjs")}' serve & server=$!; }
      stop() { kill $server; wait $server || true; }
    `)
    return shell
  }

  /** Runs a page in a shell of its own; then what its sentences promise is tested in the same shell. */
  const runUserPage = (
    page: string,
    promises: Readonly<Record<string, (shell: GuideShell) => Promise<void>>> = {},
  ): void => {
    describe(page, () => {
      let shell: GuideShell
      beforeAll(async () => {
        shell = await openShell()
        return () => shell.close()
      })
      runPage(page, () => shell, adapted)
      for (const [promise, test] of Object.entries(promises)) it(promise, () => test(shell))
    })
  }

  beforeAll(async () => {
    execFileSync(process.execPath, [join(root, "scripts/bundle.mjs")])
    folder = makeDatabaseFolder()
    const { ca, cert, key } = await makeCertificates()
    const at = (name: string) => join(folder, name)
    for (const [name, content] of Object.entries({ "ca.crt": ca, "tls.crt": cert, "tls.key": key }))
      writeFileSync(at(name), content)
    writeFileSync(at("secret.txt"), secret)
    const port = await freePort()
    const prometheus = await startPrometheus(
      ({ query }) =>
        () =>
          query.includes("total") ? 120 : 118,
    )
    const url = `https://127.0.0.1:${port}`
    const receiver = await listen(createServer({ cert, key }, (_, response) => void response.end()))
    for (const [from, to] of [
      ["/etc/tocsin/", `${folder}/`],
      ["https://tocsin.internal:8080", url],
      ["my-client-id", "ana"],
      ["tocsin.example.com", `127.0.0.1:${port}`],
      ["--client-id 5f1c", "--client-id ana"],
      ["https://hooks.example.com", `https://localhost:${receiver.port}`],
      ["http://prometheus.internal:9090", prometheus.url],
    ] as const)
      replaced.set(from, to)
    const { PATH = "" } = process.env
    environment = {
      PATH,
      HOME: folder,
      PORT: port,
      TOCSIN_URL: url,
      TOCSIN_ORGANIZATION: "acme",
      TOCSIN_CLIENT_ID: "ana",
      TOCSIN_CLIENT_SECRET: secret,
      SECRET: secret,
      TOCSIN_DATA_DIR: at(".tocsin"),
      TOCSIN_BASE_URL: url,
      TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.1/32,::1/128",
      TOCSIN_EGRESS_CA_FILE: at("ca.crt"),
      TOCSIN_DRAIN_SECONDS: "0",
      TOCSIN_LOG_FORMAT: "text",
      TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([
        { organization: "acme", clientId: "ana", clientSecret: secret, role: "editor" },
      ]),
    }
    operator = await openShell()
    return async () => {
      operator.close()
      await prometheus.close()
      await receiver.close()
      removeDatabaseFolder(folder)
    }
  })

  runPage("tls.md", () => operator, adapted, {
    NODE_EXTRA_CA_CERTS: async (shell) => {
      await shell.run("start")
      await shell.until((output) => output.includes("listening on "))
      const ca = join(folder, "ca.crt")
      environment = { ...environment, NODE_EXTRA_CA_CERTS: ca, SSL_CERT_FILE: ca }
    },
  })

  it("have the objects and files that they take for granted", async () => {
    const [adjustment = ""] = blocksOf(pageText("slos.md"))
      .filter(({ code }) => code.includes("kind: BudgetAdjustment"))
      .map(({ code }) => code)
    const all = { ...files, "adjustment.yaml": adjustment, "january.csv": januaryCounts() }
    for (const [name, content] of Object.entries(all)) writeFileSync(join(folder, name), adapted(content))
    const shell = await openShell()
    await shell.run("tocsin apply -f objects.yaml")
    shell.close()
  })

  runUserPage("prometheus.md")

  it("have the counts, reports and deliveries that they take for granted", async () => {
    const shell = await openShell()
    await shell.run("tocsin apply -f latency.yaml")
    await shell.run("tocsin import -f january.csv -p shop --slo checkout-latency --objective fast")
    const day = (date: string) => withDates(`${date}T00:00:00Z`)
    await shell.run(
      `tocsin report create checkout-latency -p shop --from ${day("2026-01-01")} --to ${day("2026-01-30")}`,
    )
    const idIn = (text: string): string => /[\da-f]{8}-[\da-f-]{27}/.exec(text)?.[0] ?? ""
    replaced.set("019c1700-13c0-7a52-9d1e-2f6a1b8c4d07", idIn(await shell.run("tocsin report list -p shop")))
    await shell.run(sendAlert)
    replaced.set("0198e2d6-5e0a-7c53-9b04-1f6f0c1c9d11", idIn(await shell.run("tocsin delivery list")))
    expect([...replaced.values()]).not.toContain("")
    shell.close()
  })

  for (const page of laterPages) runUserPage(page)

  runUserPage("assistants.md", {
    "is of a viewer, who can read SLOs and change nothing": async (shell) => {
      const { code: configuration = "" } =
        blocksOf(pageText("assistants.md")).find(({ language }) => language === "json") ?? {}
      writeFileSync(join(folder, "mcp.json"), adapted(configuration))
      await shell.run(`encoded="$( ${commandsOf("assistants.md")[0]?.code.trim()})"`)
      expect(await shell.run(callTool("list_slos", {}))).toContain("checkout-latency")
      const changed = { definitions: [], confirm: true }
      expect(await shell.run(callTool("apply", changed))).toContain("insufficient_permissions")
    },
  })

  describe.skipIf(systemPostgres === undefined)(
    systemPostgres === undefined ? "of operators (need PostgreSQL and its pg_dump)" : "of operators",
    () => {
      const ofDatabases = new Map<string, string>()
      const onDatabases = (text: string): string =>
        [...ofDatabases]
          .reduce((code, [from, to]) => code.replaceAll(from, to), adapted(text))
          .replaceAll(/^(tocsin serve|# Restart the server with both variables.*)$/gm, "start; ready")
      let own: Readonly<Record<string, string>>
      /** Runs statements as the superuser of a server. */
      const psql = (
        port: string | undefined,
        database: string,
        ...statements: ReadonlyArray<string>
      ): string => {
        const where = ["-h", "127.0.0.1", "-p", port ?? "", "-U", "postgres", "-d", database]
        const commands = statements.flatMap((statement) => ["-c", statement])
        return execFileSync("psql", ["-qAt", "-v", "ON_ERROR_STOP=1", ...where, ...commands], {
          encoding: "utf8",
        })
      }
      const urlOf = (database: string): string =>
        `postgres://tocsin@127.0.0.1:${own["DATABASE_PORT"]}/${database}`

      const openOperatorShell = async (): Promise<GuideShell> => {
        const shell = await openShell(own)
        await shell.run(`ready() { '${process.execPath}' -e '${untilReady}'; }`)
        return shell
      }

      beforeAll(async () => {
        await operator.run("stop")
        const tls = await makeCertificates({ commonName: "tocsin", ips: ["127.0.0.1"] })
        const programs = systemPostgres ?? ""
        const servers = await Promise.all([
          startSystemPostgres(programs, join(folder, "db"), tls),
          startSystemPostgres(programs, join(folder, "new-db"), tls),
        ])
        const [port = "", newPort = ""] = servers.map((server) => server.port)
        const masterKey = readFileSync(join(folder, ".tocsin/master-key"), "utf8").trim()
        const all = {
          "db-ca.pem": tls.ca,
          "client.pem": tls.cert,
          "client.key": tls.key,
          "master-key": masterKey,
        }
        for (const [name, content] of Object.entries(all))
          writeFileSync(join(folder, name), content, { mode: 0o600 })
        for (const [from, to] of [
          ["--host=new-db.internal", `--host=127.0.0.1 --port=${newPort}`],
          ["--host=db.internal", `--host=127.0.0.1 --port=${port}`],
          ["new-db.internal/", `127.0.0.1:${newPort}/`],
          ["db.internal:5432/", `127.0.0.1:${port}/`],
          ["db.internal/", `127.0.0.1:${port}/`],
          ["tocsin@127.0.0.1/tocsin", `tocsin@127.0.0.1:${port}/moved`],
        ] as const)
          ofDatabases.set(from, to)
        own = {
          TOCSIN_URL: `http://127.0.0.1:${environment["PORT"]}`,
          TOCSIN_MASTER_KEY: masterKey,
          TOCSIN_EGRESS_CA_FILE: join(folder, "ca.crt"),
          DATABASE_PORT: port,
        }
        const [roles = ""] = blocksOf(pageText("operations.md"))
          .filter(({ language }) => language === "sql")
          .map(({ code }) => code)
        const databases = ["restored", "moved"].map((name) => `CREATE DATABASE ${name} OWNER tocsin`)
        psql(port, "postgres", ...roles.split("\n"), ...databases)
        psql(newPort, "postgres", "CREATE ROLE tocsin LOGIN")
        return async () => {
          for (const server of servers) await server.stop()
        }
      })

      let shell: GuideShell
      beforeAll(async () => {
        shell = await openOperatorShell()
        return () => shell.close()
      })

      runPage("operations.md", () => shell, onDatabases, {
        pg_dump: (shell) =>
          shell.run(`
            (unset DATABASE_URL; tocsin database export all.ndjson.gz)
            tocsin database import all.ndjson.gz
          `),
        pg_restore: (shell) => shell.run(`export DATABASE_URL=${urlOf("restored")}`),
        "tocsin database export": (shell) => shell.run("unset DATABASE_URL"),
      })

      it("copy everything by a dump and by an export", async () => {
        const printed = await shell.run(`
          for database in ${urlOf("tocsin")} ${urlOf("restored")} ${urlOf("moved")}; do DATABASE_URL=$database tocsin doctor; done
        `)
        expect(printed.match(/ok +schema +\S+/g)).toHaveLength(3)
        expect(printed.match(/ok +stored secrets +(?!none)/g)).toHaveLength(3)
        const counts = ["tocsin", "restored", "moved"].map((database) =>
          psql(
            own["DATABASE_PORT"],
            database,
            "SELECT count(*) FROM definitions",
            "SELECT count(*) FROM deliveries",
          ),
        )
        expect(new Set(counts).size).toBe(1)
        expect(counts[0]).toMatch(/^[1-9]/)
      })

      runPage("backup.md", () => shell, onDatabases, {
        pg_dump: (shell) => shell.run(`export DATABASE_URL=${urlOf("tocsin")}`),
        "tocsin database export": (shell) => shell.run("unset DATABASE_URL"),
      })

      it("find a noisy organization by the statements of runbooks.md, all of which work", () => {
        const statements = blocksOf(pageText("runbooks.md"))
          .filter(({ language }) => language === "sql")
          .map(({ code }) => code)
        expect(statements).toHaveLength(7)
        expect(psql(own["DATABASE_PORT"], "tocsin", ...statements)).toContain("acme|SLO|")
      })

      runPage("runbooks.md", () => shell, onDatabases, {
        "# 1. Stop all servers. Then, with": (shell) => shell.run("stop; rm tocsin.ndjson.gz"),
        "# Store this file where": (shell) => shell.run("stop"),
      })

      it("report what is missing if the server is not a coordinator of Citus", async () => {
        const [distribute] = commandsOf("scaling.md")
        const printed = await shell.run(`${distribute?.code.trim()} || echo "exit code $?"`)
        expect(printed).toContain("exit code 1")
        expect(printed).toMatch(/citus/i)
      })
    },
  )
})
