import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { newCredential, roles, rotation } from "@tocsin/domain"
import { credentialsMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import {
  BearerAccess,
  OrganizationHeader,
  bodyErrors,
  Conflict,
  NotFound,
  organizationErrors,
  endpoint,
  dateTime,
} from "@tocsin/api/openapi"
import * as examples from "./CredentialExamples.ts"

const credentialFields = {
  organization: Schema.String,
  clientId: Schema.String,
  role: Schema.Literals(roles),
  isDisabled: Schema.Boolean,
  createdAt: dateTime("When the credential was created"),
  lastUsedAt: Schema.optionalKey(
    dateTime("When its secret was last used, to within a minute; absent: never"),
  ),
  previousSecretExpiresAt: Schema.optionalKey(
    dateTime("When the previous secret expires. Omitted if it has expired"),
  ),
}

const Credential = Schema.Struct(credentialFields).annotate({ identifier: "Credential" })

const CredentialWithSecret = Schema.Struct({
  ...credentialFields,
  clientSecret: Schema.String.annotate({ description: "Returned only here" }),
}).annotate({ identifier: "CredentialWithSecret" })

const params = Schema.Struct({ clientId: Schema.String })

export const CredentialsApi = HttpApiGroup.make("credentials")
  .add(
    endpoint.get("listCredentials", "/api/credentials", {
      headers: OrganizationHeader,
      success: Schema.Struct({ data: Schema.Array(Credential) }),
      error: [...organizationErrors],
      summary: "List credentials",
      description: "The credentials of the organization, by client ID. Requires the role admin.",
      example: examples.listCredentials,
    }),
    endpoint.post("createCredential", "/api/credentials", {
      headers: OrganizationHeader,
      payload: newCredential.schema(),
      success: CredentialWithSecret.pipe(HttpApiSchema.status(201)),
      error: [...organizationErrors, Conflict, ...bodyErrors],
      summary: "Create a credential",
      description: `Returns the client secret, which cannot be retrieved later. An organization can create ${credentialsMax} credentials. Requires the role admin.`,
      example: examples.createCredential,
    }),
    endpoint.post("rotateCredential", "/api/credentials/:clientId/rotate", {
      params,
      headers: OrganizationHeader,
      payload: rotation.schema(),
      success: CredentialWithSecret,
      error: [...organizationErrors, NotFound, ...bodyErrors],
      summary: "Rotate the secret of a credential",
      description:
        "Returns a new client secret, which cannot be retrieved later. The previous secret stays valid for previousFor longer. Access tokens and sessions stay valid. Requires the role admin.",
      example: examples.rotateCredential,
    }),
    endpoint.post("disableCredential", "/api/credentials/:clientId/disable", {
      params,
      headers: OrganizationHeader,
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound, Conflict],
      summary: "Disable a credential",
      description:
        "Disables the credential permanently. Its secret, access tokens and sessions stop working within 5 s. Returns 409 for the credential that makes the request. Requires the role admin.",
      example: examples.oneCredential,
    }),
    endpoint.delete("deleteCredential", "/api/credentials/:clientId", {
      params,
      headers: OrganizationHeader,
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound, Conflict],
      summary: "Delete a credential",
      description:
        "Its secret, access tokens and sessions stop working within 5 s. Returns 409 for the credential that makes the request. Requires the role admin.",
      example: examples.oneCredential,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Credentials")
