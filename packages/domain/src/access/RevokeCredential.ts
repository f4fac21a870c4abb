import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { CredentialStore } from "./CredentialStore.ts"

/** Stops a credential and its tokens from working; it stays listed. Fails with `CredentialNotFound`. */
export const disableCredential = (organization: OrganizationId, clientId: string) =>
  Effect.flatMap(CredentialStore, (store) => orNotFound(clientId, store.disable(organization, clientId)))

/** Deletes a credential, and with it its tokens' right. Fails with `CredentialNotFound`. */
export const deleteCredential = (organization: OrganizationId, clientId: string) =>
  Effect.flatMap(CredentialStore, (store) => orNotFound(clientId, store.delete(organization, clientId)))

/** The organization has no credential of this client id. */
export class CredentialNotFound extends Data.TaggedError("CredentialNotFound")<{
  readonly clientId: string
}> {}

const orNotFound = <E>(clientId: string, change: Effect.Effect<boolean, E>) =>
  Effect.flatMap(change, (isFound) => (isFound ? Effect.void : new CredentialNotFound({ clientId })))
