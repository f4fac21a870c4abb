import { CredentialStoreMemory } from "@tocsin/adapters-memory"
import { HashNode } from "@tocsin/adapters-http/crypto"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { disableCredential } from "@tocsin/domain"
import { type Credential, CredentialStore } from "@tocsin/domain/ports"
import { ensureBootstrapCredential } from "../src/server/BootstrapCredentials.ts"
import type { BootstrapCredential } from "../src/config/Settings.ts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Redacted from "effect/Redacted"

const ports = Layer.mergeAll(CredentialStoreMemory.layer, HashNode.layer, SecureRandom.layerWebCrypto)
const one: BootstrapCredential = {
  organization: "acme",
  clientId: "ci",
  clientSecret: Redacted.make("0123456789abcdef0123456789abcdef0123456789A"),
  role: "viewer",
}
const stored = Effect.flatMap(CredentialStore, (store) => store.list("acme"))

/** Starts with a credential in the configuration; returns what is stored and logged. */
const startWith = (wanted: BootstrapCredential) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ message, fiber }) => {
      const { organization, clientId } = fiber.getRef(References.CurrentLogAnnotations)
      lines.push(`${String(message)} ${String(organization)}/${String(clientId)}`)
    })
    yield* Effect.provide(ensureBootstrapCredential(wanted), Logger.layer([logger]))
    const [credential, ...others] = yield* stored
    expect(others).toEqual([])
    return { credential: credential as Credential, log: lines.join("\n") }
  })

describe("a credential of the configuration", () => {
  it.effect("spec/access §7: is created once, and unchanged at the next start", () =>
    Effect.gen(function* () {
      const first = yield* startWith(one)
      expect(first).toMatchObject({ credential: { clientId: "ci", role: "viewer" }, log: "" })
      expect(yield* startWith(one)).toEqual(first)
    }).pipe(Effect.provide(ports)),
  )

  it.effect.each<Partial<BootstrapCredential>>([
    { clientSecret: Redacted.make("fedcba9876543210fedcba9876543210fedcba9876A") },
    { role: "editor" },
  ])("spec/access §7: gets the secret and role of the configuration, which is logged", (change) =>
    Effect.gen(function* () {
      const { credential } = yield* startWith(one)
      const changed = yield* startWith({ ...one, ...change })
      expect(changed.log).toBe("Bootstrap credential updated acme/ci")
      expect(changed.log).not.toContain("fedcba9876543210fedcba9876543210fedcba9876A")
      expect([changed.credential.secretHash, changed.credential.role]).not.toEqual([
        credential.secretHash,
        credential.role,
      ])
    }).pipe(Effect.provide(ports)),
  )

  it.effect("spec/access §7: stays disabled, which is logged", () =>
    Effect.gen(function* () {
      yield* startWith(one)
      yield* disableCredential("acme", "ci")
      const { credential, log } = yield* startWith({ ...one, role: "editor" })
      expect(credential).toMatchObject({ isDisabled: true, role: "viewer" })
      expect(log).toBe("Bootstrap credential is disabled acme/ci")
    }).pipe(Effect.provide(ports)),
  )
})
