import { jwksPath, publicKeyPath, publicKeysPath } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { resource } from "../operation/Operation.ts"
import { publicKey, publicKeyFields } from "./SigningKeys.ts"

/** In responses to requests with the parameter `organization`. */
const namedOrganization = { organization: Schema.optionalKey(Schema.String) }

const anybody = {
  method: "GET",
  access: "open",
  query: {
    organization: Schema.optionalKey(
      Schema.String.annotate({
        description: "ID of an organization with signing keys of its own. Default: the keys of the server",
      }),
    ),
  },
  responseHeaders: ["ETag"],
  errors: [400, 404],
  isRaw: true,
} as const

/** The public keys of a server and of organizations, for receivers of notifications. */
export const publicKeys = resource("Public keys", {
  currentPublicKey: {
    ...anybody,
    path: publicKeyPath,
    success: Schema.Struct({ ...namedOrganization, ...publicKey.fields }),
    summary: "Retrieve the current public key",
    description:
      "The key of the server that currently signs notifications, or with `organization` that of the organization. Returns 404 if the organization has no signing key of its own. Requires no authentication.",
  },
  publicKeys: {
    ...anybody,
    path: publicKeysPath,
    success: Schema.Struct({ ...namedOrganization, keys: Schema.Array(Schema.Struct(publicKeyFields)) }),
    summary: "List public keys",
    description:
      "The next, active and recently retired keys of the server, or with `organization` only those of the organization. Returns 404 if it has none. Requires no authentication.",
  },
  findPublicKey: {
    ...anybody,
    path: `${publicKeysPath}/:keyId`,
    success: Schema.Struct({ ...namedOrganization, ...publicKey.fields }),
    summary: "Retrieve a public key",
    description:
      "Any key of the server, or with `organization` of the organization, however long ago it was retired, to verify reports. Notifications are signed by listed keys only. Requires no authentication.",
  },
  publicJwks: {
    ...anybody,
    path: jwksPath,
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
    summary: "List public keys as JSON Web Keys",
    description:
      "The keys of the list of public keys as a JSON Web Key Set (RFC 7517). Requires no authentication.",
  },
})
