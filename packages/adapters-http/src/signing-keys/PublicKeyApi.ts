import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { endpoint } from "../frame/OpenApiDocument.ts"
import { publicKeyPath, publicKeysPath } from "@tocsin/domain/internal/signature/SigningKeys"
import * as Schema from "effect/Schema"
import { NotFound, serverErrors } from "../frame/ErrorSchema.ts"
import * as examples from "./SigningKeyExamples.ts"

const states = Schema.Literals(["next", "active", "retired"])

export const PublicKey = Schema.Struct({
  keyId: Schema.String.annotate({ description: "RFC 7638 thumbprint; keyid in Signature-Input" }),
  algorithm: Schema.Literal("ed25519"),
  publicKeyPem: Schema.String,
}).annotate({ identifier: "PublicKey" })

export const publicKeyFields = { ...PublicKey.fields, state: states }

export const PublicKeyApi = HttpApiGroup.make("publicKey")
  .add(
    endpoint.get("currentPublicKey", publicKeyPath, {
      success: PublicKey,
      error: [...serverErrors],
      summary: "Retrieve the current public key",
      description: "The key that currently signs notifications. Requires no authentication.",
      responseHeaders: ["ETag"],
      example: examples.currentPublicKey,
    }),
    endpoint.get("publicKeys", publicKeysPath, {
      success: Schema.Struct({ keys: Schema.Array(Schema.Struct(publicKeyFields)) }),
      error: [...serverErrors],
      summary: "List public keys",
      description: "The next, active and recently retired keys. Requires no authentication.",
      responseHeaders: ["ETag"],
      example: examples.publicKeys,
    }),
    endpoint.get("findPublicKey", `${publicKeysPath}/:keyId`, {
      params: Schema.Struct({ keyId: Schema.String }),
      success: PublicKey,
      error: [...serverErrors, NotFound],
      summary: "Retrieve a public key",
      description:
        "Any key of the server, however long ago it was retired, to verify reports. Notifications are signed by listed keys only. Requires no authentication.",
      responseHeaders: ["ETag"],
      example: examples.findPublicKey,
    }),
  )
  .annotate(OpenApi.Title, "Public keys")
