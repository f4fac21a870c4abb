import { SecretBoxNode } from "@tocsin/adapters-http/server"
import { SigningKeyStore, theServer } from "@tocsin/domain/ports"
import * as SigningKeyStoreFile from "@tocsin/examples/signing-key-store-file"
import { signingKeyStoreContract } from "@tocsin/testing/contracts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"

const masterKey = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const box = SecretBoxNode.layer({ current: masterKey(7), previous: [] })
const folder = mkdtempSync(join(tmpdir(), "tocsin-keys-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = join(folder, "signing-keys.json")
const stored = SigningKeyStoreFile.layer(file).pipe(Layer.provide(box))
const empty = Layer.effectDiscard(Effect.sync(() => rmSync(file, { force: true })))

signingKeyStoreContract("in a file", stored.pipe(Layer.provide(empty)), 20)

const key = {
  keyId: "first",
  publicKey: new Uint8Array(32).fill(1),
  privateKey: Redacted.make(new Uint8Array(32).fill(2)),
  createdAtMs: 1_000,
  activeFromMs: 1_000,
}
const using = <A, E>(use: (store: SigningKeyStore["Service"]) => Effect.Effect<A, E>, layer = stored) =>
  Effect.runPromise(Effect.flatMap(SigningKeyStore, use).pipe(Effect.provide(layer)))

it("a key is there when the file is opened again, and its private part is sealed in it", async () => {
  rmSync(file, { force: true })
  await using((store) => store.append(theServer, { key, newest: undefined, removedKeyIds: [] }))
  expect(await using((store) => store.list(theServer))).toEqual([key])
  expect(existsSync(`${file}.new`)).toBe(false)
  expect(readFileSync(file, "utf8")).not.toContain(Buffer.from(new Uint8Array(32).fill(2)).toString("base64"))
})

it("a new master key seals the keys again when the file is opened with both", async () => {
  rmSync(file, { force: true })
  await using((store) => store.append("acme", { key, newest: undefined, removedKeyIds: [] }))
  const under = (keys: Parameters<typeof SecretBoxNode.layer>[0]) =>
    SigningKeyStoreFile.layer(file).pipe(Layer.provide(SecretBoxNode.layer(keys)))
  const list = (store: SigningKeyStore["Service"]) => store.list("acme")
  expect(await using(list, under({ current: masterKey(8), previous: [masterKey(7)] }))).toEqual([key])
  expect(await using(list, under({ current: masterKey(8), previous: [] }))).toEqual([key])
  await expect(using(list)).rejects.toMatchObject({ _tag: "StoreIsUnavailable", operation: "open" })
})

it("a file that is no JSON makes the store unavailable, and stays as it is", async () => {
  writeFileSync(file, "{")
  await expect(using((store) => store.list(theServer))).rejects.toMatchObject({
    _tag: "StoreIsUnavailable",
    store: "SigningKeyStore",
    operation: "open",
  })
  expect(readFileSync(file, "utf8")).toBe("{")
})
