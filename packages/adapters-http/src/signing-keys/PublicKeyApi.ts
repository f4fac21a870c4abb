import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { endpoint, BadRequest, NotFound, serverErrors } from "@tocsin/api/openapi"
import { publicKey, publicKeyFields } from "@tocsin/api"
import { jwksPath, publicKeyPath, publicKeysPath } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import * as examples from "./SigningKeyExamples.ts"

/** In responses to requests with the parameter `organization`. */
const namedOrganization = { organization: Schema.optionalKey(Schema.String) }

const ofOrganization = Schema.Struct({
  organization: Schema.optionalKey(
    Schema.String.annotate({
      description: "ID of an organization with signing keys of its own. Default: the keys of the server",
    }),
  ),
})

const errors = [...serverErrors, BadRequest, NotFound] as const

export const PublicKeyApi = HttpApiGroup.make("publicKey")
  .add(
    endpoint.get("currentPublicKey", publicKeyPath, {
      query: ofOrganization,
      success: Schema.Struct({ ...namedOrganization, ...publicKey.fields }),
      error: errors,
      summary: "Retrieve the current public key",
      description:
        "The key of the server that currently signs notifications, or with `organization` that of the organization. Returns 404 if the organization has no signing key of its own. Requires no authentication.",
      responseHeaders: ["ETag"],
      example: examples.currentPublicKey,
    }),
    endpoint.get("publicKeys", publicKeysPath, {
      query: ofOrganization,
      success: Schema.Struct({ ...namedOrganization, keys: Schema.Array(Schema.Struct(publicKeyFields)) }),
      error: errors,
      summary: "List public keys",
      description:
        "The next, active and recently retired keys of the server, or with `organization` only those of the organization. Returns 404 if it has none. Requires no authentication.",
      responseHeaders: ["ETag"],
      example: examples.publicKeys,
    }),
    endpoint.get("findPublicKey", `${publicKeysPath}/:keyId`, {
      params: Schema.Struct({ keyId: Schema.String }),
      query: ofOrganization,
      success: Schema.Struct({ ...namedOrganization, ...publicKey.fields }),
      error: errors,
      summary: "Retrieve a public key",
      description:
        "Any key of the server, or with `organization` of the organization, however long ago it was retired, to verify reports. Notifications are signed by listed keys only. Requires no authentication.",
      responseHeaders: ["ETag"],
      example: examples.findPublicKey,
    }),
  )
  .add(
    endpoint.get("publicJwks", jwksPath, {
      query: ofOrganization,
      success: Schema.Struct({
        keys: Schema.Array(
          Schema.Struct({
            kty: Schema.Literal("OKP"),
            crv: Schema.Literal("Ed25519"),
            x: Schema.String,
            kid: Schema.String.annotate({ description: "RFC 7638 thumbprint; keyid in Signature-Input" }),
            use: Schema.Literal("sig"),
            alg: Schema.Literal("EdDSA"),
          }),
        ),
      }),
      error: errors,
      summary: "List public keys as JSON Web Keys",
      description:
        "The keys of the list of public keys as a JSON Web Key Set (RFC 7517). Requires no authentication.",
      responseHeaders: ["ETag"],
      example: examples.publicJwks,
    }),
  )
  .annotate(OpenApi.Title, "Public keys")
