import { mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { join } from "node:path"
import { afterAll, beforeAll, describe, it } from "vitest"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { closeServer, listen } from "../receiver/KeyServer.ts"
import { scratch, startTocsin, tocsin } from "./child-process.ts"
import { useMemoryServer } from "./memory-server.ts"
import {
  type CommandMistake,
  commandMistakes,
  documentMistakes,
  type Mistake,
  requestMistakes,
} from "./Mistakes.ts"

const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"

const environment = useMemoryServer({
  TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify([
    { organization: "acme", clientId: "me", clientSecret, role: "editor" },
    { organization: "acme", clientId: "viewer", clientSecret, role: "viewer" },
  ]),
})

/** What the tables name in braces, the longest first, as `url` contains `host`. */
let places: ReadonlyArray<readonly [name: string, place: string]> = []

let token: string

const policyYaml = `
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: fast-burn }
spec:
  severity: High
  conditions: [{ measurement: averageBurnRate, value: 20, alertingWindow: 5m }]
  alertMethods: [{ metadata: { name: on-call } }]
`

const other = createServer((_, response) => response.end("<html>"))
const tls = createTlsServer((_, response) => response.end("{}"))

beforeAll(async () => {
  const applying = startTocsin(["apply", "-f", "-"], environment())
  const methodUrl = "https://hooks.example.com/"
  applying.write(withSlo(methodYaml("on-call", methodUrl, "templateFields: [slo_name]"), policyYaml))
  await applying.ended
  token = (await tocsin(["token"], environment())).stdout.trim()
  const { ca, cert, key } = await makeCertificates({ names: ["localhost"] })
  tls.setSecureContext({ cert: `${cert}\n${ca}`, key })
  const closed = createServer()
  const closedUrl = await listen(closed)
  await closeServer(closed)
  const url = environment()["TOCSIN_URL"] ?? ""
  const { host, port } = new URL(url)
  places = [
    ["url", url],
    ["closed", closedUrl],
    ["other", await listen(other)],
    ["tls", new URL(await listen(tls)).host],
    ["host", host],
    ["port", port],
    ["now", `${new Date().toISOString().slice(0, 16)}:00Z`],
  ]
  const alert = {
    alertId: "resolved-1",
    slo: { name: "checkout", project: "default" },
    alertMethods: [{ name: "on-call", project: "default" }],
  }
  for (const status of ["triggered", "resolved"])
    await send("POST /api/alerts", {}, JSON.stringify({ ...alert, status }))
})

afterAll(async () => {
  await closeServer(other)
  await closeServer(tls)
})

const withPlaces = (text: string): string =>
  places.reduce((done, [name, place]) => done.replaceAll(`{${name}}`, place), text)

const expected = ({ answer }: Mistake): Array<string> => [answer].flat().map(withPlaces)

/** Runs a command in a folder of its own, and returns the lines of its answer. */
const linesOf = async ({
  command,
  files = {},
  environment: own = {},
}: Omit<CommandMistake, keyof Mistake>): Promise<ReadonlyArray<string>> => {
  const folder = mkdtempSync(join(scratch, "mistake-"))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), content, { mode: 0o600 })
  const variables = Object.entries({ ...environment(), ...own }).flatMap(([name, value]) =>
    value === "" ? [] : [[name, withPlaces(value)] as const],
  )
  const running = startTocsin(withPlaces(command).split(" "), Object.fromEntries(variables), folder)
  running.write("")
  const { stderr } = await running.ended
  return stderr.split("\n").map((line) => line.replace(/^tocsin: /, "").trim())
}

const send = (request: string, own: Readonly<Record<string, string>> = {}, body?: string) => {
  const [method = "", path = ""] = request.split(" ")
  const headers = Object.entries({
    authorization: `Bearer ${token}`,
    organization: "acme",
    project: "default",
    ...(body !== undefined && { "content-type": "application/json" }),
    ...own,
  }).filter(([, value]) => value !== "")
  const given = body === undefined ? {} : { body: withPlaces(body) }
  return fetch(withPlaces(`{url}${path}`), { method, headers, ...given })
}

interface ApiErrors {
  readonly errors: ReadonlyArray<{
    readonly title: string
    readonly detail?: string
    readonly source?: { readonly propertyName?: string }
  }>
}

describe.concurrent("a mistake is answered with what is wrong, where, and how to fix it", () => {
  it.for(documentMistakes)("$mistake", async (mistake, { expect }) => {
    const files = { "given.yaml": mistake.document }
    const lines = await linesOf({ command: "apply -f given.yaml --dry-run", files })
    expect(lines).toEqual(expect.arrayContaining(expected(mistake)))
  })

  it.for(commandMistakes)("tocsin $command", async (mistake, { expect }) => {
    expect(await linesOf(mistake)).toEqual(expect.arrayContaining(expected(mistake)))
  })

  it.for(requestMistakes)("$request: $mistake", async (mistake, { expect }) => {
    const response = await send(mistake.request, mistake.headers, mistake.body)
    const { errors } = (await response.json()) as ApiErrors
    const lines = errors.map(({ title, detail, source }) => {
      const problem = [source?.propertyName, title].filter((part) => part !== undefined).join(": ")
      return `${response.status} ${problem}${detail === undefined ? "" : ` (${detail})`}`
    })
    expect(lines).toEqual(expected(mistake))
  })
})
