import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { createCredential, hashClientSecret, isSameHash } from "@tocsin/domain"
import { CredentialStore, Sha256 } from "@tocsin/domain/ports"
import type { BootstrapCredential } from "../config/Settings.ts"

/** Creates a credential, or updates its secret and role. A disabled credential stays disabled, which is logged. */
export const ensureBootstrapCredential = Effect.fn("ensureBootstrapCredential")(function* (
  wanted: BootstrapCredential,
) {
  const store = yield* CredentialStore
  const { sha256 } = yield* Sha256
  const { organization, clientId, clientSecret, role } = wanted
  const create = Effect.asVoid(
    // Another server that starts at the same time may have created it.
    Effect.catchTag(createCredential(wanted), "ClientIdIsTaken", () => Effect.void),
  )
  const there = yield* store.find(organization, clientId)
  if (Option.isNone(there)) return yield* create
  const fields = { organization, clientId }
  if (there.value.isDisabled)
    return yield* Effect.annotateLogs(Effect.logWarning("Bootstrap credential is disabled"), fields)
  const isSame =
    there.value.role === role &&
    isSameHash(there.value.secretHash, hashClientSecret(sha256, clientId, clientSecret))
  if (isSame) return
  yield* Effect.annotateLogs(Effect.logWarning("Bootstrap credential updated"), fields)
  yield* store.delete(organization, clientId)
  yield* create
})
