import { clientOrganizationsMax, type Credential, CredentialStore } from "@tocsin/domain/ports"
import { describe, expect, it } from "./EffectTest.ts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/**
 * What every `CredentialStore` does.
 *
 * Each test works in organizations of its own, so the store may be a shared one; a cache in front of it must be off.
 */
export const credentialStoreContract = <E>(name: string, layer: Layer.Layer<CredentialStore, E>): void => {
  describe(`credential store, ${name}`, () => {
    it.effect("finds what was created, and nothing of another organization or client id", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const credential = credentialOf(newOrganization(), "ci")
        expect(yield* store.create(credential)).toBe(true)
        expect(yield* store.find(credential.organization, "ci")).toEqual(Option.some(credential))
        expect(yield* store.find(credential.organization, "cj")).toEqual(Option.none())
        expect(yield* store.find(newOrganization(), "ci")).toEqual(Option.none())
        for (const odd of ["ci\u0000", "\ud800"]) {
          expect(yield* store.find(credential.organization, odd)).toEqual(Option.none())
          expect(yield* store.disable(credential.organization, odd)).toBe(false)
        }
      }).pipe(Effect.provide(layer)),
    )

    it.effect("reads as it finds", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const credential = credentialOf(newOrganization(), "ci")
        yield* store.create(credential)
        expect(yield* store.read(credential.organization, "ci")).toEqual(Option.some(credential))
        expect(yield* store.read(credential.organization, "cj")).toEqual(Option.none())
        expect(yield* store.read(newOrganization(), "ci")).toEqual(Option.none())
        expect(yield* store.read(credential.organization, "ci\u0000\ud800")).toEqual(Option.none())
      }).pipe(Effect.provide(layer)),
    )

    it.effect("reads the first credentials of a client id that were created in any organization", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const clientId = `client-${crypto.randomUUID()}`
        expect(yield* store.readAnywhere(clientId)).toEqual([])
        const newest = { ...credentialOf(newOrganization(), clientId), createdAt: 1_767_225_700_000 }
        const older = Array.from({ length: clientOrganizationsMax }, (_, index) => ({
          ...credentialOf(newOrganization(), clientId),
          createdAt: 1_767_225_600_000 + index,
        }))
        for (const credential of [newest, ...older.toReversed()]) {
          yield* store.create(credential)
          yield* store.create(credentialOf(credential.organization, `${clientId}-2`))
        }
        expect(yield* store.readAnywhere(clientId)).toEqual(older)
        const [first, ...others] = older
        if (first !== undefined) yield* store.delete(first.organization, clientId)
        expect(yield* store.readAnywhere(clientId)).toEqual([...others, newest])
        expect(yield* store.readAnywhere("odd\u0000\ud800")).toEqual([])
      }).pipe(Effect.provide(layer)),
    )

    it.effect("closes a session of one organization, once or more often", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const organization = newOrganization()
        expect(yield* store.isSessionClosed(organization, "s-1")).toBe(false)
        expect(yield* store.closeSession(organization, "s-1", 1_000)).toBe(true)
        expect(yield* store.closeSession(organization, "s-1", 1_000)).toBe(false)
        expect(yield* store.closeSession(organization, "s-2", 1_000)).toBe(true)
        expect(yield* store.isSessionClosed(organization, "s-1")).toBe(true)
        expect(yield* store.isSessionClosed(organization, "s-3")).toBe(false)
        expect(yield* store.isSessionClosed(newOrganization(), "s-1")).toBe(false)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("lets one of many at once close a session", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const organization = newOrganization()
        const closed = yield* Effect.forEach(
          Array.from({ length: 8 }),
          () => store.closeSession(organization, "s-1", 1_000),
          { concurrency: "unbounded" },
        )
        expect(closed.filter((isClosed) => isClosed)).toHaveLength(1)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("replaces a secret, keeps the one before for a while, and forgets the one before that", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const credential = credentialOf(newOrganization(), "ci")
        const sibling = credentialOf(credential.organization, "cj")
        yield* store.create(credential)
        yield* store.create(sibling)
        const replace = (hash: string, until: number | undefined) =>
          store.replaceSecret(credential.organization, "ci", hash, until)
        const second = { ...credential, secretHash: "b", previousSecret: { hash: "hash", until: 2_000 } }
        expect(yield* replace("b", 2_000)).toEqual(Option.some(second))
        expect(yield* store.read(credential.organization, "ci")).toEqual(Option.some(second))
        expect(yield* store.find(credential.organization, "ci")).toEqual(Option.some(second))
        const third = { ...credential, secretHash: "c", previousSecret: { hash: "b", until: 3_000 } }
        expect(yield* replace("c", 3_000)).toEqual(Option.some(third))
        expect(yield* replace("d", undefined)).toEqual(Option.some({ ...credential, secretHash: "d" }))
        expect(yield* store.list(credential.organization)).toEqual([
          { ...credential, secretHash: "d" },
          sibling,
        ])
        for (const [organization, clientId] of [
          [credential.organization, "ck"],
          [credential.organization, "ci\u0000"],
          [newOrganization(), "ci"],
        ] as const) {
          expect(yield* store.replaceSecret(organization, clientId, "e", undefined)).toEqual(Option.none())
        }
      }).pipe(Effect.provide(layer)),
    )

    it.effect("records the latest use of a secret", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const credential = credentialOf(newOrganization(), "ci")
        yield* store.create(credential)
        for (const at of [5_000, 9_000, 7_000]) yield* store.markUsed(credential.organization, "ci", at)
        yield* store.markUsed(newOrganization(), "ci", 10_000)
        yield* store.markUsed(credential.organization, "cj", 10_000)
        const used = { ...credential, lastUsedAt: 9_000 }
        expect(yield* store.read(credential.organization, "ci")).toEqual(Option.some(used))
        expect(yield* store.list(credential.organization)).toEqual([used])
      }).pipe(Effect.provide(layer)),
    )

    it.effect("leaves the first alone when a client id is taken", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const credential = credentialOf(newOrganization(), "ci")
        yield* store.create(credential)
        expect(yield* store.create({ ...credential, role: "editor", secretHash: "other" })).toBe(false)
        expect(yield* store.find(credential.organization, "ci")).toEqual(Option.some(credential))
      }).pipe(Effect.provide(layer)),
    )

    it.effect("creates one of many at once with the same client id", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const credential = credentialOf(newOrganization(), "ci")
        const hashes = ["a", "b", "c", "d", "e", "f", "g", "h"]
        const created = yield* Effect.forEach(
          hashes,
          (secretHash) => store.create({ ...credential, secretHash }),
          { concurrency: "unbounded" },
        )
        expect(created.filter((isCreated) => isCreated)).toHaveLength(1)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("lists an organization's by code point", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const organization = newOrganization()
        for (const clientId of ["b", "a-1", "B", "a1", "~"]) {
          yield* store.create(credentialOf(organization, clientId))
        }
        yield* store.create(credentialOf(newOrganization(), "c"))
        const listed = yield* store.list(organization)
        expect(listed.map(({ clientId }) => clientId)).toEqual(["B", "a-1", "a1", "b", "~"])
        expect(yield* store.list(newOrganization())).toEqual([])
      }).pipe(Effect.provide(layer)),
    )

    it.effect("disables one, which stays listed and stays disabled", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const credential = credentialOf(newOrganization(), "ci")
        const sibling = credentialOf(credential.organization, "cj")
        yield* store.create(credential)
        yield* store.create(sibling)
        expect(yield* store.disable(credential.organization, "ci")).toBe(true)
        expect(yield* store.disable(credential.organization, "ci")).toBe(true)
        expect(yield* store.list(credential.organization)).toEqual([
          { ...credential, isDisabled: true },
          sibling,
        ])
        expect(yield* store.disable(credential.organization, "ck")).toBe(false)
        expect(yield* store.disable(newOrganization(), "ci")).toBe(false)
      }).pipe(Effect.provide(layer)),
    )

    it.effect("deletes one, whose client id is free again", () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const credential = credentialOf(newOrganization(), "ci")
        yield* store.create(credential)
        expect(yield* store.delete(newOrganization(), "ci")).toBe(false)
        expect(yield* store.delete(credential.organization, "ci")).toBe(true)
        expect(yield* store.delete(credential.organization, "ci")).toBe(false)
        expect(yield* store.find(credential.organization, "ci")).toEqual(Option.none())
        expect(yield* store.create(credential)).toBe(true)
      }).pipe(Effect.provide(layer)),
    )
  })
}

const newOrganization = (): string => `org-${crypto.randomUUID()}`

const credentialOf = (organization: string, clientId: string): Credential => ({
  organization,
  clientId,
  role: "viewer",
  secretHash: "hash",
  isDisabled: false,
  createdAt: 1_767_225_600_123,
})
