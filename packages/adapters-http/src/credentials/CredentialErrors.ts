import {
  type ClientIdIsInvalid,
  type ClientIdIsTaken,
  type ClientSecretIsInvalid,
  clientSecretRule,
  type CredentialIsOwn,
  type CredentialNotFound,
  type CredentialQuotaIsExceeded,
} from "@tocsin/domain"
import { clientIdMaxCharacters } from "@tocsin/domain/limits"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const credentialErrors: StatusTable<
  | ClientIdIsInvalid
  | ClientIdIsTaken
  | ClientSecretIsInvalid
  | CredentialIsOwn
  | CredentialNotFound
  | CredentialQuotaIsExceeded
> = {
  CredentialIsOwn: () =>
    oneError(409, {
      title: "Credential in use",
      code: "own_credential",
      detail: "This request is made with the same credential. Use another one.",
      source: { propertyName: "clientId" },
    }),
  CredentialQuotaIsExceeded: ({ limit }) =>
    oneError(403, {
      title: "Too many credentials",
      code: "credentials_quota_exceeded",
      detail: `The organization can have ${limit} credentials. Delete some, or ask the operator to create one.`,
    }),
  ClientIdIsInvalid: () =>
    oneError(400, {
      title: "Invalid client ID",
      code: "client_id_invalid",
      detail: `A client ID must be 1 to ${clientIdMaxCharacters} visible ASCII characters without a colon.`,
      source: { propertyName: "clientId" },
    }),
  ClientIdIsTaken: ({ clientId }) =>
    oneError(409, {
      title: "Client ID already exists",
      code: "client_id_taken",
      detail: "Choose another client ID, or rotate the secret of the existing credential.",
      source: { propertyName: "clientId", propertyValue: clientId },
    }),
  ClientSecretIsInvalid: () =>
    oneError(400, {
      title: "Invalid client secret",
      code: "client_secret_invalid",
      detail: `A client secret must be ${clientSecretRule}.`,
      source: { propertyName: "clientSecret" },
    }),
  CredentialNotFound: ({ clientId }) =>
    oneError(404, {
      title: "Credential not found",
      code: "credential_not_found",
      detail: "The organization has no credential with this client ID. `tocsin credentials list` lists them.",
      source: { propertyName: "clientId", propertyValue: clientId },
    }),
}
