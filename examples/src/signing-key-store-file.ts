// A `SigningKeyStore` in a JSON file, for one process, as an example of an adapter of your own. Its suite is
// test/embedding/signing-key-store-file.test.ts. A Tocsin server uses it with TOCSIN_STORES=./signing-key-store-file.js.
import {
  type KeyOwner,
  type NewestKey,
  SecretBox,
  type SigningKey,
  SigningKeyStore,
  StoreIsUnavailable,
  theServer,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"

/** A key as the file has it, with bytes in base64. Of a deleted key, the private part is gone. */
interface StoredKey extends Omit<SigningKey, "publicKey" | "privateKey"> {
  readonly publicKey: string
  readonly sealed?: { readonly keyId: string; readonly bytes: string }
}

/** The keys of each owner, oldest first. */
type Contents = Readonly<Record<KeyOwner, ReadonlyArray<StoredKey>>>

/**
 * A store in a file, which is created with the first key. The master key seals the private keys in it; when the store is opened
 * with a new master key, it seals them again.
 */
export const layer = (file: string): Layer.Layer<SigningKeyStore, StoreIsUnavailable, SecretBox> =>
  Layer.effect(
    SigningKeyStore,
    Effect.flatMap(SecretBox, (box) => make(file, box)),
  )

/** What a Tocsin server takes from the module. */
export default Layer.unwrap(Effect.sync(() => layer(process.env["SIGNING_KEYS_FILE"] ?? "signing-keys.json")))

const make = (
  file: string,
  box: SecretBox["Service"],
): Effect.Effect<SigningKeyStore["Service"], StoreIsUnavailable> => {
  const read = (): Contents => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {})
  /** The file is replaced in one step: a process that is killed leaves the old one or the new one. */
  const write = (contents: Contents): void => {
    writeFileSync(`${file}.new`, JSON.stringify(contents), { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
  }
  const attempt = <A>(operation: string, run: () => A) =>
    Effect.try({
      try: run,
      catch: (cause) =>
        new StoreIsUnavailable({ store: "SigningKeyStore", operation, isRetryable: false, cause }),
    })
  const placeOf = (owner: KeyOwner, keyId: string) => ({ organization: owner, record: `SigningKey/${keyId}` })
  const seal = (owner: KeyOwner, { publicKey, privateKey, ...key }: SigningKey): StoredKey => {
    const { keyId, bytes } = box.seal(placeOf(owner, key.keyId), privateKey)
    return { ...key, publicKey: textOf(publicKey), sealed: { keyId, bytes: textOf(bytes) } }
  }
  const open = (owner: KeyOwner, { publicKey, sealed, ...key }: StoredKey): ReadonlyArray<SigningKey> => {
    if (sealed === undefined) return []
    const bytes = bytesOf(sealed.bytes)
    const opened = box.open(placeOf(owner, key.keyId), { keyId: sealed.keyId, bytes })
    return [{ ...key, publicKey: bytesOf(publicKey), privateKey: Result.getOrThrow(opened) }]
  }
  /** Seals again what a previous master key has sealed. */
  const reseal = (): void => {
    const isOld = ({ sealed }: StoredKey) => sealed !== undefined && sealed.keyId !== box.keyId
    const contents = Object.entries(read())
    if (!contents.some(([, keys]) => keys.some(isOld))) return
    const resealed = contents.map(([owner, keys]): [KeyOwner, ReadonlyArray<StoredKey>] => [
      owner,
      keys.flatMap((key) => (isOld(key) ? open(owner, key).map((opened) => seal(owner, opened)) : [key])),
    ])
    write(Object.fromEntries(resealed))
  }
  /** Changes the keys of an owner unless another change came first. Nothing runs between the read and the write. */
  const change = (
    operation: string,
    owner: KeyOwner,
    { newest, removedKeyIds }: { readonly newest: NewestKey; readonly removedKeyIds: ReadonlyArray<string> },
    changed: (keys: ReadonlyArray<StoredKey>) => ReadonlyArray<StoredKey>,
  ) =>
    attempt(operation, () => {
      const contents = read()
      const keys = contents[owner] ?? []
      const stored = keys.findLast(({ sealed }) => sealed !== undefined)
      if (stored?.keyId !== newest?.keyId || stored?.endsAtMs !== newest?.endsAtMs) return false
      const kept = keys.map(({ sealed, ...key }): StoredKey =>
        sealed === undefined || removedKeyIds.includes(key.keyId) ? key : { ...key, sealed },
      )
      write({ ...contents, [owner]: changed(kept) })
      return true
    })
  return Effect.as(attempt("open", reseal), {
    list: (owner) => attempt("list", () => (read()[owner] ?? []).flatMap((key) => open(owner, key))),
    append: (owner, { key, end, ...expected }) =>
      change("append", owner, expected, (keys) => [
        ...(end === undefined ? keys : withEnd(keys, end.keyId, end.endsAtMs)),
        seal(owner, key),
      ]),
    setEnd: (organization, { keyId, endsAtMs, ...expected }) =>
      change("setEnd", organization, expected, (keys) => withEnd(keys, keyId, endsAtMs)),
    listPublicKeys: (owner) =>
      attempt("listPublicKeys", () =>
        (read()[owner] ?? []).map(({ keyId, publicKey }) => ({ keyId, publicKey: bytesOf(publicKey) })),
      ),
    listOrganizations: attempt("listOrganizations", () =>
      Object.keys(read()).filter((owner) => owner !== theServer),
    ),
  })
}

const withEnd = (keys: ReadonlyArray<StoredKey>, keyId: string, endsAtMs: number | undefined) =>
  keys.map(({ endsAtMs: previous, ...key }): StoredKey => {
    const end = key.keyId === keyId ? endsAtMs : previous
    return end === undefined ? key : { ...key, endsAtMs: end }
  })

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64"))
