import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { withContent } from "../frame/OpenApiDocument.ts"
import { publicKeyPath, publicKeysPath } from "@tocsin/domain/signature/SigningKeys"
import * as Schema from "effect/Schema"
import { serverErrors } from "../frame/ErrorSchema.ts"

/** Describes a public key. */
export const PublicKey = Schema.Struct({
  keyId: Schema.String.annotate({ description: "RFC 7638 thumbprint; keyid in Signature-Input" }),
  algorithm: Schema.Literal("ed25519"),
  publicKeyPem: Schema.String,
}).annotate({ identifier: "PublicKey" })

export const PublicKeyApi = HttpApiGroup.make("publicKey")
  .add(
    HttpApiEndpoint.get("currentPublicKey", publicKeyPath, {
      success: PublicKey,
      error: [...serverErrors],
    })
      .annotateMerge(withContent({ headers: ["ETag"] }))
      .annotate(OpenApi.Summary, "Read the public key that signs now"),
  )
  .add(
    HttpApiEndpoint.get("publicKeys", publicKeysPath, {
      success: Schema.Struct({
        keys: Schema.Array(
          Schema.Struct({ ...PublicKey.fields, state: Schema.Literals(["next", "active", "retired"]) }),
        ),
      }),
      error: [...serverErrors],
    })
      .annotateMerge(withContent({ headers: ["ETag"] }))
      .annotate(OpenApi.Summary, "Read the public keys that sign, will sign or signed lately"),
  )
  .annotate(OpenApi.Title, "Public key")
