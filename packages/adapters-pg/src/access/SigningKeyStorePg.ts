import * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId } from "@tocsin/domain/kernel"
import {
  type KeyOwner,
  type NewestKey,
  type PublicKey,
  SecretBox,
  type SecretPlace,
  type SigningKey,
  type SigningKeyAppend,
  type SigningKeyEnd,
  SigningKeyStore,
  theServer,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { storeOperation } from "../database/PortOperation.ts"
import { texts } from "../database/Parameters.ts"

/** Signing keys in PostgreSQL; the private keys are encrypted, each for its owner. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox

  const toSigningKey = (owner: KeyOwner, { sealed, sealing_key_id, endsAtMs, ...key }: SigningKeyRow) =>
    Effect.map(
      Effect.fromResult(
        box.open(signingKeyPlace(owner, key.keyId), { keyId: sealing_key_id, bytes: sealed }),
      ),
      (privateKey): SigningKey => ({
        ...key,
        publicKey: new Uint8Array(key.publicKey),
        privateKey,
        ...(endsAtMs !== null && { endsAtMs }),
      }),
    )

  const server = {
    list: sql<SigningKeyRow>`
      SELECT key_id AS "keyId", public_key AS "publicKey", sealed, sealing_key_id, created_at AS "createdAtMs",
        active_from AS "activeFromMs", ends_at AS "endsAtMs"
      FROM signing_keys ORDER BY active_from, position`,

    append: ({ key, newest, removedKeyIds, end }: SigningKeyAppend) =>
      Effect.gen(function* () {
        const sealed = box.seal(signingKeyPlace(theServer, key.keyId), key.privateKey)
        // Of two rotations that started from the same newest key, the second waits here and finds another.
        yield* sql`LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE`
        const [stored] = yield* sql<NewestRow>`
          SELECT key_id, position, ends_at FROM signing_keys
          ORDER BY active_from DESC, position DESC LIMIT 1`
        if (!isNewest(stored, newest)) return false
        yield* sql`
          INSERT INTO signing_keys (key_id, position, public_key, sealed, sealing_key_id, created_at, active_from)
          VALUES (${key.keyId}, ${(stored?.position ?? 0) + 1}, ${Buffer.from(key.publicKey)},
            ${Buffer.from(sealed.bytes)}, ${sealed.keyId}, ${key.createdAtMs}, ${key.activeFromMs})`
        yield* sql`
          INSERT INTO public_keys (key_id, public_key) VALUES (${key.keyId}, ${Buffer.from(key.publicKey)})
          ON CONFLICT (key_id) DO NOTHING`
        if (end !== undefined)
          yield* sql`UPDATE signing_keys SET ends_at = ${end.endsAtMs} WHERE key_id = ${end.keyId}`
        yield* sql`DELETE FROM signing_keys WHERE key_id = ANY(${texts(removedKeyIds)})`
        return true
      }),

    listPublicKeys: sql<PublicKey>`SELECT key_id AS "keyId", public_key AS "publicKey" FROM public_keys`,
  }

  const ofOrganization = (organization: OrganizationId) => {
    /** The newest key, after those who change the keys of the organization at the same time. */
    const lockNewest = Effect.gen(function* () {
      yield* sql`
        SELECT FROM organization_signing_keys WHERE organization = ${organization} ORDER BY position FOR UPDATE`
      const [newest] = yield* sql<NewestRow>`
        SELECT key_id, position, ends_at FROM organization_signing_keys WHERE organization = ${organization}
        ORDER BY active_from DESC, position DESC LIMIT 1`
      return newest
    })

    const writeEnd = (keyId: string, endsAtMs: number | undefined) => sql`
      UPDATE organization_signing_keys SET ends_at = ${endsAtMs ?? null}
      WHERE organization = ${organization} AND key_id = ${keyId}`

    const remove = (keyIds: ReadonlyArray<string>) => sql`
      DELETE FROM organization_signing_keys
      WHERE organization = ${organization} AND key_id = ANY(${texts(keyIds)})`

    return {
      list: sql<SigningKeyRow>`
        SELECT key_id AS "keyId", public_key AS "publicKey", sealed, sealing_key_id, created_at AS "createdAtMs",
          active_from AS "activeFromMs", ends_at AS "endsAtMs"
        FROM organization_signing_keys WHERE organization = ${organization} ORDER BY active_from, position`,

      append: ({ key, newest, removedKeyIds, end }: SigningKeyAppend) =>
        Effect.gen(function* () {
          const sealed = box.seal(signingKeyPlace(organization, key.keyId), key.privateKey)
          const stored = yield* lockNewest
          if (!isNewest(stored, newest)) return false
          if (stored === undefined) {
            yield* sql`INSERT INTO signing_key_owners (owner) VALUES (${organization}) ON CONFLICT (owner) DO NOTHING`
          }
          // Without a key there is none to lock: of two first keys, the second waits here and finds its position taken.
          const inserted = yield* sql`
            INSERT INTO organization_signing_keys
              (organization, position, key_id, public_key, sealed, sealing_key_id, created_at, active_from)
            VALUES (${organization}, ${(stored?.position ?? 0) + 1}, ${key.keyId}, ${Buffer.from(key.publicKey)},
              ${Buffer.from(sealed.bytes)}, ${sealed.keyId}, ${key.createdAtMs}, ${key.activeFromMs})
            ON CONFLICT (organization, position) DO NOTHING RETURNING true`
          if (inserted.length === 0) return false
          yield* sql`
            INSERT INTO organization_public_keys (organization, key_id, public_key)
            VALUES (${organization}, ${key.keyId}, ${Buffer.from(key.publicKey)})
            ON CONFLICT (organization, key_id) DO NOTHING`
          if (end !== undefined) yield* writeEnd(end.keyId, end.endsAtMs)
          yield* remove(removedKeyIds)
          return true
        }),

      setEnd: ({ newest, keyId, endsAtMs, removedKeyIds }: SigningKeyEnd) =>
        Effect.gen(function* () {
          if (!isNewest(yield* lockNewest, newest)) return false
          yield* writeEnd(keyId, endsAtMs)
          yield* remove(removedKeyIds)
          return true
        }),

      listPublicKeys: sql<PublicKey>`
        SELECT key_id AS "keyId", public_key AS "publicKey" FROM organization_public_keys
        WHERE organization = ${organization}`,
    }
  }

  const keysOf = (owner: KeyOwner) => (owner === theServer ? server : ofOrganization(owner))

  return SigningKeyStore.of({
    list: operation("list", (owner) =>
      Effect.flatMap(keysOf(owner).list, (rows) => Effect.forEach(rows, (row) => toSigningKey(owner, row))),
    ),
    append: operation("append", (owner, append) => sql.withTransaction(keysOf(owner).append(append))),
    setEnd: operation("setEnd", (organization, end) =>
      sql.withTransaction(ofOrganization(organization).setEnd(end)),
    ),
    listPublicKeys: operation("listPublicKeys", (owner) =>
      Effect.map(keysOf(owner).listPublicKeys, (rows) =>
        rows.map(({ keyId, publicKey }): PublicKey => ({ keyId, publicKey: new Uint8Array(publicKey) })),
      ),
    ),
    listOrganizations: operation(
      "listOrganizations",
      Effect.map(sql<{ readonly owner: string }>`SELECT owner FROM signing_key_owners`, (rows) =>
        rows.map(({ owner }) => owner),
      ),
    ),
  })
})

/** The signing keys of a database. */
export const layer = Layer.effect(SigningKeyStore, make)

export const signingKeyPlace = (owner: KeyOwner, keyId: string): SecretPlace => ({
  organization: owner,
  record: `SigningKey/${keyId}`,
})

const isNewest = (stored: NewestRow | undefined, expected: NewestKey): boolean =>
  stored?.key_id === expected?.keyId && (stored?.ends_at ?? undefined) === expected?.endsAtMs

const operation = storeOperation("SigningKeyStore")

interface NewestRow {
  readonly key_id: string
  readonly position: number
  readonly ends_at: number | null
}

interface SigningKeyRow extends Omit<SigningKey, "privateKey" | "endsAtMs"> {
  readonly sealed: Uint8Array
  readonly sealing_key_id: string
  readonly endsAtMs: number | null
}
