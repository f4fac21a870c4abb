import { newOperatorCredential } from "@tocsin/domain"
import * as Schema from "effect/Schema"
import { credentials } from "../credentials/Credentials.ts"
import { count, time } from "../operation/Fields.ts"
import { type Operation, resource } from "../operation/Operation.ts"
import { publicKeyFields } from "../signing-keys/SigningKeys.ts"

/** The operation of an admin, for the operator of the server. */
const byOperator = <const O extends OfAdmin>(operation: O) =>
  ({
    ...operation,
    role: undefined,
    path: operation.path.replace("/api/", "/api/operator/"),
    access: "operator",
  }) as unknown as Omit<O, "role" | "path"> & {
    readonly path: O["path"] extends `/api/${infer Rest}` ? `/api/operator/${Rest}` : never
    readonly access: "operator"
  }

type OfAdmin = Extract<Operation, { readonly access?: "token" | "client" }> & { readonly role: "admin" }

const { listCredentials, createCredential, rotateCredential, disableCredential, deleteCredential } =
  credentials.operations

/** Credentials of any organization, for the operator of the server. Not in the OpenAPI document. */
export const operatorCredentials = resource("Credentials of any organization", {
  listCredentials: byOperator(listCredentials),
  createCredential: { ...byOperator(createCredential), body: newOperatorCredential },
  rotateCredential: byOperator(rotateCredential),
  disableCredential: byOperator(disableCredential),
  deleteCredential: byOperator(deleteCredential),
  createSignInLink: {
    method: "POST",
    path: "/api/operator/credentials/:clientId/sign-in-link",
    access: "operator",
    success: { 201: Schema.Struct({ url: Schema.String, expiresAt: time("When the link expires") }) },
    errors: [404],
    summary: "Create a link that signs in once",
  },
})

/** Whether the deliveries of a whole server are paused. */
const pause = Schema.Struct({ isPaused: Schema.Boolean, inFlight: count })

const scheduledKey = Schema.Struct({
  ...publicKeyFields,
  // Within the range of `Date`.
  activeFromMs: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 })),
  endsAtMs: Schema.optionalKey(Schema.Finite),
})

const serverPath = { method: "POST", access: "server" } as const

/** The keys and the deliveries of a whole server, for its operator. Not in the OpenAPI document. */
export const operator = resource("Operation of the server", {
  rotateKeys: {
    ...serverPath,
    path: "/api/operator/keys/rotate",
    success: scheduledKey,
    summary: "Rotate the signing key of the server",
  },
  revokeKey: {
    ...serverPath,
    path: "/api/operator/keys/:keyId/revoke",
    success: Schema.Struct({ keys: Schema.Array(scheduledKey) }),
    errors: [404],
    summary: "Revoke a signing key of the server",
  },
  resealSecrets: {
    ...serverPath,
    path: "/api/operator/keys/reseal",
    success: Schema.Struct({ resealed: count }),
    summary: "Encrypt all secrets with the current master key",
  },
  findPause: {
    ...serverPath,
    method: "GET",
    path: "/api/operator/deliveries/pause",
    success: pause,
    summary: "Find out whether all deliveries are paused",
  },
  pauseAll: {
    ...serverPath,
    path: "/api/operator/deliveries/pause",
    success: pause,
    summary: "Pause all deliveries",
  },
  resumeAll: {
    ...serverPath,
    path: "/api/operator/deliveries/resume",
    success: pause,
    summary: "Resume all deliveries",
  },
})
