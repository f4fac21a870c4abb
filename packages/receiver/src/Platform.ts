/** Whether a signature of 64 bytes is one of the bytes, for a certain key (RFC 8032, section 5.1.7). */
export type VerifySignature = (bytes: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>

/** What verification needs of the runtime's cryptography. */
export interface CryptoFunctions {
  /** The digest of bytes: 32 bytes for SHA-256, 64 for SHA-512 (RFC 6234); or these in canonical base64. */
  readonly digest: (
    algorithm: "SHA-256" | "SHA-512",
    bytes: Uint8Array,
  ) => Uint8Array | string | Promise<Uint8Array | string>
  /** Importing a key costs more than verifying a signature, so it is done once for each key. */
  readonly importPublicKey: (publicKey: Uint8Array) => VerifySignature | Promise<VerifySignature>
}

/**
 * Reads canonical base64 (RFC 4648, sections 3.5 and 4): padded, no white space, unused bits zero.
 *
 * Gives `undefined` for any other spelling of the same bytes too, so that a changed character of a signature or digest
 * is always detected.
 */
export type Base64ToBytes = (text: string) => Uint8Array | undefined
