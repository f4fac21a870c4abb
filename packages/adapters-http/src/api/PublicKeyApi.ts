import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { publicKeyPath, publicKeysPath } from "@tocsin/domain/signature/PublishedKey"
import { Schema } from "effect"

/** Describes a public key. Source: contract section 4.5. */
export const PublicKey = Schema.Struct({
  keyId: Schema.String.annotations({ description: "RFC 7638 thumbprint; keyid in Signature-Input" }),
  algorithm: Schema.Literal("ed25519"),
  publicKeyPem: Schema.String,
}).annotations({ identifier: "PublicKey" })

/** Describes where receivers find the public keys. Source: contract section 4.5; decision 0401. */
export const PublicKeyApi = HttpApiGroup.make("publicKey")
  .add(
    HttpApiEndpoint.get("currentPublicKey", publicKeyPath)
      .addSuccess(PublicKey)
      .annotate(OpenApi.Summary, "Read the public key that signs now"),
  )
  .add(
    HttpApiEndpoint.get("publicKeys", publicKeysPath)
      .addSuccess(
        Schema.Struct({
          keys: Schema.Array(
            Schema.Struct({ ...PublicKey.fields, state: Schema.Literal("next", "active", "retired") }),
          ),
        }),
      )
      .annotate(OpenApi.Summary, "Read the public keys that sign, will sign or signed lately"),
  )
  .annotate(OpenApi.Title, "Public key")
