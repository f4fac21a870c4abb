import * as Context from "effect/Context"

/** The hash of bytes. */
export type Digest = (bytes: Uint8Array) => Uint8Array

/** Port: SHA-256 (RFC 6234), synchronous. */
export class Sha256 extends Context.Service<
  Sha256,
  {
    readonly sha256: Digest
    /** In base64, which platforms return faster than bytes that are converted afterwards. */
    readonly sha256Base64: (bytes: Uint8Array) => string
  }
>()("@tocsin/domain/internal/signature/Sha256") {}
