import * as SqlClient from "effect/sql/SqlClient"
import { SecretBox, type SecretPlace } from "@tocsin/domain/internal/secret/SecretBox"
import {
  type SigningKey,
  SigningKeyStore,
  SigningKeyStoreIsUnavailable,
} from "@tocsin/domain/internal/signature/SigningKeyStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { portOperation } from "../database/PortOperation.ts"
import { searchText, texts } from "../database/Parameters.ts"

/** Signing keys in PostgreSQL; the private keys are encrypted. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox

  const toSigningKey = ({ sealed, sealing_key_id, ...key }: SigningKeyRow) =>
    Effect.map(
      Effect.fromResult(box.open(signingKeyPlace(key.keyId), { keyId: sealing_key_id, bytes: sealed })),
      (privateKey): SigningKey => ({ ...key, publicKey: new Uint8Array(key.publicKey), privateKey }),
    )

  return SigningKeyStore.of({
    list: operation(
      "list",
      Effect.flatMap(
        sql<SigningKeyRow>`
          SELECT key_id AS "keyId", public_key AS "publicKey", sealed, sealing_key_id, created_at AS "createdAtMs",
            active_from AS "activeFromMs"
          FROM signing_keys ORDER BY active_from, position`,
        Effect.forEach(toSigningKey),
      ),
    ),
    append: ({ key, newestKeyId, removedKeyIds }) => {
      const sealed = box.seal(signingKeyPlace(key.keyId), key.privateKey)
      return operation(
        "append",
        sql.withTransaction(
          Effect.gen(function* () {
            // Of two rotations that started from the same newest key, the second waits here and finds another.
            yield* sql`LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE`
            const [newest] = yield* sql<{ readonly key_id: string; readonly position: number }>`
              SELECT key_id, position FROM signing_keys ORDER BY active_from DESC, position DESC LIMIT 1`
            if (newest?.key_id !== newestKeyId) return false
            yield* sql`
              INSERT INTO signing_keys
                (key_id, position, public_key, sealed, sealing_key_id, created_at, active_from)
              VALUES (${key.keyId}, ${(newest?.position ?? 0) + 1}, ${Buffer.from(key.publicKey)},
                ${Buffer.from(sealed.bytes)}, ${sealed.keyId}, ${key.createdAtMs}, ${key.activeFromMs})`
            yield* sql`
              INSERT INTO public_keys (key_id, public_key) VALUES (${key.keyId}, ${Buffer.from(key.publicKey)})
              ON CONFLICT (key_id) DO NOTHING`
            yield* sql`DELETE FROM signing_keys WHERE key_id = ANY(${texts(removedKeyIds)})`
            return true
          }),
        ),
      )
    },
    findPublicKey: operation("findPublicKey", (keyId) =>
      Effect.map(
        sql<{ readonly public_key: Uint8Array }>`
          SELECT public_key FROM public_keys WHERE key_id = ${searchText(keyId)}`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), ({ public_key }) => new Uint8Array(public_key)),
      ),
    ),
  })
})

/** The signing keys of a database. */
export const layer = Layer.effect(SigningKeyStore, make)

export const signingKeyPlace = (keyId: string): SecretPlace => ({
  organization: "",
  record: `SigningKey/${keyId}`,
})

const operation = portOperation((failure) => new SigningKeyStoreIsUnavailable(failure))

interface SigningKeyRow extends Omit<SigningKey, "privateKey"> {
  readonly sealed: Uint8Array
  readonly sealing_key_id: string
}
