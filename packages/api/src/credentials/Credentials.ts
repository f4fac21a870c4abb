import { newCredential, roles, rotation } from "@tocsin/domain"
import { credentialsMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { noContent, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"

const fields = {
  organization: Schema.String,
  clientId: Schema.String,
  role: Schema.Literals(roles),
  isDisabled: Schema.Boolean,
  createdAt: time("When the credential was created"),
  lastUsedAt: Schema.optionalKey(time("When its secret was last used, to within a minute; absent: never")),
  previousSecretExpiresAt: Schema.optionalKey(
    time("When the previous secret expires. Omitted if it has expired"),
  ),
}

/** A credential, without its secret. */
export const credential = Schema.Struct(fields).annotate({ identifier: "Credential" })

/** The JSON of `credential`. */
export type Credential = (typeof credential)["Encoded"]

/** A credential with its new secret. */
export const credentialWithSecret = Schema.Struct({
  ...fields,
  clientSecret: Schema.String.annotate({ description: "Returned only here" }),
}).annotate({ identifier: "CredentialWithSecret" })

/** The JSON of `credentialWithSecret`. */
export type CredentialWithSecret = (typeof credentialWithSecret)["Encoded"]

/** The credentials of an organization. */
export const credentialList = Schema.Struct({ data: Schema.Array(credential) })

/** Credentials of an organization. */
export const credentials = resource("Credentials", {
  listCredentials: {
    method: "GET",
    path: "/api/credentials",
    role: "admin",
    success: credentialList,
    summary: "List credentials",
    description: "The credentials of the organization, by client ID.",
  },
  createCredential: {
    method: "POST",
    path: "/api/credentials",
    role: "admin",
    body: newCredential,
    invalidBody: "Invalid credential",
    success: { 201: credentialWithSecret },
    errors: [409],
    summary: "Create a credential",
    description: `Returns the client secret, which cannot be retrieved later. An organization can create ${credentialsMax} credentials.`,
  },
  rotateCredential: {
    method: "POST",
    path: "/api/credentials/:clientId/rotate",
    role: "admin",
    body: rotation,
    invalidBody: "Invalid credential",
    success: credentialWithSecret,
    errors: [404],
    summary: "Rotate the secret of a credential",
    description:
      "Returns a new client secret, which cannot be retrieved later. The previous secret stays valid for previousFor longer. Access tokens and sessions stay valid.",
  },
  disableCredential: {
    method: "POST",
    path: "/api/credentials/:clientId/disable",
    role: "admin",
    success: noContent,
    errors: [404, 409],
    summary: "Disable a credential",
    description:
      "Disables the credential permanently. Its secret, access tokens and sessions stop working within 5 s. Returns 409 for the credential that makes the request.",
  },
  deleteCredential: {
    method: "DELETE",
    path: "/api/credentials/:clientId",
    role: "admin",
    success: noContent,
    errors: [404, 409],
    summary: "Delete a credential",
    description:
      "Its secret, access tokens and sessions stop working within 5 s. Returns 409 for the credential that makes the request.",
  },
})
