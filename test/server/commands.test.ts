import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { join } from "node:path"
import { createNotificationVerifier } from "@tocsin/receiver"
import { nodeHandler } from "@tocsin/receiver/node"
import { afterAll, beforeAll, describe, it, vi } from "vitest"
import { freePort } from "../FreePort.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { startPrometheus } from "../indicator/PrometheusServer.ts"
import { closeServer, listen } from "../receiver/KeyServer.ts"
import { type Running, scratch, startTocsin, tocsin } from "./child-process.ts"

const masterKey = Buffer.alloc(32, 6).toString("base64")
const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"
const organizations = ["acme", "globex", "hooli"]

let server: Running
let listener: Running
let url: string
let webhook: string
let receiver: Server

beforeAll(async () => {
  const caFile = join(scratch, "listen-ca.pem")
  url = `http://127.0.0.1:${await freePort()}`
  const receiverUrl = await startReceiver()
  const listening = ["--port", "0", "--ca-file", caFile, "--url", url]
  listener = startTocsin(["listen", ...listening, "--forward", receiverUrl])
  webhook = (await listener.until(/Listening on (https:\S+)\. /))[1] ?? ""
  server = startTocsin(["serve"], {
    PORT: new URL(url).port,
    TOCSIN_STORE: "memory",
    TOCSIN_MASTER_KEY: masterKey,
    TOCSIN_EGRESS_CA_FILE: caFile,
    TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
    TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify(
      organizations.map((organization) => ({ organization, clientId: "me", clientSecret, role: "editor" })),
    ),
  })
  await server.until(/listening on/)
})

afterAll(async () => {
  for (const running of [server, listener]) {
    running?.kill("SIGTERM")
    await running?.ended
  }
  await closeServer(receiver)
})

/** A time in ms as the commands print it. */
const printed = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** Starts a receiver that verifies what is forwarded to it; a notification to `/busy` gets 503. */
const startReceiver = async (): Promise<string> => {
  receiver = createServer((request, response) => {
    const verifier = createNotificationVerifier({
      baseUrl: url,
      allowHttp: true,
      authority: new URL(webhook).host,
    })
    void nodeHandler(verifier, () => {
      if (request.url === "/busy") throw new Error("busy")
    })(request, response)
  })
  return await listen(receiver)
}

/** What a user has in the environment. */
const user = (organization: string) => ({
  TOCSIN_URL: url,
  TOCSIN_ORGANIZATION: organization,
  TOCSIN_CLIENT_ID: "me",
  TOCSIN_CLIENT_SECRET: clientSecret,
})

/** What the operator has in the environment. */
const operator = () => ({ TOCSIN_URL: url, TOCSIN_MASTER_KEY: masterKey, TOCSIN_ORGANIZATION: "initech" })

const tokenStatus = async (clientId: string, secret: string): Promise<number> => {
  const authorization = `Basic ${btoa(`${clientId}:${secret}`)}`
  return (
    await fetch(`${url}/api/accessToken`, {
      method: "POST",
      headers: { authorization, organization: "initech" },
    })
  ).status
}

describe.concurrent("the command line", () => {
  it("spec/access §4: credentials are created, listed, disabled and deleted", async ({ expect }) => {
    const [text, json] = await Promise.all([
      tocsin(["credentials", "create", "--role", "editor"], operator()),
      tocsin(["credentials", "create", "--json"], operator()),
    ])
    expect([text.code, json.code]).toEqual([0, 0])
    const exported = Object.fromEntries(
      [...text.stdout.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
    )
    expect(Object.keys(exported)).toEqual(["TOCSIN_ORGANIZATION", "TOCSIN_CLIENT_ID", "TOCSIN_CLIENT_SECRET"])
    expect(text.stderr).toContain("cannot be retrieved later")
    const viewer = JSON.parse(json.stdout)
    expect(viewer).toMatchObject({ organization: "initech", role: "viewer", isDisabled: false })
    expect(viewer.clientId).toMatch(/^[0-9a-f]{30}$/)
    const editorId = exported["TOCSIN_CLIENT_ID"] ?? ""
    const editorSecret = exported["TOCSIN_CLIENT_SECRET"] ?? ""
    expect(await tokenStatus(editorId, editorSecret)).toBe(200)

    const rotated = await tocsin(
      ["credentials", "rotate", editorId, "--previous-for", "1h", "--json"],
      operator(),
    )
    expect(await tokenStatus(editorId, JSON.parse(rotated.stdout).clientSecret)).not.toBe(401)
    const tooLong = await tocsin(["credentials", "rotate", editorId, "--previous-for", "169h"], operator())
    expect(tooLong.stderr).toContain("must be from 0s to 168h")

    const link = await tocsin(["credentials", "sign-in-link", editorId], operator())
    expect(link.stdout).toMatch(/^http:\/\/\S+\/sign-in#link=[\w-]+\.[\w-]+\.[\w-]+\n$/)

    const disabled = await tocsin(["credentials", "disable", viewer.clientId], operator())
    expect(disabled).toMatchObject({ code: 0, stderr: "" })
    expect(await tokenStatus(viewer.clientId, viewer.clientSecret)).toBe(401)
    const [listed, listedAsJson] = await Promise.all([
      tocsin(["credentials", "list"], operator()),
      tocsin(["credentials", "list", "--json"], operator()),
    ])
    expect(listed.stdout).toMatch(new RegExp(`^${editorId} +editor  enabled   \\S+Z  \\S+Z$`, "m"))
    expect(listed.stdout).toMatch(new RegExp(`^${viewer.clientId} +viewer  disabled  \\S+Z  never$`, "m"))
    expect(JSON.parse(listedAsJson.stdout).data).toHaveLength(2)
    expect(listed.stdout + listedAsJson.stdout).not.toContain(editorSecret)

    const deleted = await tocsin(["credentials", "delete", editorId], operator())
    expect(deleted).toMatchObject({ code: 0, stderr: "" })
    expect(await tokenStatus(editorId, editorSecret)).toBe(401)
    const [absent, foreign] = await Promise.all([
      tocsin(["credentials", "delete", editorId], operator()),
      tocsin(["credentials", "list"], {
        ...operator(),
        TOCSIN_MASTER_KEY: Buffer.alloc(32).toString("base64"),
      }),
    ])
    expect(absent).toMatchObject({ code: 1, stdout: "" })
    expect(absent.stderr).toContain("Credential not found")
    expect(foreign).toMatchObject({ code: 1, stdout: "" })
    expect(foreign.stderr).toMatch(/^tocsin: .* rejected the master key; use the TOCSIN_MASTER_KEY/)
  })

  it("a 404 of a proxy, which is not one of Tocsin, is explained", async ({ expect }) => {
    const proxy = createServer((_, response) => response.writeHead(404).end("not found"))
    const TOCSIN_URL = await listen(proxy)
    expect(await tocsin(["credentials", "list"], { ...operator(), TOCSIN_URL })).toMatchObject({
      code: 1,
      stderr: `tocsin: ${TOCSIN_URL} returned 404; a proxy may block the paths of operators: set --url to the server itself\n`,
    })
    await closeServer(proxy)
  })

  it("spec/signatures §7: the signing key is shown, and rotated once while the next one waits", async ({
    expect,
  }) => {
    const [text, json] = await Promise.all([
      tocsin(["keys", "show"], { TOCSIN_URL: url }),
      tocsin(["keys", "show", "--json", "--url", `${url}/`]),
    ])
    const key = JSON.parse(json.stdout)
    expect(text.stdout).toBe(`keyId: ${key.keyId}\nalgorithm: ed25519\n${key.publicKeyPem.trimEnd()}\n`)
    const rotated = await Promise.all([
      tocsin(["keys", "rotate", "--server"], operator()),
      tocsin(["keys", "rotate", "--server", "--json"], operator()),
    ])
    expect(rotated.map(({ code }) => code)).toEqual([0, 0])
    const next = JSON.parse(rotated[1].stdout)
    expect(next.keyId).not.toBe(key.keyId)
    expect(rotated[0].stdout).toBe(
      `Published key ${next.keyId}. It signs notifications from ${printed(next.activeFromMs)}; the current key signs until then.\n`,
    )
  })

  it("spec/signatures §8, spec/signatures §14: the organization's key is created, listed, shown and deleted, and rotated only if there is one", async ({
    expect,
  }) => {
    expect(await tocsin(["keys", "rotate"], user("acme"))).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^tocsin: Organization has no signing key: acme \(The server's key signs/,
      ),
    })
    const none = await tocsin(["keys", "list"], user("acme"))
    expect(none.stdout).toMatch(/^Signed by the server's key\nserver {8}[\w-]{43} {2}active {3}from \d{4}-/)
    expect(none.stdout).not.toContain("organization")

    const created = await tocsin(["keys", "create"], user("acme"))
    const keyId = /^Published key ([\w-]{43})\. It signs notifications from /.exec(created.stdout)?.[1]
    expect([created.code, created.stderr, keyId]).toEqual([0, "", expect.any(String)])
    const again = JSON.parse((await tocsin(["keys", "rotate", "--json"], user("acme"))).stdout)
    expect(again).toMatchObject({ keyId, state: "next" })
    const shown = await tocsin(["keys", "show", "--organization", "acme", "--url", url])
    expect(shown.stdout).toContain(`keyId: ${keyId}\nalgorithm: ed25519\n-----BEGIN PUBLIC KEY-----`)
    const unknown = await tocsin(["keys", "show", "--organization", "globex", "--url", url])
    expect(unknown).toMatchObject({ code: 1, stdout: "" })
    expect(unknown.stderr).toContain("Organization has no signing key: globex")

    const deleted = await tocsin(["keys", "delete"], user("acme"))
    expect(deleted.stdout).toMatch(
      /^The server's key signs notifications from \d{4}-\S+Z; key [\w-]{43} signs/,
    )
    const { stdout } = await tocsin(["keys", "list"], user("acme"))
    expect(stdout).toMatch(new RegExp(`organization {2}${keyId} {2}next {5}from \\S+Z until \\S+Z`))
  })

  it("spec/definitions §9: definitions are applied, read, tested and deleted, and `listen` prints what arrives, verified", async ({
    expect,
  }) => {
    const file = join(scratch, "method.yaml")
    const withSecret = ["headers:", "  - { name: X-Key, value: s3cr3t, isSecret: true }"]
    const method = methodYaml(
      "on-call",
      `${webhook}/hook`,
      "templateFields: [alert_status, slo_name]",
      ...withSecret,
    )
    // The command line fills in the project (spec/definitions §4).
    writeFileSync(file, method.replace(", project: default", ""))

    const applying = startTocsin(["apply", "-f", file, "-f", "-"], user("acme"))
    applying.write(withSlo())
    expect(await applying.ended).toEqual({
      code: 0,
      // Another test may have created the service.
      stdout: expect.stringMatching(
        /^AlertMethod default\/on-call created\nService default\/web \w+\nSLO default\/checkout created\n$/,
      ),
      stderr: "",
    })
    const token = (await tocsin(["token"], user("acme"))).stdout.trim()
    const headers = { authorization: `Bearer ${token}`, organization: "acme" }
    expect((await fetch(`${url}/api/v2/slos`, { headers })).status).toBe(200)
    const [yaml, json] = [
      await tocsin(["get", "alertmethods"], user("acme")),
      await tocsin(["get", "slo", "checkout", "-A", "-o", "json"], user("acme")),
    ]
    expect(yaml.stdout).toContain('url: "[hidden]"')
    expect(yaml.stdout).not.toContain("s3cr3t")
    expect(JSON.parse(json.stdout)).toMatchObject([
      { apiVersion: "tocsin/v1alpha", kind: "SLO", metadata: { name: "checkout", project: "default" } },
    ])
    expect(await tocsin(["get", "slo", "nosuch"], user("acme"))).toEqual({
      code: 1,
      stdout: "",
      stderr: "tocsin: SLO not found: nosuch; specify the project with -p, or -A for all projects\n",
    })

    const tested = await tocsin(["alertmethod", "test", "on-call"], user("acme"))
    expect(tested).toEqual({ code: 0, stdout: "Test completed successfully!\n", stderr: "" })
    await listener.until(/✓ signature verified/)
    expect(listener.stdout()).toMatch(/Notification [\w-]{36}: test, attempt 1/)
    expect(listener.stdout()).toMatch(/"@path":\s+\/hook/)
    expect(listener.stdout()).toContain("✓ digest verified")
    expect(listener.stdout()).toContain('"alert_status": "test"')
    await listener.until(/→ http:\S+\/hook responded with 204/)

    const slo = { name: "checkout", project: "default" }
    const alertMethods = [{ name: "on-call", project: "default" }]
    const body = JSON.stringify({ status: "triggered", slo, alertMethods, alertId: "incident-1" })
    const posted = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body }
    expect((await fetch(`${url}/api/alerts`, posted)).status).toBe(202)
    await listener.until(/"alert_status": "triggered"/)
    const listed = await vi.waitFor(async () => {
      const filter = ["--method", "on-call", "--status", "delivered", "--alert", "incident-1"]
      const { stdout } = await tocsin(["delivery", "list", ...filter, "-o", "json"], user("acme"))
      const { data } = JSON.parse(stdout)
      expect(data).toHaveLength(1)
      return data[0]
    }, 120_000)
    const [table, delivery, health, preview, resent] = await Promise.all([
      tocsin(["delivery", "list", "--limit", "1"], user("acme")),
      tocsin(["delivery", "get", listed.id], user("acme")),
      tocsin(["alertmethod", "health", "on-call"], user("acme")),
      tocsin(["alertmethod", "preview", "-f", file], user("acme")),
      tocsin(["delivery", "resend", listed.id], user("acme")),
    ])
    expect(table.stdout).toMatch(
      /^ID +ALERT METHOD +EVENT +SLO +STATUS +ATTEMPTS +CREATED\n.* default\/on-call /,
    )
    // It may have been sent again before it is read.
    expect(delivery.stdout).toMatch(
      /^alert\.triggered of SLO default\/checkout to alert method default\/on-call\n.*\n(?:first delivered \S+Z\n)? {2}1 {2}\S+Z {2}\d+ ms {2}HTTP 2\d\d {2}delivered/,
    )
    expect(health.stdout).toMatch(/^enabled\nlast success: \S+Z\nin flight: \d\n$/)
    expect(preview.stdout).toMatch(/^Content-Type: application\/json\n[^]*\n\n\{"alert_status":/)
    expect(resent.stdout).toMatch(new RegExp(`^Delivery ${listed.id} (pending|sending|delivered)\n$`))
    const enabled = await tocsin(["alertmethod", "enable", "on-call"], user("acme"))
    expect(enabled.stdout).toMatch(/^enabled\n/)
    const [open, ended] = await Promise.all([
      tocsin(["get", "alerts", "--slo", "checkout", "other", "--status", "triggered"], user("acme")),
      tocsin(["get", "alerts", "-A", "--status", "resolved", "canceled", "-o", "json"], user("acme")),
    ])
    expect(open.stdout).toContain("name: incident-1")
    expect(ended).toEqual({ code: 0, stdout: "[]\n", stderr: "No objects found.\n" })

    const dryRun = await tocsin(["delete", "-f", file, "--dry-run"], user("acme"))
    expect(dryRun).toMatchObject({ code: 0, stderr: "" })
    expect(dryRun.stdout).toContain("AlertMethod default/on-call deleted (dry run)\n")
    const deleted = await tocsin(["delete", "alertmethod", "on-call"], user("acme"))
    expect(deleted).toEqual({ code: 0, stdout: "AlertMethod default/on-call deleted\n", stderr: "" })
  })

  it("runs the commands of the OpenSLO guide", async ({ expect }) => {
    const guide = readFileSync(new URL("../../docs/guides/openslo.md", import.meta.url), "utf8")
    const [openSlo = "", service = ""] = [...guide.matchAll(/<<'YAML'\n([^]*?)\nYAML\n/g)].map(
      ([, yaml]) => yaml,
    )
    const [file, converted] = [join(scratch, "openslo.yaml"), join(scratch, "orders.yaml")]
    writeFileSync(file, openSlo)
    const [, prometheusUrl = ""] = /--prometheus-url (\S+)/.exec(guide) ?? []
    const conversion = await tocsin(["convert", "-f", file, "--prometheus-url", prometheusUrl])
    expect(conversion.code).toBe(0)
    writeFileSync(converted, conversion.stdout)

    const applying = startTocsin(["apply", "-f", "-"], user("hooli"))
    applying.write(service)
    expect(await applying.ended).toMatchObject({ code: 0, stdout: "Service default/shop created\n" })
    expect(await tocsin(["apply", "-f", converted, "--dry-run"], user("hooli"))).toEqual({
      code: 0,
      stdout: "SLO default/orders created (dry run)\n",
      stderr: "",
    })
  })

  it("prints the error to stderr and exits with 1", async ({ expect }) => {
    const file = join(scratch, "broken.yaml")
    const refused = `https://localhost:${await freePort()}/`
    writeFileSync(file, methodYaml("Broken", "http://example.com", "template: no JSON"))
    const several = join(scratch, "several.yaml")
    writeFileSync(
      several,
      [
        "{ apiVersion: tocsin/v1alpha, kind: Service, metadata: { name: web } }",
        `{ apiVersion: tocsin/v1alpha, kind: AlertPolicy, metadata: { name: burns }, spec: { severity: High,
          conditions: [{ measurement: burnedBudget, value: 1 }], alertMethods: [{ metadata: { name: nobody } }] } }`,
      ].join("\n---\n"),
    )
    const failing = join(scratch, "failing.yaml")
    writeFileSync(failing, methodYaml("failing", refused, "templateFields: [slo_name]"))

    const [broken, missing, unset, unreachable, misspelt] = await Promise.all([
      tocsin(["apply", "-f", file], user("globex")),
      tocsin(["apply", "-f", several], user("globex")),
      tocsin(["get", "slo"], { TOCSIN_URL: url }),
      tocsin(["keys", "show", "--url", `http://127.0.0.1:${await freePort()}`]),
      tocsin(["aply", "-f", file], user("globex")),
    ])
    for (const { code, stdout } of [broken, missing, unset, unreachable, misspelt])
      expect([code, stdout]).toEqual([1, ""])
    for (const path of ["metadata.name", "spec.webhook.url", "spec.webhook.template"]) {
      expect(broken.stderr).toMatch(
        new RegExp(`^  \\S+/broken.yaml \\(AlertMethod Broken\\): ${path}: `, "m"),
      )
    }
    expect(broken.stderr).toMatch(/^tocsin: \d errors:\n/)
    expect(missing.stderr).toBe(
      `tocsin: ${several}, document 2 (AlertPolicy burns): spec.alertMethods[0].metadata.name: ` +
        "references an AlertMethod that does not exist: nobody in project default; apply its definition first, or in the same request\n",
    )
    for (const variable of ["TOCSIN_ORGANIZATION", "TOCSIN_CLIENT_ID", "TOCSIN_CLIENT_SECRET"]) {
      expect(unset.stderr).toContain(variable)
    }
    expect(unreachable.stderr).toMatch(/^tocsin: cannot connect to http/)
    expect(misspelt.stderr).toContain("apply")

    expect((await tocsin(["apply", "-f", failing], user("globex"))).code).toBe(0)
    const test = await tocsin(["alertmethod", "test", "failing", "--json"], user("globex"))
    expect(test.code).toBe(1)
    expect(JSON.parse(test.stdout)).toMatchObject({ message: "Test failed" })
    expect(test.stderr).toMatch(/^tocsin: Test failed: .*refused the connection/)
    expect(test.stdout + test.stderr).not.toContain("localhost")

    const absent = await tocsin(["alertmethod", "test", "nosuch"], user("globex"))
    expect(absent).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "tocsin: Alert method not found: nosuch (The project default has no alert method with this name. Check the name, and the project: the Project header, or -p of the command line.)\n",
    })
  })

  it("spec/backtests §3: prints the alerts that a proposed policy would have opened", async ({ expect }) => {
    const slo = join(scratch, "backtested.yaml")
    const policy = join(scratch, "proposed.yaml")
    writeFileSync(slo, withSlo().replace("name: checkout,", "name: backtested,"))
    writeFileSync(
      policy,
      `{ apiVersion: tocsin/v1alpha, kind: AlertPolicy, metadata: { name: proposed }, spec: { severity: Low,
        conditions: [{ measurement: burnedBudget, value: 1 }] } }`,
    )
    expect((await tocsin(["apply", "-f", slo], user("acme"))).code).toBe(0)
    const { stdout: token } = await tocsin(["token"], user("acme"))
    const minute = Math.floor(Date.now() / 60_000) * 60_000
    const timeOf = (minutes: number) => printed(minute + minutes * 60_000)
    const recorded = await fetch(`${url}/api/slos/backtested/counts`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token.trim()}`,
        organization: "acme",
        project: "default",
        "content-type": "application/json",
      },
      body: JSON.stringify([
        { objective: "good", at: timeOf(-20), good: 98, total: 100 },
        { objective: "good", at: timeOf(-12), good: 100, total: 100 },
      ]),
    })
    expect(recorded.status).toBe(204)
    const range = ["--from", timeOf(-30), "--to", timeOf(-1)]
    expect(await tocsin(["backtest", "backtested", "-f", policy, ...range], user("acme"))).toEqual({
      code: 0,
      stdout: [
        `1 alert from ${timeOf(-30)} to ${timeOf(-1)} (1489.7 per 30 days)`,
        `Counts begin ${timeOf(-20)}.`,
        // 2 of 200 events are exactly the budget.
        `${timeOf(-19)}  good  open  200% burned when triggered`,
        "",
      ].join("\n"),
      stderr: "",
    })
    const proposals = await tocsin(["slo", "propose", "backtested"], user("acme"))
    expect(proposals.code).toBe(0)
    expect(proposals.stdout).toMatch(
      /^Time windows from .*\n.*: target [\d.]+%\n {2}7 days: too short a history\n/,
    )
    const [series, forecast, applied] = await Promise.all([
      tocsin(["slo", "series", "backtested", ...range, "--step", "1m"], user("acme")),
      tocsin(["slo", "forecast", "backtested"], user("acme")),
      tocsin(["apply", "-f", policy], user("acme")),
    ])
    expect([series.code, applied.code]).toEqual([0, 0])
    expect(series.stdout).toMatch(/^TIME +OBJECTIVE +GOOD +TOTAL +BUDGET REMAINING\n/)
    expect(series.stdout).toMatch(new RegExp(`^${timeOf(-20)} +good +98 +100 +-100%$`, "m"))
    expect(forecast.stdout).toMatch(/^As of \S+Z\ngood: \S+/)
    const explain = ["alert", "explain", "backtested", "--policy", "proposed"]
    const explained = await tocsin([...explain, "--from", timeOf(-20), "--to", timeOf(-19)], user("acme"))
    expect(explained.stderr).toBe("")
    expect(explained.stdout).toMatch(new RegExp(`^${timeOf(-20)}\n {2}good: met\n {4}met {2}.+ \\(.+\\)\n$`))
    const neither = await tocsin(["backtest", "backtested"], user("acme"))
    expect([neither.code, neither.stderr]).toEqual([1, "tocsin: specify either --policy or --file\n"])
  })

  it("spec/annotations §1: annotates an SLO, and again with the same ID", async ({ expect }) => {
    const slo = join(scratch, "annotated.yaml")
    writeFileSync(slo, withSlo().replace("name: checkout,", "name: annotated,"))
    expect((await tocsin(["apply", "-f", slo], user("acme"))).code).toBe(0)
    const from = "2026-01-30T12:00:00Z"
    for (const title of ["checkout 4.2.0", "checkout 4.2.1"]) {
      const command = [
        "annotation",
        "create",
        "annotated",
        title,
        "--kind",
        "deployment",
        "--id",
        "deploy-8213",
        "--from",
        from,
      ]
      expect(await tocsin(command, user("acme"))).toEqual({
        code: 0,
        stdout: `${from}  deployment deploy-8213: ${title}\n`,
        stderr: "",
      })
    }
    const { stdout } = await tocsin(["annotation", "create", "annotated", "Traffic doubles"], user("acme"))
    expect(stdout).toMatch(/^\S+Z {2}note [0-9a-f-]{36}: Traffic doubles\n$/)
    const list = async () =>
      (
        await tocsin(
          ["annotation", "list", "annotated", "--from", from, "--to", "2026-01-30T13:00:00Z"],
          user("acme"),
        )
      ).stdout
    expect(await list()).toBe(
      `ID           KIND        FROM                  TO  TITLE\ndeploy-8213  deployment  ${from}      checkout 4.2.1\n`,
    )
    expect(await tocsin(["annotation", "delete", "annotated", "deploy-8213"], user("acme"))).toEqual({
      code: 0,
      stdout: "Annotation deploy-8213 deleted\n",
      stderr: "",
    })
    expect(await list()).toBe("No annotations.\n")
  })

  it("spec/budget-adjustments §7 and §8: previews adjustments, and lists their changes", async ({
    expect,
  }) => {
    const slo = join(scratch, "adjusted.yaml")
    const adjustment = join(scratch, "adjustment.yaml")
    writeFileSync(slo, withSlo().replace("name: checkout,", "name: adjusted,"))
    writeFileSync(
      adjustment,
      `{ apiVersion: tocsin/v1alpha, kind: BudgetAdjustment, metadata: { name: move }, spec: { reason: The move.,
        slos: [{ name: adjusted }], period: { startTime: "2026-01-30T12:00:00Z", duration: 1h } } }`,
    )
    expect((await tocsin(["apply", "-f", slo], user("acme"))).code).toBe(0)
    const effect = "default/adjusted good: no data of the error budget remaining"
    expect(await tocsin(["adjust", "preview", "-f", adjustment], user("acme"))).toEqual({
      code: 0,
      stdout: `${effect}\n`,
      stderr: "",
    })
    const none = await tocsin(["adjust", "changes", "move"], user("acme"))
    expect(none.stdout).toBe("no changes\n")
    expect((await tocsin(["apply", "-f", adjustment], user("acme"))).code).toBe(0)
    const { stdout } = await tocsin(["adjust", "changes", "move"], user("acme"))
    expect(stdout).toMatch(
      /^\S+Z {2}by \S+\n {2}BudgetAdjustment default\/move created: The move\.\n {2}default\/adjusted good: no data/,
    )
  })

  it("spec/data-sources §9: prints the last hour of an SLO that is not applied", async ({ expect }) => {
    const prometheus = await startPrometheus(({ query }) => {
      const value = query.includes("good") ? 118 : 120
      return (seconds) => (seconds % 3_600 === 0 ? undefined : value)
    })
    try {
      const slo = join(scratch, "tested.yaml")
      const indicator = `  indicator: { prometheus: { url: "${prometheus.url}", good: good, total: total } }\n`
      writeFileSync(slo, withSlo().trimEnd().replace("name: checkout,", "name: tested,") + `\n${indicator}`)
      const { code, stdout, stderr } = await tocsin(["slo", "test-query", "-f", slo], user("acme"))
      expect([code, stderr]).toEqual([0, ""])
      const [summary, ...minutes] = stdout.trimEnd().split("\n")
      expect(summary).toMatch(/^59 minutes with counts from \S+ to \S+$/)
      expect(minutes).toHaveLength(59)
      expect(minutes[0]).toMatch(/^\S+:00Z {2}118 of 120 {2}98\.33% good$/)
    } finally {
      await prometheus.close()
    }
  })

  it("spec/data-sources §6: tests a data source, and prints how long it took or what is wrong", async ({
    expect,
  }) => {
    const prometheus = await startPrometheus(({ path, query }) => {
      if (path.startsWith("/page")) return { status: 200, contentType: "text/html", body: "<html>" }
      if (path.startsWith("/login")) {
        const error = "no access with Basic dG9jc2luOjdjMjFlNA== or 7c21e4"
        return {
          status: 401,
          contentType: "application/json",
          body: JSON.stringify({ status: "error", error }),
        }
      }
      return () => (query === "vector(1)" ? 1 : undefined)
    })
    const gone = `http://127.0.0.1:${await freePort()}`
    try {
      const file = join(scratch, "data-source.yaml")
      const write = (address: string) =>
        writeFileSync(
          file,
          `apiVersion: tocsin/v1alpha
kind: DataSource
metadata: { name: mimir, project: default }
spec: { prometheus: { url: "${address}", basic: { username: tocsin, password: 7c21e4 } } }
`,
        )
      const run = (...args: ReadonlyArray<string>) => tocsin(["datasource", "test", ...args], user("hooli"))
      write(prometheus.url)
      const success = {
        code: 0,
        stderr: "",
        stdout: expect.stringMatching(/^Test completed .*\(\d+ ms\)\n$/),
      }
      expect(await run("-f", file)).toEqual(success)
      expect((await run("mimir")).stderr).toContain("Data source not found")
      expect((await tocsin(["apply", "-f", file], user("hooli"))).code).toBe(0)
      expect(await run("mimir")).toEqual(success)
      const [state, list] = await Promise.all([
        tocsin(["datasource", "get", "mimir"], user("hooli")),
        tocsin(["datasource", "list"], user("hooli")),
      ])
      expect(state.stdout).toBe("unused; SLOs: 0\nnot read yet\n")
      expect(list.stdout).toBe(
        "PROJECT  NAME   STATUS  SLOS  AFFECTED  PROBLEM\ndefault  mimir  unused  0     0\n",
      )
      for (const [address, text] of [
        [gone, "Test failed: the server refused the connection"],
        [`${prometheus.url}/page`, "Test failed: the response is not one of Prometheus's HTTP API"],
        [
          `${prometheus.url}/login`,
          "Test failed: the server responded with 401; check the credentials of the data source: no access with [hidden] or [hidden]",
        ],
        [
          prometheus.url.replace("http:", "https:"),
          "Test failed: the server does not speak TLS on this port",
        ],
      ] as const) {
        write(address)
        const { code, stdout, stderr } = await run("-f", file)
        expect([code, stdout]).toEqual([1, ""])
        expect(stderr).toContain(text)
        expect(stderr).not.toContain("7c21e4")
      }
      expect((await run()).stderr).toContain("specify either a name or --file")
      expect((await run("mimir", "-f", file)).stderr).toContain("specify either a name or --file")
    } finally {
      await prometheus.close()
    }
  })

  it("spec/data-sources §10: reads a range again, waits for it, and prints how far it is", async ({
    expect,
  }) => {
    let good = 20
    let isUp = true
    const prometheus = await startPrometheus(({ query, end }) => {
      // The present minutes are read in any case.
      if (!isUp && end * 1_000 < Date.now() - 1_800_000)
        return { status: 503, contentType: "text/plain", body: "" }
      return () => (query.includes("good") ? good : 20)
    })
    try {
      const slo = join(scratch, "backfilled.yaml")
      const indicator = `  indicator: { prometheus: { url: "${prometheus.url}", good: good, total: total } }\n`
      writeFileSync(
        slo,
        withSlo().trimEnd().replace("name: checkout,", "name: backfilled,") + `\n${indicator}`,
      )
      expect((await tocsin(["apply", "-f", slo], user("acme"))).code).toBe(0)
      const day = Math.floor(Date.now() / 86_400_000) * 86_400_000
      const [from = "", to = ""] = [3, 1].map((days) => printed(day - days * 86_400_000))
      const backfill = (...flags: ReadonlyArray<string>) =>
        tocsin(["backfill", "backfilled", ...flags], user("acme"))
      expect((await backfill()).stderr).toContain("Backfill not found")
      good = 10
      const begin = ["--from", from, "--to", to]
      await vi.waitFor(async () => expect((await backfill(...begin, "--wait")).stderr).toBe(""), {
        timeout: 120_000,
      })
      expect(await backfill()).toEqual({
        code: 0,
        stdout: `Backfill from ${from} to ${to}: complete, 100%, read to ${to}\n`,
        stderr: "",
      })
      isUp = false
      await backfill(...begin)
      const again = await backfill(...begin)
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("A backfill is running")])
      const canceled = `Backfill from ${from} to ${to}: canceled (requested), 0%, read to ${from}`
      expect((await backfill("--cancel")).stdout.split("\n")[0]).toBe(canceled)
      const waited = await backfill("--wait")
      expect([waited.code, waited.stderr]).toEqual([
        1,
        "tocsin: the backfill is not complete: it is canceled\n",
      ])
      isUp = true
      const { stdout } = await backfill("--resume", "--wait", "--json")
      expect(JSON.parse(stdout)).toMatchObject({ state: "complete", percent: 100 })
      const state = await tocsin(["slo", "indicator", "backfilled"], user("acme"))
      expect(state.stdout).toMatch(/^Read up to: \S+Z\nLast read: \S+Z\n/)
      expect((await backfill("--from", from)).stderr).toBe("tocsin: specify both --from and --to\n")
      expect((await backfill("--cancel", "--resume")).stderr).toBe(
        "tocsin: specify either --from and --to, --cancel, or --resume\n",
      )
    } finally {
      await prometheus.close()
    }
  })

  it("reports a typo with how to get help, and a file without a document", async ({ expect }) => {
    const empty = join(scratch, "empty.yaml")
    writeFileSync(empty, "# nothing yet\n")
    const [unknown, incomplete, nothing] = await Promise.all([
      tocsin(["delivery", "paus"]),
      tocsin(["apply"]),
      tocsin(["apply", "-f", empty, "-f", empty], user("globex")),
    ])
    expect(unknown.stderr).toBe(
      "error: unknown command 'paus'\n(Did you mean pause?)\nThe subcommands are list, get, resend, pause, resume. Run the command with --help for usage.\n",
    )
    expect(incomplete.stderr).toMatch(/'-f, --file <file...>' not specified\nRun the command with --help/)
    expect(nothing).toEqual({
      code: 1,
      stdout: "",
      stderr: `tocsin: ${empty}, ${empty}: has no definitions; a definition begins with apiVersion and kind\n`,
    })
  })

  it("exits without an error when its output is closed", async ({ expect }) => {
    const file = join(scratch, "long.yaml")
    const spec = `{ description: ${"long ".repeat(100)}}`
    const document = `---\napiVersion: openslo/v1\nkind: Service\nmetadata: { name: NAME }\nspec: ${spec}\n`
    writeFileSync(
      file,
      Array.from({ length: 1_000 }, (_, index) => document.replace("NAME", `service-${index}`)).join(""),
    )
    const command = startTocsin(["convert", "-f", file])
    await command.until(/service-0/)
    command.stopReading()
    const { code, stdout } = await command.ended
    expect(code).toBe(0)
    expect(stdout).not.toContain("service-999")
  })

  it("exits with 130 when interrupted", async ({ expect }) => {
    const silent = createServer()
    const asked = once(silent, "request")
    const { port } = new URL(await listen(silent))
    const command = startTocsin(["keys", "show", "--url", `http://127.0.0.1:${port}`])
    await asked
    command.kill("SIGINT")
    expect(await command.ended).toEqual({ code: 130, stdout: "", stderr: "" })
    await closeServer(silent)
  })
})
