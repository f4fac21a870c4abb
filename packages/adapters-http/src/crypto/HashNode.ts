import { hash } from "node:crypto"
import * as Layer from "effect/Layer"
import { type Digest, Sha256 } from "@tocsin/domain/ports"

export const sha256: Digest = (bytes) => hash("sha256", bytes, "buffer")

export const hashFunctions: Sha256["Service"] = {
  sha256,
  sha256Base64: (bytes) => hash("sha256", bytes, "base64"),
}

export const layer = Layer.succeed(Sha256, hashFunctions)
