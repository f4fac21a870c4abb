import product from "../../../package.json" with { type: "json" }
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { operations } from "../../../test/http/operations.ts"
import { scratch, tocsin } from "../../../test/server/child-process.ts"
import { useMemoryServer } from "../../../test/server/memory-server.ts"
import { program } from "./CommandProgram.ts"

const environment = useMemoryServer()

type Command = typeof program

const walk = (
  command: Command,
  path: ReadonlyArray<string> = [],
): ReadonlyArray<readonly [string, Command]> => [
  [path.join(" "), command],
  ...command.commands.flatMap((each) => walk(each, [...path, each.name()])),
]

/** The commands that call each operation. */
const commandsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  issueAccessToken: ["token", "login"],
  currentPublicKey: ["keys show"],
  findSlo: ["describe", "wait"],
  listSlos: ["describe", "status"],
  listWarnings: ["describe"],
  recordCountBatch: ["import"],
  backtestPolicy: ["backtest"],
  proposeTargets: ["slo propose"],
  readSeries: ["slo series"],
  readForecast: ["slo forecast"],
  findIndicator: ["describe", "slo indicator"],
  listReports: ["report list"],
  createReport: ["report create"],
  findReport: ["report get"],
  findReportSignature: ["report get"],
  generateReport: ["report generate"],
  listReviews: ["review list"],
  createReview: ["review create"],
  findReview: ["review get"],
  findReviewSignature: ["review get"],
  listReviewReminders: ["review due"],
  deleteReview: ["review delete"],
  listStatusPageSubscriptions: ["subscription list"],
  deleteStatusPageSubscription: ["subscription delete"],
  createAnnotation: ["annotation create"],
  putAnnotation: ["annotation create"],
  listAnnotations: ["annotation list"],
  deleteAnnotation: ["annotation delete"],
  createIncident: ["incident create"],
  listIncidents: ["incident list"],
  findIncident: ["incident show"],
  deleteIncident: ["incident delete"],
  addIncidentAlerts: ["incident add-alerts"],
  removeIncidentAlert: ["incident remove-alert"],
  listIncidentEntries: ["incident show", "incident tasks"],
  addIncidentEntry: ["incident note", "incident post", "incident task"],
  updateIncidentTask: ["incident done"],
  updateIncident: ["incident resolve", "incident update"],
  findPostmortem: ["incident postmortem"],
  testIndicator: ["slo test-query"],
  startBackfill: ["backfill"],
  findBackfill: ["backfill"],
  cancelBackfill: ["backfill"],
  resumeBackfill: ["backfill"],
  applyDefinitions: ["apply", "diff", "edit", "silence create"],
  deleteDefinitions: ["apply", "delete"],
  deleteDefinitionsByName: ["delete"],
  listDefinitions: ["apply", "describe", "edit", "get", "wait"],
  listAlerts: ["describe", "get", "wait"],
  previewBudgetAdjustments: ["adjust preview"],
  listBudgetChanges: ["adjust changes"],
  testAlertMethod: ["alertmethod test"],
  testProposedAlertMethod: ["alertmethod test"],
  previewAlertMethod: ["alertmethod preview"],
  findAlertMethodHealth: ["alertmethod health", "describe"],
  enableAlertMethod: ["alertmethod enable"],
  pauseAlertMethod: ["delivery pause"],
  resumeAlertMethod: ["delivery resume"],
  listDeliveries: ["delivery list", "describe"],
  findDelivery: ["delivery get", "wait"],
  resendDelivery: ["delivery resend"],
  listDataSources: ["datasource list"],
  findDataSource: ["datasource get", "describe"],
  testDataSource: ["datasource test"],
  testProposedDataSource: ["datasource test"],
  acknowledgeAlert: ["alert acknowledge"],
  explainPolicy: ["alert explain"],
  readEvidence: ["alert evidence"],
  listHeldAlerts: ["alert held"],
  previewSilence: ["describe", "silence preview"],
  resendDeliveries: ["resend start"],
  listResends: ["resend list"],
  findResend: ["resend get"],
  cancelResend: ["resend cancel"],
  listSigningKeys: ["keys list"],
  createSigningKey: ["keys create"],
  deleteSigningKey: ["keys delete"],
  rotateSigningKey: ["keys rotate"],
  revokeSigningKey: ["keys revoke"],
  listCredentials: ["credentials list"],
  createCredential: ["credentials create"],
  rotateCredential: ["credentials rotate"],
  disableCredential: ["credentials disable"],
  deleteCredential: ["credentials delete"],
}

const forPrograms = "programs call it, not people"
const forConsole = "only the web console needs it"

/** The operations that no command calls, with the reason. */
const withoutCommand: Readonly<Record<string, string>> = {
  publicKeys: forPrograms,
  findPublicKey: forPrograms,
  publicJwks: forPrograms,
  moveSlos: "a request of the public clients",
  recordCounts: "`import` sends batches",
  convertDefinitions: "`convert` converts without a server",
  listUnsupported: "`get` prints the documents by kind, `apply` says why they have no effect",
  listRevisions: "the console shows and restores changes of definitions",
  findRevision: "see `listRevisions`",
  listDeletedDefinitions: "see `listRevisions`",
  findReviewNotes: "the console shows and edits decisions",
  writeReviewNotes: "see `findReviewNotes`",
  backtestIndicator: "the console shows it in the wizard; `backtest` reads what is stored",
  exportMetrics: forPrograms,
  exportSloMetrics: forPrograms,
  receiveAlert: forPrograms,
  receiveAlertmanager: forPrograms,
  searchSlos: forConsole,
  listConsoleAlertMethods: forConsole,
  listConsoleSilences: forConsole,
  listMetricNames: forConsole,
  listSloRows: forConsole,
  readOverview: forConsole,
  readAlertCoverage: forConsole,
  readPolicyReach: forConsole,
  readReliability: forConsole,
  readTrends: forConsole,
  showDeliveryRequest: forConsole,
  findConsoleStatus: forConsole,
  openSession: forConsole,
  openSessionByLink: forConsole,
  findSession: forConsole,
  closeSession: forConsole,
}

/** The commands that call no documented operation. */
const withoutOperation = [
  "completion",
  "help",
  "version",
  "demo",
  "serve",
  "listen",
  "convert",
  "generate prometheus-rules",
  "doctor",
  "config check",
  "config show",
  "database distribute",
  "database export",
  "database import",
  "database migrate",
  // They change the context file.
  ...["get-contexts", "current-context", "use-context", "set-context", "delete-context"].map(
    (name) => `config ${name}`,
  ),
  // Operators' own paths are not in the document.
  "credentials sign-in-link",
  "keys reseal",
]

describe("the commands", () => {
  it("cover every operation of the API, but those with a reason", () => {
    const ids = operations.filter(({ path }) => !path.startsWith("/api/v1/")).map((each) => each.operationId)
    const known = [...Object.keys(commandsOf), ...Object.keys(withoutCommand)]
    expect(known.toSorted()).toEqual([...new Set(ids)].toSorted())
  })

  it("each call an operation, but those that are listed", () => {
    const leaves = walk(program).flatMap(([path, { commands }]) => (commands.length === 0 ? [path] : []))
    const known = new Set([...Object.values(commandsOf).flat(), ...withoutOperation])
    expect([...known].toSorted()).toEqual(leaves.toSorted())
  })

  it("are in the table of the guide, by subject", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/guides/command-line.md"), "utf8")
    const rows = [...guide.matchAll(/^\| `tocsin ([a-z]+)` +\| (.+?) *\|$/gm)]
    const listed = rows.map(([, name = "", cell = ""]) => {
      const subcommands = cell.replaceAll(/\]\(.*?\)/g, "").split(": ")[0] ?? ""
      return [name, [...subcommands.matchAll(/`([a-z][a-z-]*)`/g)].map(([, each]) => each).toSorted()]
    })
    // Contexts have a section of their own.
    const groups = program.commands.filter((each) => each.commands.length > 0 && each.name() !== "config")
    const own = groups.map((each) => [each.name(), each.commands.map((one) => one.name()).toSorted()])
    const names = new Set(groups.map((each) => each.name()))
    expect(Object.fromEntries(listed.filter(([name]) => names.has(`${name}`)))).toEqual(
      Object.fromEntries(own),
    )
  })

  it.each([80, 120])("have the help of the golden file in %d columns", async (columns) => {
    const texts = walk(program).map(([path, command]) => {
      let text = ""
      command.configureOutput({
        writeOut: (part) => void (text += part),
        getOutHelpWidth: () => columns,
        getOutHasColors: () => false,
      })
      command.outputHelp()
      return `$ tocsin ${path === "" ? "" : `${path} `}--help\n${text}`
    })
    await expect(texts.join("\n")).toMatchFileSnapshot(`../../../test/golden/cli/help-${columns}.txt`)
  })
})

describe("help", () => {
  it("prints topics and commands, and knows what was meant", async () => {
    const [topic, command, wrong, reason] = await Promise.all([
      tocsin(["help", "environment"]),
      tocsin(["help", "delivery", "pause"]),
      tocsin(["help", "enviroment"]),
      tocsin(["help", "dns_not_found"]),
    ])
    expect(reason.stdout).toMatch(
      /^An attempt to deliver a notification failed: .*\n\nCheck the host of the URL/,
    )
    expect(reason.stdout).toContain("/help/errors/dns_not_found")
    const { stdout } = await tocsin(["help", "not_found"], { TOCSIN_URL: "https://tocsin.example.com/" })
    expect(stdout).toContain("such as https://tocsin.example.com/help/errors/not_found")
    expect([topic.code, topic.stdout]).toEqual([0, expect.stringContaining("TOCSIN_CONTEXT")])
    expect([command.code, command.stdout]).toEqual([
      0,
      expect.stringMatching(/^Usage: tocsin delivery pause /),
    ])
    expect(wrong).toMatchObject({
      code: 1,
      stderr: "tocsin: no command, topic or error code: enviroment; did you mean environment?\n",
    })
  })
})

describe("usage errors", () => {
  it.each([
    [["incident", "show", ""], "argument <id> must not be empty"],
    [["get", "slo", ""], "argument [name...] must not be empty"],
    [
      ["apply", "acme.yaml"],
      "required option '-f, --file <file...>' not specified; did you mean -f acme.yaml?",
    ],
    [["apply", "-f", "a.yaml", "b.yaml"], undefined],
    [
      ["silence", "create", "web", "--for", "4"],
      "--for <duration>' argument '4' is invalid. It needs a unit, such as 4h.",
    ],
    [["silence", "create", "web", "--for", "2d"], "There is no unit for days: write 48h."],
    [["silence", "create", "web", "--for", "soon"], "It must be a duration such as 30m or 4h."],
  ])("%j: %s", async (words, message) => {
    const { code, stderr } = await tocsin(words)
    expect(code).toBe(1)
    if (message === undefined) expect(stderr).not.toContain("did you mean")
    else expect(stderr).toContain(message)
  })
})

describe("version", () => {
  it("is the client's and the server's", async () => {
    const both = await tocsin(["version", "-o", "json"], environment())
    expect(JSON.parse(both.stdout)).toEqual({ client: product.version, server: product.version })
    const client = await tocsin(["version", "--client"])
    expect(client).toMatchObject({ code: 0, stdout: expect.stringMatching(/^client \d+\.\d+\.\d+\S*\n$/) })
    const none = await tocsin(["version"], { TOCSIN_URL: "http://127.0.0.1:9" })
    expect([none.code, none.stdout]).toEqual([1, client.stdout])
  })
})

describe("the completion of bash", () => {
  it("completes commands, flags, values and kinds", async () => {
    const { stdout } = await tocsin(["completion", "bash"])
    const script = join(scratch, "completion.bash")
    writeFileSync(script, stdout)
    const complete = (...words: ReadonlyArray<string>): ReadonlyArray<string> =>
      execFileSync(
        "bash",
        [
          "-c",
          'source "$1"; shift; COMP_WORDS=(tocsin "$@"); COMP_CWORD=$#; _tocsin; printf "%s\\n" "${COMPREPLY[@]}"',
          "bash",
          script,
          ...words,
        ],
        { encoding: "utf8" },
      )
        .split("\n")
        .filter((line) => line !== "")
    expect(complete("sta")).toEqual(["status"])
    expect(complete("delivery", "re")).toEqual(["resend", "resume"])
    expect(complete("get", "alertp")).toEqual(["alertpolicies", "alertpolicy"])
    expect(complete("get", "slos", "--all")).toEqual(["--all-projects"])
    expect(complete("get", "slos", "-o", "")).toEqual(["table", "wide", "name", "yaml", "json", "csv"])
    expect(complete("apply", "-f", "")).toEqual([])
  })
})
