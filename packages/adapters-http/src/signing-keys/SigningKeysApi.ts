import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { organizationErrors, Conflict } from "../frame/ErrorSchema.ts"
import { PublicKey } from "./PublicKeyApi.ts"
import {
  signingKeyOverlapSeconds,
  signingKeyRetiredListedSeconds,
} from "@tocsin/domain/signature/SigningKeys"

const SigningKey = Schema.Struct({
  ...PublicKey.fields,
  state: Schema.Literals(["next", "active", "retired"]),
  activeFrom: Schema.String.annotate({
    description: "When it began to sign, or will",
    format: "date-time",
  }),
}).annotate({ identifier: "SigningKey" })

export const SigningKeysApi = HttpApiGroup.make("signingKeys")
  .add(
    HttpApiEndpoint.get("listSigningKeys", "/api/signingkeys", {
      headers: OrganizationHeader,
      success: Schema.Struct({ keys: Schema.Array(SigningKey) }).annotate({ identifier: "SigningKeys" }),
      error: [...organizationErrors],
    })
      .annotate(OpenApi.Summary, "List the keys that sign, will sign or signed lately")
      .annotate(OpenApi.Description, "The oldest first. They are the whole server's, of every organization."),
  )
  .add(
    HttpApiEndpoint.post("rotateSigningKey", "/api/signingkeys/rotate", {
      headers: OrganizationHeader,
      success: SigningKey,
      error: [...organizationErrors, Conflict],
    })
      .annotate(OpenApi.Summary, "Rotate the signing key")
      .annotate(
        OpenApi.Description,
        `Publishes a key that signs ${signingKeyOverlapSeconds / 60} minutes later, and gives it; or the one that waits already. Not while a key that was replaced is still listed, which is for ${signingKeyRetiredListedSeconds / 3_600} hours. Needs the role editor.`,
      ),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Signing keys")
