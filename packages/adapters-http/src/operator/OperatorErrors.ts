import {
  type ClientIdIsInvalid,
  type ClientIdIsTaken,
  type ClientSecretIsInvalid,
  clientSecretRule,
  type CredentialNotFound,
} from "@tocsin/domain/internal/access/ManageCredentials"
import { roles } from "@tocsin/domain/internal/access/Access"
import * as Data from "effect/Data"
import { oneError, type StatusTable } from "../frame/ErrorResponse.ts"
import { clientIdMaxCharacters } from "@tocsin/domain/internal/access/CredentialStore"

/** The body is not `{role, clientId?, clientSecret?}`. */
export class NewCredentialIsInvalid extends Data.TaggedError("NewCredentialIsInvalid") {}

export const operatorErrors: StatusTable<
  NewCredentialIsInvalid | ClientIdIsInvalid | ClientIdIsTaken | ClientSecretIsInvalid | CredentialNotFound
> = {
  NewCredentialIsInvalid: () =>
    oneError(400, {
      title: "Invalid credential",
      code: "credential_invalid",
      detail: `Send role (${roles.join(" or ")}) and, to choose them yourself, clientId and clientSecret.`,
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
      source: { propertyName: "clientId", propertyValue: clientId },
    }),
}
