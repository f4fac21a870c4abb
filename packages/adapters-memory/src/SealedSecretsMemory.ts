import { SealedSecrets } from "@tocsin/domain/secret/SealedSecrets"
import { Effect, Layer } from "effect"

/** In memory nothing is sealed. */
export const layer: Layer.Layer<SealedSecrets> = Layer.succeed(SealedSecrets, { reseal: Effect.succeed(0) })
