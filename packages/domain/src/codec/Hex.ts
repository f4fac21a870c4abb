/** Writes bytes as hexadecimal digits in lower case, two of each byte. */
export const bytesToHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
