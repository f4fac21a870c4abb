import { createPublicKey, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { redact, SigningKeyGenerator } from "@tocsin/domain/ports"
import { publicKeyToKeyId } from "@tocsin/domain/signature"
import { seedToPrivateKey } from "./Ed25519Node.ts"
import { sha256 } from "./HashNode.ts"

/** Ed25519 keys from 32 random bytes of `node:crypto`. */
export const layer = Layer.succeed(SigningKeyGenerator, {
  generate: Effect.sync(() => {
    const seed = randomBytes(32)
    const spki = createPublicKey(seedToPrivateKey(seed)).export({ format: "der", type: "spki" })
    const publicKey = new Uint8Array(spki.subarray(12))
    return { keyId: publicKeyToKeyId(publicKey, sha256), publicKey, privateKey: redact(seed) }
  }),
})
