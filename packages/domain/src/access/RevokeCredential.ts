import { Data, Effect } from "effect"
import type { OrganizationId } from "../definition/Definition.ts"
import { CredentialStore } from "./CredentialStore.ts"

/** Stops a credential and its tokens from working; it stays listed. Fails with `CredentialNotFound`. */
export const disableCredential = (organization: OrganizationId, clientId: string) =>
  Effect.flatMap(CredentialStore, (store) =>
    Effect.filterOrFail(
      store.disable(organization, clientId),
      (isFound) => isFound,
      () => new CredentialNotFound({ clientId }),
    ),
  ).pipe(Effect.asVoid)

/** Deletes a credential, and with it its tokens' right. Fails with `CredentialNotFound`. */
export const deleteCredential = (organization: OrganizationId, clientId: string) =>
  Effect.flatMap(CredentialStore, (store) =>
    Effect.filterOrFail(
      store.delete(organization, clientId),
      (isFound) => isFound,
      () => new CredentialNotFound({ clientId }),
    ),
  ).pipe(Effect.asVoid)

/** The organization has no credential of this client id. */
export class CredentialNotFound extends Data.TaggedError("CredentialNotFound")<{
  readonly clientId: string
}> {}
