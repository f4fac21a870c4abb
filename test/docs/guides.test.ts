import {
  alertsPolicy,
  countRequestsPolicy,
  deliveriesPolicy,
  metricNamesPolicy,
  retryDelaysSeconds,
  testAlertMethodPolicy,
  testDataSourcePolicy,
  testIndicatorPolicy,
  testProposedMethodPolicy,
  testProposedSourcePolicy,
} from "@tocsin/domain/limits"
import { allParticipants } from "@tocsin/domain/features"
import {
  applyDefinitions,
  decodeDefinition,
  type DecodeOptions,
  deliveryStates,
  failureReasons,
  failureReasonText,
  notificationEvents,
  testAlertMethod,
} from "@tocsin/domain"
import type { IssueCode } from "@tocsin/domain/codec"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import { kindList } from "@tocsin/domain/definitions"
import {
  accessTokenPolicy,
  costlyReadsPolicy,
  costlyWritesPolicy,
  failedCredentialsPolicy,
  findSloPerSecond,
  findSloPolicy,
  largeBodiesPolicy,
  listSlosPolicy,
  listSlosV1Policy,
  openSessionPolicy,
  publicTokenPolicy,
  revokeKeyPolicy,
  searchSlosPolicy,
  seriesPolicy,
  sloRowsPolicy,
} from "@tocsin/domain/rate-limit"
import {
  parseTemplate,
  renderTemplate,
  sampleVariableValues,
  templateFieldsToTemplate,
  variables,
} from "@tocsin/domain/template"
import * as Result from "effect/Result"
import { CryptoNode } from "@tocsin/adapters-http"
import { readDocuments } from "@tocsin/formats/documents"
import { MemoryStores, WebhookTransportRecording } from "@tocsin/adapters-memory"
import { variableField } from "@tocsin/domain/forms"
import { startServer } from "@tocsin/server/server/Server"
import { serverDefaults } from "@tocsin/server/config/ServerConfig"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { blocksOf as fencedBlocks } from "./GuideShell.ts"

const folder = path.resolve(import.meta.dirname, "../../docs/guides")
const read = (file: string): string => readFileSync(path.join(folder, file), "utf8")

/** The fenced blocks of a text, in order, without their last line break. */
const blocksOf = (text: string) =>
  fencedBlocks(text).map(({ language, code }) => ({ language, text: code.slice(0, -1) }))

/** The cells of the table whose heading begins so, row by row, as written. */
const tableOf = (text: string, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = text.split("\n")
  const at = lines.findIndex((line) => line.replaceAll(/ +/g, " ").startsWith(`| ${heading} |`))
  expect(at, heading).toBeGreaterThan(-1)
  const end = lines.findIndex((line, index) => index > at && !line.startsWith("|"))
  return lines.slice(at + 2, end).map((line) =>
    line
      .split(" |")
      .slice(0, -1)
      .map((cell) => cell.replace(/^\|? /, "").trim()),
  )
}

const firstCells = (text: string, heading: string): ReadonlyArray<string | undefined> =>
  tableOf(text, heading).map(([cell]) => cell)

const inCode = (text: string): string => `\`${text}\``

const documentsOf = (yaml: string): ReadonlyArray<unknown> => {
  const documents = readDocuments(yaml, "application/yaml")
  if (Result.isFailure(documents)) throw new Error(documents.failure.message)
  return documents.success
}

/** The documents of the right examples of a kind's page: every YAML block that no issues follow. */
const rightDocuments = (text: string): ReadonlyArray<unknown> =>
  blocksOf(text)
    .filter(({ language }, index, blocks) => language === "yaml" && blocks[index + 1]?.language !== "issues")
    .flatMap((block) => documentsOf(block.text))

const stores = allParticipants.pipe(Layer.provideMerge(MemoryStores.layer))

const options: DecodeOptions = { vendorPrefix: "tocsin", addressPolicy: publicAddressesOnly }

describe("the guides", () => {
  it("have YAML that parses, and definitions that decode", () => {
    const pages = readdirSync(folder).flatMap((page) => {
      const blocks = blocksOf(read(page))
      return blocks
        .filter(({ language }, index) => language === "yaml" && blocks[index + 1]?.language !== "issues")
        .map(({ text }) => ({ page, text, documents: documentsOf(text) }))
    })
    expect(pages.length).toBeGreaterThan(30)
    for (const { page, text, documents } of pages) {
      if (!text.includes("apiVersion: tocsin/")) continue
      for (const document of documents) {
        // The server writes alerts, which nobody applies.
        if ((document as { readonly kind: string }).kind === "Alert") continue
        const decoded = decodeDefinition(document, options)
        expect(Result.isSuccess(decoded) ? undefined : decoded.failure, `${page}: ${text}`).toBeUndefined()
      }
    }
  })
})

describe("docs/guides/definitions.md", () => {
  const text = read("definitions.md")
  const blocks = blocksOf(text)

  it("has a right example of every kind, and all of them apply as one list", async () => {
    const applied = await Effect.runPromise(
      Effect.provide(applyDefinitions("acme", rightDocuments(text), options), stores),
    )
    expect(new Set(applied.map(({ outcome }) => outcome))).toEqual(new Set(["created"]))
    expect(new Set(applied.map(({ key }) => key.kind))).toEqual(new Set(kindList))
  })

  it("spec/definitions §7, spec/alert-methods §2: shows every issue of its invalid example, a URL without https:// among them", async () => {
    const at = blocks.findIndex(({ language }) => language === "issues")
    const rejected = await applyDefinitions("acme", documentsOf(blocks[at - 1]?.text ?? ""), options).pipe(
      Effect.flip,
      Effect.provide(stores),
      Effect.runPromise,
    )
    const issues = "issues" in rejected ? rejected.issues : []
    expect(blocks[at]?.text.split("\n")).toEqual(
      issues.map(({ path, code, message }) => `${path} — ${code} — ${message}`),
    )
  })

  it("lists every issue code", () => {
    const section = text.slice(text.indexOf("The codes are:"))
    const further = section.slice(section.indexOf("\nFor the URL of a webhook or an indicator"))
    const listed = [
      ...firstCells(section, "Code | Means").map((cell) => cell?.replaceAll("`", "")),
      ...[...further.matchAll(/`(\w+)`/g)].map(([, code]) => code),
    ]
    expect(listed).toEqual(Object.keys(everyCode))
  })

  // Another property than a code, or a missing one, does not compile.
  const everyCode: Readonly<Record<IssueCode, true>> = {
    required: true,
    wrong_type: true,
    unknown_property: true,
    not_allowed_value: true,
    invalid_format: true,
    too_long: true,
    too_many: true,
    too_few: true,
    out_of_range: true,
    duplicate: true,
    mutually_exclusive: true,
    reserved: true,
    hidden_without_stored: true,
    not_found: true,
    in_use: true,
    document_invalid: true,
    url_too_long: true,
    url_has_forbidden_character: true,
    url_escape_invalid: true,
    url_not_https: true,
    url_not_http: true,
    url_has_query: true,
    url_has_credentials: true,
    url_has_fragment: true,
    url_host_invalid: true,
    url_host_forbidden: true,
    url_address_forbidden: true,
    url_port_invalid: true,
    url_invalid: true,
    not_json: true,
    key_duplicate: true,
    too_large: true,
    too_deep: true,
    variable_unknown: true,
    variable_in_key: true,
    array_in_string: true,
    text_outside_string: true,
    brackets_missing: true,
    brackets_not_allowed: true,
  }
})

describe("docs/guides/templates.md", () => {
  const text = read("templates.md")
  const blocks = blocksOf(text)
  const after = (index: number, language: string): string | undefined => {
    const next = blocks[index + 1]
    return next?.language === language ? next.text : undefined
  }

  it("shows templates that parse, with what they render, and invalid ones with their issues", () => {
    const templates = blocks.flatMap((block, index) => (block.language === "template" ? [index] : []))
    expect(templates.length).toBeGreaterThan(5)
    for (const index of templates) {
      const parsed = parseTemplate(blocks[index]?.text ?? "")
      const errors = Result.isSuccess(parsed)
        ? undefined
        : parsed.failure.map(
            ({ code, line, column, message, hint }) =>
              `${code} — line ${line}, column ${column}: ${message}${hint === undefined ? "" : ` ${hint}`}`,
          )
      expect(after(index, "error")?.split("\n")).toEqual(errors)
      const rendered = after(index, "rendered")
      if (Result.isSuccess(parsed) && rendered !== undefined) {
        expect(renderTemplate(parsed.success, sampleVariableValues)).toBe(rendered)
      }
    }
  })

  it("shows a list of fields with what it renders", () => {
    const index = blocks.findIndex(({ language }) => language === "yaml")
    const [document] = documentsOf(blocks[index]?.text ?? "")
    const { templateFields } = document as { readonly templateFields: ReadonlyArray<string> }
    const template = templateFieldsToTemplate(templateFields)
    expect(Result.isSuccess(template) && renderTemplate(template.success, sampleVariableValues)).toBe(
      after(index, "rendered"),
    )
  })

  it("spec/templates §1: has every variable with its type, meaning and sample", () => {
    const rows = variables.map((variable) => [
      inCode(`$${variableField(variable)}`),
      variable.type,
      variable.description,
      inCode(variable.type === "text" ? variable.sample : JSON.stringify(variable.sample)),
    ])
    expect(tableOf(text, "Variable | Type | Meaning | Sample")).toEqual(rows)
  })
})

describe("docs/guides/verify-a-notification.md", () => {
  const text = read("verify-a-notification.md")

  // `test:languages` runs them.
  it.each([
    ["ts", "src/receive-node.ts"],
    ["python", "languages/python/receiver.py"],
    ["text", "languages/python/requirements.txt"],
    ["go", "languages/go/main.go"],
    ["java", "languages/java/Receiver.java"],
    ["toml", "languages/rust/Cargo.toml"],
    ["rust", "languages/rust/src/main.rs"],
  ])("shows the %s of examples/%s", (language, file) => {
    const shown = blocksOf(text).filter((block) => block.language === language)
    const example = readFileSync(path.resolve(import.meta.dirname, "../../examples", file), "utf8")
    expect(shown.map((block) => `${block.text}\n`)).toEqual([example])
  })
})

describe("docs/guides/delivery.md", () => {
  const text = read("delivery.md")

  it("spec/templates §11: shows the headers that are sent, the content type exactly application/json", async () => {
    const recording = WebhookTransportRecording.make()
    const ports = CryptoNode.layer(Redacted.make(new Uint8Array(32))).pipe(
      Layer.provideMerge(Layer.merge(stores, recording.layer)),
    )
    await applyDefinitions("acme", rightDocuments(read("definitions.md")), options).pipe(
      Effect.andThen(
        testAlertMethod("acme", { project: "shop", name: "tickets" }, { baseUrl: "http://localhost" }),
      ),
      Effect.provide(ports),
      Effect.runPromise,
    )
    const block = blocksOf(text).find(({ language }) => language === "http")?.text ?? ""
    const shown = [...block.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name, value]) => [name, value])
    const sent = recording.requests[0]?.headers ?? []
    // These two are the transport's.
    const ofTransport = ["Host", "User-Agent"]
    expect(shown.map(([name = ""]) => name).filter((name) => !ofTransport.includes(name))).toEqual(
      sent.map(([name]) => name),
    )
    expect(sent).toContainEqual(["Content-Type", "application/json"])
    expect(shown).toContainEqual(["Content-Type", "application/json"])
  })

  it("spec/delivery §5: has the wait before each attempt", () => {
    const asText = (seconds: number): string => {
      if (seconds === 0) return "immediately"
      if (seconds < 60) return `${seconds} s`
      return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`
    }
    expect(tableOf(text, "Attempt | Wait before it")).toEqual(
      retryDelaysSeconds.map((seconds, index) => [String(index + 1), asText(seconds)]),
    )
  })

  it("spec/delivery §12: has every reason in its words", () => {
    expect(tableOf(text, "Reason | Message | What to do").map((row) => row.slice(0, 2))).toEqual(
      failureReasons.map((reason) => [inCode(reason), failureReasonText[reason]]),
    )
  })

  it("names every state and every kind of event", () => {
    expect(firstCells(text, "Status (`state` in the API) | Means")).toEqual(deliveryStates.map(inCode))
    for (const event of notificationEvents) expect(text).toContain(inCode(event))
  })
})

describe("docs/guides/api.md", () => {
  const text = read("api.md")

  it("spec/rate-limits §1: has every rate limit", () => {
    const policies = [
      listSlosPolicy,
      listSlosV1Policy,
      findSloPolicy(findSloPerSecond),
      accessTokenPolicy,
      publicTokenPolicy,
      openSessionPolicy,
      metricNamesPolicy,
      seriesPolicy,
      searchSlosPolicy,
      sloRowsPolicy,
      revokeKeyPolicy,
      failedCredentialsPolicy,
      testAlertMethodPolicy,
      testProposedMethodPolicy,
      testDataSourcePolicy,
      testProposedSourcePolicy,
      testIndicatorPolicy,
      alertsPolicy(serverDefaults.quotas),
      deliveriesPolicy(serverDefaults.quotas),
      countRequestsPolicy(serverDefaults.quotas),
      costlyWritesPolicy,
      costlyReadsPolicy,
      largeBodiesPolicy,
      { name: "backtests", limit: 300, windowMs: 100_000 },
      { name: "mcp", limit: 100, windowMs: 1_000 },
    ]
    expect(tableOf(text, "Policy | Limit | Covers").map((row) => row.slice(0, 2))).toEqual(
      policies.map(({ name, limit, windowMs }) => [inCode(name), `${limit} in ${windowMs / 1_000} s`]),
    )
  })

  it("has commands that work as they stand, in sequence", () =>
    Effect.gen(function* () {
      const clientSecret = "a-secret-of-this-test-a-secret-of-this-testA"
      const { url } = yield* startServer(
        {
          ...serverDefaults,
          port: 0,
          egressAllowCidrs: ["127.0.0.1/32", "::1/128"],
          store: { kind: "memory", masterKey: Redacted.make(new Uint8Array(32)) },
          bootstrapCredentials: [
            {
              organization: "acme",
              clientId: "guide",
              clientSecret: Redacted.make(clientSecret),
              role: "editor",
            },
          ],
          logLevel: "none",
        },
        { transport: WebhookTransportRecording.make().layer },
      )
      const commands = blocksOf(text)
        .filter(({ language }) => language === "sh")
        .map((block) => block.text)
      const script = commands.join("\n").replaceAll(/curl -sSf?/g, "curl --noproxy '*' -sS --fail-with-body")
      const output = yield* Effect.promise(async () => {
        const env = {
          // The programs at the end replace those that a machine may lack.
          PATH: `${process.env["PATH"]}:${path.join(import.meta.dirname, "../server/bin")}`,
          TOCSIN_URL: url,
          TOCSIN_CLIENT_ID: "guide",
          TOCSIN_CLIENT_SECRET: clientSecret,
        }
        const ran = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { env })
        return ran.stdout
      })
      expect(output).toContain('"outcome":"created"')
      expect(output).toContain("Test completed successfully!")
      expect(output).toContain("name: search-latency")
      expect(output).toContain('"reliability":0.97')
      expect(output).toContain('"alertId":"burn-42"')
      expect(output).toContain('"publicKeyPem"')
    }).pipe(Effect.scoped, Effect.runPromise))
})
