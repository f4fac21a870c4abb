/**
 * Writes the `Content-Digest` of a body (RFC 9530, section 2).
 *
 * The body `{"hello": "world"}` has `sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:`.
 */
export const writeContentDigest = (body: Uint8Array, sha256Base64: (bytes: Uint8Array) => string): string =>
  `sha-256=:${sha256Base64(body)}:`
