import { makeSecretBox } from "@tocsin/adapters-http/server"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import { checkMasterKey, resealSecrets } from "../../src/access/SealedSecrets.ts"
import * as SigningKeyStorePg from "../../src/access/SigningKeyStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as StatusPageSubscriptionStorePg from "../../src/status-page/StatusPageSubscriptionStorePg.ts"
import { definitionsAreEqual } from "@tocsin/domain/adapter"
import type { StatusPageSubscription } from "@tocsin/domain/features/status-page"
import {
  DefinitionStore,
  SecretBox,
  SigningKeyStore,
  StatusPageSubscriptionStore,
  theServer,
} from "@tocsin/domain/ports"
import * as SqlClient from "effect/sql/SqlClient"
import { aMethod, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { layer } from "./AdapterDatabase.ts"

const masterKey = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const oldBox = makeSecretBox({ current: masterKey(1), previous: [] })
const bothBox = makeSecretBox({ current: masterKey(2), previous: [masterKey(1)] })
const newBox = makeSecretBox({ current: masterKey(2), previous: [] })

/** Runs with the stores under a box. */
const under = (box: SecretBox["Service"]) =>
  Effect.provide(
    Layer.mergeAll(DefinitionStorePg.layer, SigningKeyStorePg.layer).pipe(
      Layer.provideMerge(Layer.succeed(SecretBox, box)),
    ),
  )

const methodOf = (index: number) =>
  aMethod(
    { project: "shop", name: `pager-${index}` },
    {
      url: `https://hooks.example.com/s3cr3t-url-${index}`,
      headers: [{ name: "Authorization", value: Redacted.make(`s3cr3t-header-${index}`), isSecret: true }],
    },
  )

const signingKey = {
  keyId: "key",
  publicKey: new Uint8Array(32).fill(2),
  privateKey: Redacted.make(new TextEncoder().encode("s3cr3t-signing-key-of-32-bytes--")),
  createdAtMs: 1,
  activeFromMs: 2,
}

const fill = (methods: number) =>
  Effect.gen(function* () {
    yield* checkMasterKey
    yield* putDefinitions(
      "acme",
      Array.from({ length: methods }, (_, index) => methodOf(index)),
    )
    const keys = yield* SigningKeyStore
    for (const owner of [theServer, "acme"])
      yield* keys.append(owner, { key: signingKey, newest: undefined, removedKeyIds: [] })
  })

const readAll = (methods: number) =>
  Effect.gen(function* () {
    const store = yield* DefinitionStore
    const page = yield* store.list("acme", { kind: "AlertMethod" }, { limit: 1_000 })
    expect(page.items).toHaveLength(methods)
    const stored = Option.getOrThrow(
      yield* store.find("acme", "AlertMethod", { project: "shop", name: `pager-${methods - 1}` }),
    )
    expect(definitionsAreEqual(stored.definition, methodOf(methods - 1))).toBe(true)
    for (const owner of [theServer, "acme"])
      expect(yield* (yield* SigningKeyStore).list(owner)).toEqual([signingKey])
  })

describe("secrets in the database", () => {
  it.effect("are in no column in plain text", () =>
    Effect.gen(function* () {
      yield* under(oldBox)(fill(1))
      const sql = yield* SqlClient.SqlClient
      for (const table of ["definitions", "signing_keys", "organization_signing_keys", "sealing_keys"]) {
        const rows = yield* sql.unsafe<{ row: string }>(`SELECT t::text AS row FROM ${table} t`)
        expect(rows).toHaveLength(1)
        for (const { row } of rows) {
          for (const form of ["s3cr3t", Buffer.from("s3cr3t").toString("hex")])
            expect(row).not.toContain(form)
        }
      }
      yield* under(oldBox)(readAll(1))
    }).pipe(Effect.provide(layer)),
  )

  it.effect("do not open in a row that was copied to another organization or name", () =>
    Effect.gen(function* () {
      yield* under(oldBox)(fill(1))
      const sql = yield* SqlClient.SqlClient
      const copy = (organization: string, name: string) => sql`
        INSERT INTO definitions
        SELECT ${organization}, kind, project, ${name},
          replace(definition, 'pager-0', ${name}), labels, sealed, sealing_key_id,
          version, created_at, updated_at
        FROM definitions WHERE organization = 'acme' AND name = 'pager-0'`
      yield* copy("evil", "pager-0")
      yield* copy("acme", "pager-1")
      const find = (organization: string, name: string) =>
        under(oldBox)(
          Effect.flatMap(DefinitionStore, (store) =>
            Effect.flip(store.find(organization, "AlertMethod", { project: "shop", name })),
          ),
        )
      for (const failed of [yield* find("evil", "pager-0"), yield* find("acme", "pager-1")]) {
        expect(failed).toMatchObject({ store: "DefinitionStore", isRetryable: false })
      }
      yield* sql`
        INSERT INTO organization_signing_keys
        SELECT 'evil', position, key_id, public_key, sealed, sealing_key_id, created_at, active_from, ends_at
        FROM organization_signing_keys WHERE organization = 'acme'`
      yield* sql`
        UPDATE signing_keys SET sealed = o.sealed FROM organization_signing_keys o WHERE o.organization = 'acme'`
      for (const owner of [theServer, "evil"]) {
        const opened = yield* under(oldBox)(
          Effect.flatMap(SigningKeyStore, (store) => Effect.flip(store.list(owner))),
        )
        expect(opened).toMatchObject({ store: "SigningKeyStore", isRetryable: false })
      }
    }).pipe(Effect.provide(layer)),
  )

  it.effect("report a wrong master key at the start", () =>
    Effect.gen(function* () {
      yield* under(oldBox)(checkMasterKey)
      yield* under(oldBox)(checkMasterKey)
      const refused = yield* Effect.flip(under(newBox)(checkMasterKey))
      expect(refused).toMatchObject({ _tag: "MasterKeyIsWrong" })
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/operations §2: move to a new master key, while processes with the old one beside it continue",
    () =>
      Effect.gen(function* () {
        const methods = 250
        yield* under(oldBox)(fill(methods))
        yield* under(bothBox)(checkMasterKey)
        yield* under(bothBox)(readAll(methods))
        expect(yield* under(bothBox)(resealSecrets)).toBe(methods + 2)
        expect(yield* under(bothBox)(resealSecrets)).toBe(0)
        yield* under(newBox)(checkMasterKey)
        yield* under(newBox)(readAll(methods))
        expect(yield* Effect.flip(under(oldBox)(checkMasterKey))).toMatchObject({ _tag: "MasterKeyIsWrong" })
      }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "spec/status-pages §4: find a recipient by a hash that needs the master key, also a new one",
    () =>
      Effect.gen(function* () {
        const subscriptions = StatusPageSubscriptionStorePg.layer.pipe(Layer.provide(DeliveryHints.layer))
        const of =
          (box: SecretBox["Service"]) =>
          <A, E>(use: (store: StatusPageSubscriptionStore["Service"]) => Effect.Effect<A, E>) =>
            Effect.flatMap(StatusPageSubscriptionStore, use).pipe(
              Effect.provide(subscriptions.pipe(Layer.provide(Layer.succeed(SecretBox, box)))),
            )
        const contact = Redacted.make("ada@example.com")
        const subscription = (
          id: string,
          state: Partial<StatusPageSubscription>,
        ): StatusPageSubscription => ({
          id,
          project: "shop",
          kind: "email",
          contact,
          token: Redacted.make(id),
          createdAt: 0,
          ...state,
        })
        const found = (box: SecretBox["Service"]) =>
          of(box)((store) => Effect.map(store.findContact("acme", "shop", contact), Option.getOrUndefined))
        const put = (
          box: SecretBox["Service"],
          id: string,
          state: Partial<StatusPageSubscription> = { confirmedAt: 0 },
        ) => of(box)((store) => store.put("acme", subscription(id, state), id, 0))
        expect(yield* put(oldBox, "a")).toBe("stored")
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{
          readonly contact_hash: string
        }>`SELECT contact_hash FROM status_page_subscriptions`
        const plain = ["acme shop email ada@example.com", "ada@example.com"].map((text) =>
          createHash("sha256").update(text).digest("base64url"),
        )
        expect(row?.contact_hash).toHaveLength(43)
        expect(plain).not.toContain(row?.contact_hash)
        expect([(yield* found(oldBox))?.id, yield* found(newBox)]).toEqual(["a", undefined])
        // Before the secrets have moved, the recipient can subscribe again, which fails neither.
        expect(yield* put(bothBox, "b")).toBe("stored")
        expect(yield* under(bothBox)(resealSecrets)).toBe(1)
        // Both are confirmed: the later one stays.
        expect([(yield* found(newBox))?.id, yield* found(oldBox)]).toEqual(["b", undefined])
        yield* of(newBox)((store) => store.remove("acme", "b"))
        expect(yield* put(oldBox, "c")).toBe("stored")
        expect(yield* put(bothBox, "d", { expiresAt: 86_400_000 })).toBe("stored")
        expect(yield* under(bothBox)(resealSecrets)).toBe(1)
        // The later one was not confirmed.
        expect((yield* found(newBox))?.id).toBe("c")
        expect(yield* sql`SELECT id FROM status_page_subscriptions`).toEqual([{ id: "c" }])
      }).pipe(Effect.provide(layer)),
  )
})
