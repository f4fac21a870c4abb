import * as Context from "effect/Context"

/** SHA-256 of bytes: 32 bytes. Source: RFC 6234. */
export type Digest = (bytes: Uint8Array) => Uint8Array

/**
 * Port: the hash of bodies, keys and tokens.
 *
 * Synchronous and total: hashing is pure computation, only its implementation differs by platform.
 */
export class Sha256 extends Context.Service<
  Sha256,
  {
    readonly sha256: Digest
    /** The same in base64, which platforms give faster than bytes and their conversion. */
    readonly sha256Base64: (bytes: Uint8Array) => string
  }
>()("@tocsin/domain/signature/Sha256") {}
