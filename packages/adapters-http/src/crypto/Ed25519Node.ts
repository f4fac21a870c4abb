import { createPrivateKey, sign } from "node:crypto"
import { reveal, type SigningKey, type SigningKeyInUse } from "@tocsin/domain/ports"

/** Loads a private key for many signatures: parsing it costs ten times as much as one signature. */
export const loadSigningKey = ({
  keyId,
  privateKey,
}: Pick<SigningKey, "keyId" | "privateKey">): SigningKeyInUse => {
  const key = seedToPrivateKey(reveal(privateKey))
  return { keyId, sign: (bytes) => sign(null, bytes, key) }
}

/** The private key with a seed of 32 bytes (RFC 8410 section 7). */
export const seedToPrivateKey = (seed: Uint8Array) =>
  createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: "der", type: "pkcs8" })

const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex")
