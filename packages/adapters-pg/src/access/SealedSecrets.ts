import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { TaggedError } from "@tocsin/domain/adapter"
import type { ProjectKey } from "@tocsin/domain/kernel"
import { redact, SealedSecrets, SecretBox, type SecretPlace, theServer } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { placeOf } from "../database/DefinitionRow.ts"
import { storeOperation } from "../database/PortOperation.ts"
import {
  contactHash,
  readSubscriber,
  removeSubscriptions,
  subscriptionPlace,
} from "../status-page/SubscriptionRows.ts"
import { signingKeyPlace } from "./SigningKeyStorePg.ts"

/** The database has secrets that none of this process's master keys decrypts. */
export class MasterKeyIsWrong extends TaggedError("MasterKeyIsWrong")<{
  /** Which key is missing, and what to do. */
  readonly message: string
}> {}

/**
 * Whether the current master key is recorded as one that encrypted something. Fails with `MasterKeyIsWrong` if any recorded
 * key is not available. Changes nothing.
 */
const isRecorded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox
  const rows = yield* sql<{ key_id: string; sealed: Uint8Array }>`SELECT key_id, sealed FROM sealing_keys`
  if (rows.some((row) => !opensSealingKey(box, row))) {
    return yield* new MasterKeyIsWrong({
      message:
        "the secrets in the database are encrypted with another master key; set TOCSIN_MASTER_KEY to that key, or, " +
        "to change the key, set TOCSIN_PREVIOUS_MASTER_KEY to that key and run `tocsin keys reseal`; if it is lost, see " +
        "/help/guides/runbooks#the-master-key-is-lost",
    })
  }
  return rows.some(({ key_id }) => key_id === box.keyId)
})

/**
 * Checks at start that every key that may have encrypted something is available, and records the current one.
 *
 * A new master key needs the previous one beside it until `resealSecrets` has run. A wrong key is thus reported here
 * rather than by the first delivery.
 */
export const checkMasterKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox
  const { bytes } = box.seal(notePlace(box.keyId), note)

  // Writing needs every node of a distributed database. A server whose key is recorded starts without it.
  if (yield* checkSealingKeys) return
  yield* operation(
    "checkMasterKey",
    sql.withTransaction(
      Effect.gen(function* () {
        // If two processes start first with different master keys, the second must see the key of the first.
        yield* sql`LOCK TABLE sealing_keys IN SHARE ROW EXCLUSIVE MODE`
        if (yield* isRecorded) return
        yield* sql`INSERT INTO sealing_keys (key_id, sealed) VALUES (${box.keyId}, ${Buffer.from(bytes)})`
      }),
    ),
  )
})

/** As `checkMasterKey`, without recording the current key; returns whether it is recorded. */
export const checkSealingKeys = Effect.suspend(() => operation("checkMasterKey", isRecorded))

/** Whether a master key of the box is the one of a row of `sealing_keys`. */
export const opensSealingKey = (
  box: typeof SecretBox.Service,
  { key_id, sealed }: { readonly key_id: string; readonly sealed: Uint8Array },
): boolean => Result.isSuccess(box.open(notePlace(key_id), { keyId: key_id, bytes: sealed }))

/**
 * Encrypts every secret with the current key that another key encrypted; returns how many. Works in batches, while
 * servers run; an interrupted run keeps what it has done.
 *
 * Afterwards no process needs the previous master key. Do not run it while a process still encrypts with that key.
 */
export const resealSecrets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox

  const open = (place: SecretPlace, { sealed, sealing_key_id }: SealedRow) =>
    Effect.fromResult(box.open(place, { keyId: sealing_key_id, bytes: sealed }))

  const reseal = (place: SecretPlace, row: SealedRow) =>
    Effect.map(open(place, row), (secret) => Buffer.from(box.seal(place, secret).bytes))

  /** Reads without locking: a secret that is replaced meanwhile is not written, and the next batch finds what it became. */
  const definitionBatch = Effect.gen(function* () {
    const rows = yield* sql<DefinitionSecretRow>`
      SELECT organization, kind, project, name, sealed, sealing_key_id FROM definitions
      WHERE sealing_key_id < ${box.keyId} OR sealing_key_id > ${box.keyId}
      LIMIT ${batchMax}`
    for (const row of rows) {
      const bytes = yield* reseal(placeOf(row.organization, row), row)
      yield* sql`
        UPDATE definitions SET sealed = ${bytes}, sealing_key_id = ${box.keyId}
        WHERE organization = ${row.organization} AND kind = ${row.kind}
          AND project = ${row.project} AND name = ${row.name} AND sealed = ${Buffer.from(row.sealed)}`
    }
    return rows.length
  })

  const signingKeyBatch = Effect.gen(function* () {
    const rows = yield* sql<SealedRow & { key_id: string }>`
      SELECT key_id, sealed, sealing_key_id FROM signing_keys
      WHERE sealing_key_id <> ${box.keyId} LIMIT ${batchMax} FOR UPDATE`
    for (const row of rows) {
      const bytes = yield* reseal(signingKeyPlace(theServer, row.key_id), row)
      yield* sql`
        UPDATE signing_keys SET sealed = ${bytes}, sealing_key_id = ${box.keyId} WHERE key_id = ${row.key_id}`
    }
    return rows.length
  })

  /** Reads without locking: what is sealed of a key never changes otherwise, and a key that was deleted is not written. */
  const organizationKeyBatch = Effect.gen(function* () {
    const rows = yield* sql<SealedRow & { organization: string; key_id: string }>`
      SELECT organization, key_id, sealed, sealing_key_id FROM organization_signing_keys
      WHERE sealing_key_id < ${box.keyId} OR sealing_key_id > ${box.keyId}
      LIMIT ${batchMax}`
    for (const row of rows) {
      const bytes = yield* reseal(signingKeyPlace(row.organization, row.key_id), row)
      yield* sql`
        UPDATE organization_signing_keys SET sealed = ${bytes}, sealing_key_id = ${box.keyId}
        WHERE organization = ${row.organization} AND key_id = ${row.key_id}`
    }
    return rows.length
  })

  /**
   * Reads without locking, as `organizationKeyBatch`. The recipient is hashed with the current key too. One that has subscribed again
   * since keeps the later subscription, unless only the earlier one is confirmed.
   */
  const subscriptionBatch = Effect.gen(function* () {
    const rows = yield* sql<
      SealedRow & { organization: string; project: string; id: string; is_confirmed: boolean }
    >`
      SELECT organization, project, id, sealed, sealing_key_id, expires_at IS NULL AS is_confirmed
      FROM status_page_subscriptions
      WHERE sealing_key_id < ${box.keyId} OR sealing_key_id > ${box.keyId}
      LIMIT ${batchMax}`
    for (const row of rows) {
      const { organization, project, id } = row
      const place = subscriptionPlace(organization, id)
      const secret = yield* open(place, row)
      const { contact } = yield* Effect.fromResult(readSubscriber(id, secret))
      const hash = contactHash(box, organization, project, contact)
      const [again] = yield* sql<{ readonly id: string; readonly is_confirmed: boolean }>`
        SELECT id, expires_at IS NULL AS is_confirmed FROM status_page_subscriptions
        WHERE organization = ${organization} AND project = ${project} AND contact_hash = ${hash} AND id <> ${id}`
      const removed =
        again === undefined ? undefined : row.is_confirmed && !again.is_confirmed ? again.id : id
      if (removed !== undefined) yield* removeSubscriptions(sql, organization, sql`id = ${removed}`)
      if (removed === id) continue
      yield* sql`
        UPDATE status_page_subscriptions SET sealed = ${Buffer.from(box.seal(place, secret).bytes)},
          sealing_key_id = ${box.keyId}, contact_hash = ${hash}
        WHERE organization = ${organization} AND id = ${id}`
    }
    return rows.length
  })

  const inBatches = <E, R>(batch: Effect.Effect<number, E, R>) =>
    Effect.gen(function* () {
      let sum = 0
      for (;;) {
        const count = yield* operation("reseal", batch)
        if (count === 0) return sum
        sum += count
      }
    })

  const definitions = yield* inBatches(definitionBatch)
  const signingKeys = yield* inBatches(sql.withTransaction(signingKeyBatch))
  const organizationKeys = yield* inBatches(organizationKeyBatch)
  const subscriptions = yield* inBatches(sql.withTransaction(subscriptionBatch))
  yield* operation("reseal", sql`DELETE FROM sealing_keys WHERE key_id <> ${box.keyId}`)
  return definitions + signingKeys + organizationKeys + subscriptions
})

/** The sealed secrets of a database. */
export const layer: Layer.Layer<SealedSecrets, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  SealedSecrets,
  Effect.map(Effect.context<SqlClient.SqlClient | SecretBox>(), (ports) => ({
    reseal: Effect.provide(resealSecrets, ports),
  })),
)

const operation = storeOperation("SealedSecrets")

const batchMax = 100
const note = redact(new TextEncoder().encode("tocsin"))
const notePlace = (keyId: string): SecretPlace => ({ organization: "", record: `SealingKey/${keyId}` })

interface SealedRow {
  readonly sealed: Uint8Array
  readonly sealing_key_id: string
}

interface DefinitionSecretRow extends SealedRow, ProjectKey {
  readonly organization: string
  readonly kind: string
}
