import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { organizationErrors, Conflict } from "../frame/ErrorSchema.ts"
import { dateTime } from "../frame/ParameterSchema.ts"
import { endpoint } from "../frame/OpenApiDocument.ts"
import { publicKeyFields } from "./PublicKeyApi.ts"
import * as examples from "./SigningKeyExamples.ts"
import {
  signingKeyOverlapSeconds,
  signingKeyRetiredListedSeconds,
} from "@tocsin/domain/internal/signature/SigningKeys"

const SigningKey = Schema.Struct({
  ...publicKeyFields,
  activeFrom: dateTime("When the key starts or started to sign"),
}).annotate({ identifier: "SigningKey" })

export const SigningKeysApi = HttpApiGroup.make("signingKeys")
  .add(
    endpoint.get("listSigningKeys", "/api/signingkeys", {
      headers: OrganizationHeader,
      success: Schema.Struct({ keys: Schema.Array(SigningKey) }).annotate({ identifier: "SigningKeys" }),
      error: [...organizationErrors],
      summary: "List signing keys",
      description:
        "The retired, active and next keys, oldest first. All organizations of a server share its keys.",
      example: examples.listSigningKeys,
    }),
    endpoint.post("rotateSigningKey", "/api/signingkeys/rotate", {
      headers: OrganizationHeader,
      success: SigningKey,
      error: [...organizationErrors, Conflict],
      summary: "Rotate the signing key",
      description: `Publishes a new key, which starts to sign after ${signingKeyOverlapSeconds / 60} minutes. Returns the pending key if there is one. Returns 409 while a retired key is still published, which takes ${signingKeyRetiredListedSeconds / 3_600} hours. Requires the role editor.`,
      example: examples.rotateSigningKey,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Signing keys")
