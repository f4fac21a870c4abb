import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { hashClientSecret, isSameHash, createCredential } from "@tocsin/domain/access/ManageCredentials"
import { CredentialStore } from "@tocsin/domain/access/CredentialStore"
import { Sha256 } from "@tocsin/domain/signature/Sha256"
import type { BootstrapCredential } from "../config/ServerConfig.ts"

/**
 * Sees that a credential of the configuration is there, with the secret and the role that the configuration says.
 *
 * One that was disabled since stays disabled; both this and a change are told in the log.
 *
 * Source: decision 0703.
 */
export const ensureBootstrapCredential = Effect.fn("ensureBootstrapCredential")(function* (
  wanted: BootstrapCredential,
) {
  const store = yield* CredentialStore
  const { sha256 } = yield* Sha256
  const { organization, clientId, clientSecret, role } = wanted
  const create = Effect.asVoid(
    // Another process that starts at the same time may have been faster.
    Effect.catchTag(createCredential(wanted), "ClientIdIsTaken", () => Effect.void),
  )
  const there = yield* store.find(organization, clientId)
  if (Option.isNone(there)) return yield* create
  const name = `The credential ${clientId} of ${organization}, of TOCSIN_BOOTSTRAP_CREDENTIALS,`
  if (there.value.isDisabled) return yield* Effect.logWarning(`${name} is disabled, and stays so`)
  const isSame =
    there.value.role === role &&
    isSameHash(there.value.secretHash, hashClientSecret(sha256, clientId, clientSecret))
  if (isSame) return
  yield* Effect.logWarning(`${name} has another secret or role than before, which holds from now on`)
  yield* store.delete(organization, clientId)
  yield* create
})
