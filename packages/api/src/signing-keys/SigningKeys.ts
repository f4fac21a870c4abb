import {
  retiredKeysMax,
  signingKeyOverlapSeconds,
  signingKeyRetiredListedSeconds,
} from "@tocsin/domain/limits"
import { revokeKeyPerWindow, revokeKeyWindowHours } from "@tocsin/domain/rate-limit"
import * as Schema from "effect/Schema"
import { time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"

const states = Schema.Literals(["next", "active", "retired"])

/** A public key that verifies notifications, as PEM, with its ID and the time it was created. */
export const publicKey = Schema.Struct({
  keyId: Schema.String.annotate({ description: "RFC 7638 thumbprint; keyid in Signature-Input" }),
  algorithm: Schema.Literal("ed25519"),
  publicKeyPem: Schema.String,
}).annotate({ identifier: "PublicKey" })

/** The fields of a public key that is listed. */
export const publicKeyFields = { ...publicKey.fields, state: states }

/** A signing key with the times of its use, without its private part. */
export const signingKey = Schema.Struct({
  ...publicKeyFields,
  activeFrom: time("When the key starts or started to sign"),
  activeUntil: Schema.optionalKey(
    time("When the server's key signs for the organization again instead of this one"),
  ),
}).annotate({ identifier: "SigningKey" })

/** The JSON of `signingKey`. */
export type SigningKey = (typeof signingKey)["Encoded"]

/** The signing keys of an organization and of the server. */
export const signingKeys = Schema.Struct({
  signedBy: Schema.Literals(["organization", "server"]).annotate({
    description: "Whose active key signs for the organization",
  }),
  keys: Schema.Array(signingKey).annotate({
    description: "The organization's own keys; empty without any",
  }),
  serverKeys: Schema.Array(signingKey).annotate({
    description: "The server's keys, which sign for every organization without its own",
  }),
}).annotate({ identifier: "SigningKeys" })

/** The JSON of `signingKeys`. */
export type SigningKeys = (typeof signingKeys)["Encoded"]

const overlap = `${signingKeyOverlapSeconds / 60} minutes`
const listed = `${signingKeyRetiredListedSeconds / 3_600} hours`

/** The signing keys of an organization. */
export const organizationKeys = resource("Signing keys", {
  listSigningKeys: {
    method: "GET",
    path: "/api/signingkeys",
    success: signingKeys,
    summary: "List signing keys",
    description:
      "The retired, active and next keys of the organization and of the server, oldest first, and whose key signs for the organization.",
  },
  createSigningKey: {
    method: "POST",
    path: "/api/signingkeys",
    role: "editor",
    success: signingKey,
    errors: [409],
    summary: "Create a signing key",
    description: `Gives the organization a signing key of its own, which starts to sign after ${overlap}. Returns the newest key of an organization that has one, and cancels its deletion. Receivers must accept the keys of the organization from then on. Returns 409 while ${retiredKeysMax} retired keys are listed.`,
  },
  rotateSigningKey: {
    method: "POST",
    path: "/api/signingkeys/rotate",
    role: "editor",
    success: signingKey,
    errors: [404, 409],
    summary: "Rotate the signing key",
    description: `Publishes a new key of the organization, which starts to sign after ${overlap}. Returns the pending key if there is one. The key that it replaces stays listed for ${listed}. Returns 404 if the organization has no key of its own, and 409 if its key was deleted or ${retiredKeysMax} retired keys are listed.`,
  },
  revokeSigningKey: {
    method: "POST",
    path: "/api/signingkeys/:keyId/revoke",
    params: {
      keyId: Schema.String.annotate({ description: "ID of a listed key of the organization" }),
    },
    role: "admin",
    success: signingKeys,
    errors: [404, 429],
    summary: "Revoke a signing key",
    description: `Revokes a key of the organization, for example one that leaked: it is no longer published and no longer signs, on other processes of the server within 30 seconds. A new key replaces it and a pending key; it signs immediately if the revoked key was the active key, otherwise after ${overlap}. If the server's key signs for the organization, or is about to after a deletion, it signs without a new key. Returns the keys that are listed then. Returns 404 if no listed key of the organization has the ID, and 429 after ${revokeKeyPerWindow} revocations in ${revokeKeyWindowHours} hours.`,
  },
  deleteSigningKey: {
    method: "DELETE",
    path: "/api/signingkeys",
    role: "editor",
    success: signingKey,
    errors: [404],
    summary: "Delete the signing key",
    description: `Lets the server's key sign for the organization again, after ${overlap}. Returns the organization's key, which signs until then and stays listed for ${listed}. Receivers must accept the keys of the server from then on. Returns 404 if the organization has no key of its own.`,
  },
})
