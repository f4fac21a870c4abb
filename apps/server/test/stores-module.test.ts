import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { publicKeyPath } from "@tocsin/domain/limits"
import { openStoreModule } from "../src/store/StoreModule.ts"
import { dataDirectory, startTocsin, tocsin } from "../../../test/server/child-process.ts"
import { moduleOf } from "../../../test/server/stores-module-file.ts"

const environment = {
  PORT: "0",
  TOCSIN_STORE: "memory",
  TOCSIN_MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
  TOCSIN_DRAIN_SECONDS: "0",
}

/** The ID of the key with which a server signs. */
const keyIdOf = async (own: Readonly<Record<string, string>>): Promise<string> => {
  const server = startTocsin(["serve"], { ...environment, ...own })
  const [, url = ""] = await server.until(/listening on (\S+)/)
  const response = await fetch(`${url}${publicKeyPath}`)
  const { keyId } = (await response.json()) as { keyId: string }
  server.kill("SIGTERM")
  expect((await server.ended).code).toBe(0)
  return keyId
}

it("a server signs with the keys that the store of TOCSIN_STORES has in a file, after a restart too", async () => {
  const TOCSIN_STORES = await moduleOf('export { default } from "./signing-key-store-file.ts"')
  const SIGNING_KEYS_FILE = join(dataDirectory(), "keys.json")
  const first = await keyIdOf({ TOCSIN_STORES, SIGNING_KEYS_FILE })
  expect(readFileSync(SIGNING_KEYS_FILE, "utf8")).toContain(first)
  expect(await keyIdOf({ TOCSIN_STORES, SIGNING_KEYS_FILE })).toBe(first)
  expect(await keyIdOf({})).not.toBe(first)
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
    import { CredentialStore, DefinitionStore, SealedSecrets, SigningKeyStore } from "@tocsin/domain/ports"
  `
  it.each([
    ["without a layer", "export default {}", "must export a layer by default"],
    ["that throws", 'throw new Error("no disk")', "cannot be loaded: no disk"],
    [
      "without a port",
      "export default Layer.empty",
      "provides no port; its layer must provide CredentialStore",
    ],
    [
      "that cannot be opened",
      'export default Layer.effectDiscard(Effect.fail(new Error("no disk")))',
      "cannot be opened: no disk",
    ],
    [
      "that needs what a server does not have",
      "export default Layer.effect(CredentialStore, DefinitionStore)",
      "cannot be opened: Service not found",
    ],
    [
      "with a port of a group",
      "export default Layer.succeed(DefinitionStore, {})",
      "provides DefinitionStore, which a server cannot replace alone; it may provide CredentialStore, RateLimiter, SigningKeyStore",
    ],
    [
      "that lacks operations",
      "export default Layer.succeed(SigningKeyStore, { list: 1, append: 1, setEnd: 1 })",
      "lacks SigningKeyStore.listPublicKeys, SigningKeyStore.listOrganizations",
    ],
  ])("%s", async (_, code, message) => {
    const file = await moduleOf(`${imports}\n${code}`)
    const keys = { current: Redacted.make(new Uint8Array(32)), previous: [] }
    const failure = await Effect.runPromise(Effect.scoped(Effect.flip(openStoreModule(file, keys))))
    expect(failure._tag).toBe("StoreModuleIsUnusable")
    expect(failure.message).toContain(`TOCSIN_STORES: ${file} ${message}`)
  })
})
