import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import {
  BearerAccess,
  OrganizationHeader,
  organizationErrors,
  Conflict,
  NotFound,
  dateTime,
  endpoint,
} from "@tocsin/api/openapi"
import { publicKeyFields } from "./PublicKeyApi.ts"
import * as examples from "./SigningKeyExamples.ts"
import {
  retiredKeysMax,
  signingKeyOverlapSeconds,
  signingKeyRetiredListedSeconds,
} from "@tocsin/domain/limits"

/** A signing key with the times of its use, without its private part. */
export const SigningKey = Schema.Struct({
  ...publicKeyFields,
  activeFrom: dateTime("When the key starts or started to sign"),
  activeUntil: Schema.optionalKey(
    dateTime("When the server's key signs for the organization again instead of this one"),
  ),
}).annotate({ identifier: "SigningKey" })

/** The signing keys of an organization and of the server. */
export const SigningKeys = Schema.Struct({
  signedBy: Schema.Literals(["organization", "server"]).annotate({
    description: "Whose active key signs for the organization",
  }),
  keys: Schema.Array(SigningKey).annotate({
    description: "The organization's own keys; empty without any",
  }),
  serverKeys: Schema.Array(SigningKey).annotate({
    description: "The server's keys, which sign for every organization without its own",
  }),
}).annotate({ identifier: "SigningKeys" })

const overlap = `${signingKeyOverlapSeconds / 60} minutes`
const listed = `${signingKeyRetiredListedSeconds / 3_600} hours`

export const SigningKeysApi = HttpApiGroup.make("signingKeys")
  .add(
    endpoint.get("listSigningKeys", "/api/signingkeys", {
      headers: OrganizationHeader,
      success: SigningKeys,
      error: [...organizationErrors],
      summary: "List signing keys",
      description:
        "The retired, active and next keys of the organization and of the server, oldest first, and whose key signs for the organization.",
      example: examples.listSigningKeys,
    }),
    endpoint.post("createSigningKey", "/api/signingkeys", {
      headers: OrganizationHeader,
      success: SigningKey,
      error: [...organizationErrors, Conflict],
      summary: "Create a signing key",
      description: `Gives the organization a signing key of its own, which starts to sign after ${overlap}. Returns the newest key of an organization that has one, and cancels its deletion. Receivers must accept the keys of the organization from then on. Returns 409 while ${retiredKeysMax} retired keys are listed. Requires the role editor.`,
      example: examples.createSigningKey,
    }),
    endpoint.post("rotateSigningKey", "/api/signingkeys/rotate", {
      headers: OrganizationHeader,
      success: SigningKey,
      error: [...organizationErrors, NotFound, Conflict],
      summary: "Rotate the signing key",
      description: `Publishes a new key of the organization, which starts to sign after ${overlap}. Returns the pending key if there is one. The key that it replaces stays listed for ${listed}. Returns 404 if the organization has no key of its own, and 409 if its key was deleted or ${retiredKeysMax} retired keys are listed. Requires the role editor.`,
      example: examples.rotateSigningKey,
    }),
    endpoint.delete("deleteSigningKey", "/api/signingkeys", {
      headers: OrganizationHeader,
      success: SigningKey,
      error: [...organizationErrors, NotFound],
      summary: "Delete the signing key",
      description: `Lets the server's key sign for the organization again, after ${overlap}. Returns the organization's key, which signs until then and stays listed for ${listed}. Receivers must accept the keys of the server from then on. Returns 404 if the organization has no key of its own. Requires the role editor.`,
      example: examples.deleteSigningKey,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Signing keys")
