import { readdirSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildConsole } from "../console/console-server.ts"
import { urlOf } from "../crash/CrashDatabase.ts"
import { freePort } from "../FreePort.ts"
import { connectClient } from "../http/mcp-client.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { folderOfFile, type Running, startTocsinAlone } from "../server/child-process.ts"
import { methodYaml, withSlo } from "./definitions.ts"

const masterKey = Buffer.alloc(32, 6).toString("base64")

const database = await newDatabase("empty")
let url: string
let receiverUrl: string
let listener: Running
let server: Running

beforeAll(async () => {
  // Whose console is copied with the file.
  buildConsole()
  const [PORT, receiverPort] = [await freePort(), await freePort()]
  url = `http://127.0.0.1:${PORT}`
  receiverUrl = `https://localhost:${receiverPort}/`
  listener = startTocsinAlone(["listen", "--port", receiverPort], { TOCSIN_URL: url })
  await listener.until(/Press Ctrl-C to stop/)
  server = startTocsinAlone(["serve"], {
    PORT,
    DATABASE_URL: urlOf(database),
    TOCSIN_MASTER_KEY: masterKey,
    TOCSIN_EGRESS_CA_FILE: "tocsin-listen-ca.pem",
    TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.1/32,::1/128",
  })
  await server.until(/listening on/)
})

afterAll(async () => {
  for (const each of [listener, server]) {
    each?.kill("SIGTERM")
    expect((await each?.ended)?.code).toBe(0)
  }
})

/** Runs a command with the file alone, with what it reads from its standard input, and returns what it prints. */
const command = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  input = "",
): Promise<string> => {
  const running = startTocsinAlone(args, { TOCSIN_URL: url, ...environment })
  running.write(input)
  const { code, stdout, stderr } = await running.ended
  expect([code, stderr], stdout).toEqual([0, ""])
  return stdout
}

describe("the server without packages, with a database of its own", () => {
  it("needs nothing but its code and the console, and writes only what it is told to", () => {
    expect(readdirSync(folderOfFile).toSorted()).toEqual([
      "console",
      "lib",
      "tocsin-listen-ca.pem",
      "tocsin.mjs",
    ])
  })

  it("serves the web console, the API reference and the documents", async () => {
    const page = await (await fetch(url)).text()
    const [, script = ""] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
    const loaded = await fetch(`${url}${script}`)
    expect([loaded.status, loaded.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("javascript"),
    ])
    expect((await fetch(`${url}/docs`)).status).toBe(200)
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ info: { title: "Tocsin" } })
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  it("sends a notification that `tocsin listen` verifies, and serves assistants", async () => {
    const created = await command(
      ["credentials", "create", "--organization", "acme", "--role", "editor", "--json"],
      { TOCSIN_MASTER_KEY: masterKey },
    )
    const { clientId, clientSecret } = JSON.parse(created) as {
      readonly clientId: string
      readonly clientSecret: string
    }
    const user = {
      TOCSIN_ORGANIZATION: "acme",
      TOCSIN_CLIENT_ID: clientId,
      TOCSIN_CLIENT_SECRET: clientSecret,
    }
    const definitions = withSlo(methodYaml("on-call", receiverUrl, "templateFields: [slo_name, alert_id]"))
    expect(await command(["apply", "-f", "-"], user, definitions)).toContain(
      "AlertMethod default/on-call created",
    )
    expect(await command(["alertmethod", "test", "on-call"], user)).toContain("Test completed successfully!")
    await listener.until(/✓ signature verified/)

    const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`
    const { call, close } = await connectClient(url, { authorization, organization: "acme" })
    expect(await call("list_slos", { labels: "team:a" })).toMatchObject({
      isError: false,
      json: { total: 1, slos: [{ name: "checkout", objectives: [{ name: "good", state: "noData" }] }] },
    })
    expect((await call("get_slo", { project: "default", slo: "checkout" })).json.openAlerts).toEqual([])
    const changed = definitions.replace("0.99 }", "0.95 }")
    expect((await call("dry_run_apply", { definitions: changed })).json.data).toMatchObject([
      { kind: "Service", outcome: "unchanged" },
      { kind: "SLO", outcome: "updated" },
      { kind: "AlertMethod", outcome: "unchanged" },
    ])
    expect((await call("apply", { definitions: changed, confirm: true })).json.data[1].outcome).toBe(
      "updated",
    )
    await close()
  })
})
