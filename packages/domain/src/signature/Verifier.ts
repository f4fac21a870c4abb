import * as Context from "effect/Context"
import type { DigestAlgorithms } from "./ContentDigest.ts"
import type { Ed25519PublicKey } from "./Ed25519PublicKey.ts"

/** Whether a signature of 64 bytes over the bytes was made with one certain key. Source: RFC 8032 section 5.1.7. */
export type VerifySignature = (bytes: Uint8Array, signature: Uint8Array) => boolean

/** The computations that verifying needs. Synchronous and total; only the implementation differs by platform. */
export interface VerifierFunctions extends DigestAlgorithms {
  /** Makes a key ready for use: importing costs more than verifying, so it is done once a key. */
  readonly importPublicKey: (key: Ed25519PublicKey) => VerifySignature
}

/** Port: checks digests and Ed25519 signatures. */
export class Verifier extends Context.Service<Verifier, VerifierFunctions>()(
  "@tocsin/domain/signature/Verifier",
) {}
