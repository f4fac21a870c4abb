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

const box = SecretBoxNode.layer({ current: Redacted.make(new Uint8Array(32).fill(7)), previous: [] })
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
const using = <A, E>(use: (store: SigningKeyStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.flatMap(SigningKeyStore, use).pipe(Effect.provide(stored, { local: true })))

it("a key is there when the file is opened again, and its private part is sealed in it", async () => {
  rmSync(file, { force: true })
  await using((store) => store.append(theServer, { key, newest: undefined, removedKeyIds: [] }))
  expect(await using((store) => store.list(theServer))).toEqual([key])
  expect(existsSync(`${file}.new`)).toBe(false)
  expect(readFileSync(file, "utf8")).not.toContain(Buffer.from(new Uint8Array(32).fill(2)).toString("base64"))
})

it("a file that is no JSON makes the store unavailable, and stays as it is", async () => {
  writeFileSync(file, "{")
  const failure = await using((store) =>
    Effect.flip(store.append(theServer, { key, newest: undefined, removedKeyIds: [] })),
  )
  expect(failure).toMatchObject({ _tag: "StoreIsUnavailable", store: "SigningKeyStore", operation: "append" })
  expect(readFileSync(file, "utf8")).toBe("{")
})
