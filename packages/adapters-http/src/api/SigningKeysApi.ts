import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import { BearerAccess, OrganizationHeader } from "./BearerAccess.ts"
import { BadRequest, Conflict, Forbidden, NotAcceptable, Unauthorized } from "./ErrorAnswer.ts"
import { PublicKey } from "./PublicKeyApi.ts"

const SigningKey = Schema.Struct({
  ...PublicKey.fields,
  state: Schema.Literal("next", "active", "retired"),
  activeFrom: Schema.String.annotations({
    description: "When it began to sign, or will",
    jsonSchema: { type: "string", format: "date-time" },
  }),
}).annotations({ identifier: "SigningKey" })

/** Describes how the signing key is watched and rotated. Source: decision 0406. */
export const SigningKeysApi = HttpApiGroup.make("signingKeys")
  .add(
    HttpApiEndpoint.get("listSigningKeys", "/api/signingkeys")
      .setHeaders(OrganizationHeader)
      .addSuccess(
        Schema.Struct({ keys: Schema.Array(SigningKey) }).annotations({ identifier: "SigningKeys" }),
      )
      .annotate(OpenApi.Summary, "List the keys that sign, will sign or signed lately")
      .annotate(OpenApi.Description, "The oldest first. They are the whole server's, of every organization."),
  )
  .add(
    HttpApiEndpoint.post("rotateSigningKey", "/api/signingkeys/rotate")
      .setHeaders(OrganizationHeader)
      .addSuccess(SigningKey)
      .addError(Conflict)
      .annotate(OpenApi.Summary, "Rotate the signing key")
      .annotate(
        OpenApi.Description,
        `Publishes a key that signs ${Limits.signingKeyOverlapSeconds / 60} minutes later, and gives it; or the one that waits already. Not while a key that was replaced is still listed, which is for ${Limits.signingKeyRetiredListedSeconds / 3_600} hours. Needs the role editor.`,
      ),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Signing keys")
