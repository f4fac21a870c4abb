import { CryptoNode } from "@tocsin/adapters-http"
import { SecretBoxNode } from "@tocsin/adapters-http/server"
import { MemoryStores } from "@tocsin/adapters-memory"
import { publicKeyPath } from "@tocsin/domain/limits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { loadStoreModule, replacePorts } from "../src/store/StoreModule.ts"
import { dataDirectory, startTocsin, tocsin } from "../../../test/server/child-process.ts"
import { moduleOf } from "../../../test/server/stores-module-file.ts"

const environment = {
  PORT: "0",
  TOCSIN_STORE: "memory",
  TOCSIN_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
  TOCSIN_DRAIN_SECONDS: "0",
}

/** Starts a server, calls `use` with its URL, and stops it; the result, and what the server logged. */
const withServer = async <A>(
  own: Readonly<Record<string, string>>,
  use: (url: string) => Promise<A>,
): Promise<{ readonly result: A; readonly log: string }> => {
  const server = startTocsin(["serve"], { ...environment, ...own })
  const [, url = ""] = await server.until(/listening on (\S+)/)
  const result = await use(url)
  server.kill("SIGTERM")
  const { code, stderr } = await server.ended
  expect(code).toBe(0)
  return { result, log: stderr }
}

/** The ID of the key with which a server signs. */
const keyIdOf = async (own: Readonly<Record<string, string>>): Promise<string> => {
  const { result } = await withServer(own, async (url) => {
    const response = await fetch(`${url}${publicKeyPath}`)
    return (await response.json()) as { keyId: string }
  })
  return result.keyId
}

it("a server signs with the keys that the store of TOCSIN_STORES has in a file, after a restart too", async () => {
  const TOCSIN_STORES = await moduleOf('export { default } from "./signing-key-store-file.ts"')
  const SIGNING_KEYS_FILE = join(dataDirectory(), "keys.json")
  const first = await keyIdOf({ TOCSIN_STORES, SIGNING_KEYS_FILE })
  expect(readFileSync(SIGNING_KEYS_FILE, "utf8")).toContain(first)
  expect(await keyIdOf({ TOCSIN_STORES, SIGNING_KEYS_FILE })).toBe(first)
  expect(await keyIdOf({})).not.toBe(first)
})

const client = {
  organization: "acme",
  clientId: "ci",
  clientSecret: Buffer.alloc(32, 6).toString("base64"),
  role: "admin",
}

const alertMethod = {
  apiVersion: "tocsin/v1alpha",
  kind: "AlertMethod",
  metadata: { name: "pager", project: "default" },
  spec: {
    webhook: {
      url: "https://192.0.2.7/hook",
      templateFields: ["slo_name"],
      headers: [{ name: "Authorization", value: "Bearer of-the-pager", isSecret: true }],
    },
  },
}

/** Applies an alert method and tests it; what is stored and how the test was answered. */
const useAlertMethod = async (url: string) => {
  const { clientId, clientSecret } = client
  const token = await fetch(`${url}/api/accessToken`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`, organization: "acme" },
  })
  const { access_token: accessToken } = (await token.json()) as { access_token: string }
  const headers = {
    authorization: `Bearer ${accessToken}`,
    organization: "acme",
    "content-type": "application/json",
  }
  const applied = await fetch(`${url}/api/apply`, {
    method: "PUT",
    headers,
    body: JSON.stringify([alertMethod]),
  })
  const tested = await fetch(`${url}/api/alertmethods/pager/test`, {
    method: "POST",
    headers: { ...headers, project: "default" },
  })
  const stored = await fetch(`${url}/api/get/alertmethod?name=pager`, {
    headers: { ...headers, project: "default" },
  })
  expect([applied.status, await applied.text()]).toEqual([200, expect.any(String)])
  return {
    statuses: [token.status, applied.status, tested.status, stored.status],
    tested: await tested.json(),
    stored: await stored.json(),
  }
}

describe("a server with a module that replaces several ports", () => {
  const used = async (exported: string) => {
    const PORTS_FILE = join(dataDirectory(), "used.txt")
    const TOCSIN_STORES = await moduleOf(`
      import { definitionToStored } from "@tocsin/domain/adapter"
      import { DefinitionStore, reveal, WebhookTransport } from "@tocsin/domain/ports"
      import { MemoryStores } from "@tocsin/adapters-memory"
      import * as Effect from "effect/Effect"
      import * as Layer from "effect/Layer"
      import { appendFileSync } from "node:fs"

      const note = (text) => Effect.sync(() => appendFileSync(process.env.PORTS_FILE, text + "\\n"))

      /** Notes the secrets of what is stored, which the server has decoded, and changes nothing. */
      const noted = Layer.effect(DefinitionStore, Effect.map(DefinitionStore, (store) => ({
        ...store,
        change: (organization, reads, decide) => Effect.tap(store.change(organization, reads, decide), () =>
          note("stored for " + organization)),
        find: (organization, kind, key) => Effect.tap(store.find(organization, kind, key), (found) =>
          found._tag === "None" ? Effect.void :
            note("secrets " + definitionToStored(found.value.definition).secrets.map(reveal).join(" "))),
      })))

      /** Answers each request itself. */
      const transport = Layer.succeed(WebhookTransport, {
        send: ({ url, headers }) => Effect.as(
          note("sent to " + url.href + " with " + new Headers(headers).get("authorization")),
          { status: 299, body: "", headMs: 1, totalMs: 1 },
        ),
      })

      ${exported}
    `)
    const TOCSIN_BOOTSTRAP_CREDENTIALS = JSON.stringify([client])
    const own = {
      TOCSIN_STORES,
      PORTS_FILE,
      TOCSIN_BOOTSTRAP_CREDENTIALS,
      TOCSIN_EGRESS_ALLOW_CIDRS: "192.0.2.0/24",
    }
    const { result, log } = await withServer(own, useAlertMethod)
    return { ...result, log, notes: readFileSync(PORTS_FILE, "utf8").split("\n") }
  }

  const expectUsed = ({ statuses, tested, stored, notes }: Awaited<ReturnType<typeof used>>) => {
    expect(statuses).toEqual([200, 200, 200, 200])
    expect(JSON.stringify(tested)).toContain("299")
    expect(JSON.stringify(stored)).toContain("[hidden]")
    expect(notes).toContain("stored for acme")
    expect(notes.find((line) => line.startsWith("secrets"))).toContain("Bearer of-the-pager")
    expect(notes).toContain("sent to https://192.0.2.7/hook with Bearer of-the-pager")
  }

  it("stores in all stores of the module, and sends with its transport", async () => {
    const all = await used(
      "export default () => Layer.mergeAll(Layer.provideMerge(noted, MemoryStores.layer), transport)",
    )
    expectUsed(all)
    expect(all.log).toContain("Ports are replaced")
    expect(all.log).not.toContain("not those that share their data")
  })

  it("wraps a store that the server has, and says which others share its data", async () => {
    const wrapped = await used("export default Layer.merge(noted, transport)")
    expectUsed(wrapped)
    expect(wrapped.log).toMatch(/Ports are replaced, but not those that share their data.*AlertStore/)
  })
})

it("a server does not start with a module that cannot be loaded", async () => {
  const { code, stderr } = await tocsin(["serve"], { ...environment, TOCSIN_STORES: "./missing.mjs" })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^tocsin: TOCSIN_STORES: \.\/missing\.mjs cannot be loaded: Cannot find module/)
})

describe("a module is rejected", () => {
  const imports = `
    import * as Effect from "effect/Effect"
    import * as Layer from "effect/Layer"
    import { CredentialStore, DefinitionStore, SecretBox, SigningKeyStore } from "@tocsin/domain/ports"
    import * as Context from "effect/Context"
  `
  const key = Redacted.make(new Uint8Array(32))
  const open = (file: string) =>
    Effect.flatMap(loadStoreModule(file), (module) =>
      Layer.build(replacePorts(module, MemoryStores.layer, CryptoNode.layer(key))),
    ).pipe(Effect.provide(SecretBoxNode.layer({ current: key, previous: [] })))

  it.each([
    [
      "without a layer",
      "export default {}",
      "must export a layer by default, or a function that returns one",
    ],
    ["whose function returns none", "export default () => 1", "must return a layer from its default export"],
    [
      "whose function throws",
      'export default async () => { throw new Error("no disk") }',
      "cannot be opened: no disk",
    ],
    ["that throws", 'throw new Error("no disk")', "cannot be loaded: no disk"],
    [
      "without a port",
      "export default Layer.empty",
      "provides no port; its layer must provide one or more of AccessTokens, AcknowledgeTokens, AlertStore",
    ],
    [
      "that cannot be opened",
      'export default Layer.effectDiscard(Effect.fail(new Error("no disk")))',
      "cannot be opened: no disk",
    ],
    [
      "that needs what a server does not have",
      'export default Layer.effect(CredentialStore, Context.Service("Ledger"))',
      "cannot be opened: Service not found",
    ],
    [
      "with what is no port of a server",
      "export default Layer.effect(SecretBox, SecretBox)",
      "provides SecretBox, which the server takes from no module",
    ],
    [
      "that lacks operations",
      "export default Layer.succeed(SigningKeyStore, { list: 1, append: 1, setEnd: 1 })",
      "lacks SigningKeyStore.listPublicKeys, SigningKeyStore.listOrganizations",
    ],
    [
      "whose port is no object",
      "export default Layer.succeed(DefinitionStore, undefined)",
      "lacks DefinitionStore.change",
    ],
  ])("%s", async (_, code, message) => {
    const file = await moduleOf(`${imports}\n${code}`)
    const failure = await Effect.runPromise(Effect.scoped(Effect.flip(open(file))))
    expect(failure._tag).toBe("StoreModuleIsUnusable")
    expect(failure.message).toContain(`TOCSIN_STORES: ${file} ${message}`)
  })
})
