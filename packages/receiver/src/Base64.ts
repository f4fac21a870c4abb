/**
 * Reads canonical base64 (RFC 4648, sections 3.5 and 4): padded, no white space, unused bits zero.
 *
 * Gives `undefined` for any other spelling of the same bytes too, so that a changed character of a signature or digest
 * is always detected.
 */
export const base64ToBytes = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    const binary = atob(text)
    return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined
  } catch {
    return undefined
  }
}

export const bytesToBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
