import { hash } from "node:crypto"
import * as Layer from "effect/Layer"
import { type Digest, Sha256 } from "@tocsin/domain/signature/Sha256"

/** SHA-256 by Node. */
export const sha256: Digest = (bytes) => hash("sha256", bytes, "buffer")

/** SHA-512 by Node. */
export const sha512: Digest = (bytes) => hash("sha512", bytes, "buffer")

/** What signing needs, by Node. */
export const hashFunctions: Sha256["Service"] = {
  sha256,
  sha256Base64: (bytes) => hash("sha256", bytes, "base64"),
}

/** Provides SHA-256 by Node. */
export const layer = Layer.succeed(Sha256, hashFunctions)
