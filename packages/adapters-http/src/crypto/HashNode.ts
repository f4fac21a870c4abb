import { hash } from "node:crypto"
import * as Layer from "effect/Layer"
import { type Digest, Sha256 } from "@tocsin/domain/ports"

/** The SHA-256 digest of bytes. */
export const sha256: Digest = (bytes) => hash("sha256", bytes, "buffer")

/** The functions of the port `Sha256`, for what needs no layer. */
export const hashFunctions: Sha256["Service"] = {
  sha256,
  sha256Base64: (bytes) => hash("sha256", bytes, "base64"),
}

/** SHA-256 by `node:crypto`. */
export const layer = Layer.succeed(Sha256, hashFunctions)
