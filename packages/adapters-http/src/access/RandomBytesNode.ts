import { RandomBytes } from "@tocsin/domain/access/RandomBytes"
import * as Layer from "effect/Layer"
import { randomBytes } from "node:crypto"

/** Randomness of the operating system. */
export const layer: Layer.Layer<RandomBytes> = Layer.succeed(RandomBytes, {
  randomBytes: (length) => new Uint8Array(randomBytes(length)),
})
