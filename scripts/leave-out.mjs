// Leaves one feature out of the lists at a time, compiles, and runs the tests of everything else:
// npm run test:features, or npm run test:features -- annotations
//
// What cannot be left out by lines: kinds, which the evaluation of SLOs reads (data sources with their polls and backfills,
// silences); and channels, which alert methods name.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

const lists = {
  domain: "packages/domain/src/participants/AllParticipants.ts",
  store: "packages/domain/src/participants/StoreParticipants.ts",
  pg: "packages/adapters-pg/src/definition/Participants.ts",
  resources: "packages/adapters-http/src/api/ApiHandlers.ts",
  jobs: "packages/adapters-http/src/server/BackgroundWork.ts",
  commands: "apps/cli/src/Tocsin.ts",
  server: "apps/server/src/server/Layers.ts",
  api: "test/http/api-ports.ts",
  host: "examples/src/embed-core.ts",
}

/** The line of a command of the command line. */
const command = (name, module) =>
  `    ${name}: async () => (await import("./command/${module}Command.ts")).${name}Command,\n`

/**
 * What a feature has in each list, and the tests that need the feature: `own` files by a part of their names, and `within` other
 * files by a part of the test's name. Tests that use all features at once need each.
 */
const features = {
  annotations: {
    lines: {
      domain: "annotations, ",
      store: '  "annotations",\n',
      pg: "  annotations,\n",
      resources: "  annotations: annotationsRoutes,\n",
      commands: command("annotation", "Annotation"),
    },
    own: ["annotation", "client-objects", "client-documents", "mcp", "slo-move"],
    within: ["spec/annotations §"],
  },
  "budget records": {
    lines: {
      domain: ", budgetRecord",
      store: '  "change records",\n',
      pg: '  "change records": changeRecords,\n',
      resources: "  budgetAdjustments: budgetAdjustmentsRoutes,\n",
      commands: command("adjust", "Adjust"),
    },
    own: ["budget-adjustment", "budget-change", "events"],
    within: ["spec/reports §6: is JSON by default", "keeps records of changes"],
  },
  "status pages": {
    lines: {
      domain: "statusPages, ",
      store: '  "status pages",\n',
      pg: '  "status pages": statusPages,\n',
      resources: "  statusPages: statusPagesRoutes,\n",
      jobs: '  statusPages: forkLoop("Notifying subscribers ended", announceUpdates),\n',
      commands: command("subscription", "Subscription"),
    },
    own: ["status-page"],
    within: ["spec/status-pages §1", "spec/console §2: a check has its status"],
  },
  "public clients": {
    lines: {
      server: [
        "clientsApi, ",
        "      clientForm,\n",
        "...clientParticipants({ allowUnsupported: config.allowsUnsupported }),",
      ],
      api: ["clientsApi, ", "    clientForm,\n", ", ...clientParticipants(options)"],
      store: '  "kept documents",\n',
      pg: '  "kept documents": keptDocuments,\n',
    },
    own: ["unsupported", "clients", "oauth"],
    within: ["spec/clients §"],
  },
  "silence notices": {
    lines: {
      store: '  "silence notices",\n',
      pg: '  "silence notices": silenceNotices,\n',
      jobs: '  silenceNotices: forkLoop("Notices of silences ended", sendSilenceNotices),\n',
      host: ["silenceNotices, ", "silenceNotices, "],
    },
    own: ["silence-notices"],
  },
  reports: {
    lines: {
      store: '  "report schedules",\n',
      pg: '  "report schedules": reportSchedules,\n',
      resources: "  reports: reportsRoutes,\n",
      jobs: '  reports: forkLoop("Making reports ended", makeReports),\n',
      commands: command("report", "Report") + command("review", "Review"),
    },
    own: ["report", "review"],
    within: ["spec/clients §3: an SLO moves with everything that is stored"],
  },
  incidents: {
    lines: {
      resources: "  incidents: incidentsRoutes,\n",
      jobs: '  incidents: forkLoop("Grouping alerts ended", groupAlerts),\n',
      commands: command("incident", "Incident"),
    },
    own: ["incident-store", "edit-incident", "postmortem", "incidents.test"],
    within: ["spec/status-pages §2: shows the posts"],
  },
  "pushed indicators": {
    lines: {
      store: '  "pushed indicators",\n',
      pg: '  "pushed indicators": pushedIndicators,\n',
      resources: "  otlp: otlpRoutes,\n",
    },
    own: ["otlp", "pushed"],
  },
  alertmanager: {
    lines: { resources: "  alertmanager: alertmanagerRoutes,\n" },
    own: ["alertmanager", "quotas"],
  },
  backtests: {
    lines: { resources: "  backtests: backtestsRoutes,\n", commands: command("backtest", "Backtest") },
    own: ["backtest", "explain", "held-alerts", "sparse-time-slices"],
  },
  resends: {
    lines: {
      resources: "  resends: resendsRoutes,\n",
      jobs: '  bulkResends: forkLoop("Bulk resends ended", runBulkResends),\n',
      commands: command("resend", "Resend"),
    },
    // The contract of operations is tested by the example of resends.
    own: ["resend", "contract"],
  },
  overview: {
    lines: { resources: "  overview: overviewRoutes,\n" },
    own: ["overview"],
  },
  assistants: {
    lines: { server: ", mcpApi", api: ", mcpApi" },
    own: ["mcp"],
  },
  "metrics for Prometheus": {
    lines: { server: "prometheusApi, ", api: "prometheusApi, " },
    own: ["prometheus"],
  },
}

/** They apply documents of all features. */
const ofAll = [
  "library-and-api",
  "mixed-batches",
  "slo-stores-memory",
  "guides",
  "examples",
  "fuzz",
  "strictness",
  "hostile",
  "packed",
  "console",
  // Every operation of the OpenAPI document.
  "openapi",
  "arriving-bodies",
  // Every participant of a store.
  "participants.memory",
]

/** The tests of the domain, of the stores in memory, and of the API. */
const tests = [
  "definition",
  "slo",
  "alerting",
  "delivery",
  "report",
  "otlp",
  "indicator",
  "http",
  "embedding",
]

const testFiles = spawnSync("git", ["ls-files", "*.test.ts"], { cwd: root, encoding: "utf8" })
  .stdout.trim()
  .split("\n")
  .filter((file) => tests.some((each) => file.includes(`test/${each}/`)))

const named = process.argv.slice(2)
const unknown = named.filter((name) => !Object.hasOwn(features, name))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Features are ${Object.keys(features).join(", ")}.`)
  process.exit(1)
}

const run = (command, ...args) =>
  spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, FORCE_COLOR: "0" } })
    .status === 0

const withoutNames = (parts) =>
  parts.length === 0 ? [] : ["--testNamePattern", `^(?!.*(?:${parts.join("|")}))`]

const failed = []
for (const [name, { lines, own, within = [] }] of Object.entries(features)) {
  if (named.length > 0 && !named.includes(name)) continue
  const originals = Object.keys(lines).map((list) => [
    lists[list],
    readFileSync(join(root, lists[list]), "utf8"),
  ])
  console.log(`\n== Without ${name}`)
  try {
    for (const [list, texts] of Object.entries(lines)) {
      const file = join(root, lists[list])
      for (const each of [texts].flat()) {
        const text = readFileSync(file, "utf8")
        const without = text.replace(each, "")
        if (without === text) throw new Error(`${lists[list]} does not have ${each}`)
        writeFileSync(file, without)
      }
    }
    // `--exclude` does not reach the projects of vitest.
    const others = testFiles.filter(
      (file) => ![...own, ...ofAll].some((part) => basename(file).includes(part)),
    )
    if (!run("npx", "tsc", "-b")) failed.push(`${name}: does not compile`)
    else if (!run("npx", "vitest", "run", "--project", "units", ...withoutNames(within), ...others))
      failed.push(`${name}: other tests fail`)
  } catch (error) {
    failed.push(`${name}: ${error.message}`)
  } finally {
    for (const [file, text] of originals) writeFileSync(join(root, file), text)
  }
}
run("npx", "tsc", "-b")
console.log(failed.length === 0 ? "\nEvery feature can be left out." : `\n${failed.join("\n")}`)
process.exit(failed.length === 0 ? 0 : 1)
