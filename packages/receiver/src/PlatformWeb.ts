import type { Base64ToBytes, CryptoFunctions } from "./Platform.ts"

/** Web Crypto, as every runtime has it. */
export const cryptoFunctions: CryptoFunctions = {
  digest: async (algorithm, bytes) =>
    new Uint8Array(await crypto.subtle.digest(algorithm, inOwnBuffer(bytes))),
  importPublicKey: async (publicKey) => {
    const key = await crypto.subtle.importKey("raw", inOwnBuffer(publicKey), "Ed25519", false, ["verify"])
    return (bytes, signature) =>
      crypto.subtle.verify("Ed25519", key, inOwnBuffer(signature), inOwnBuffer(bytes))
  },
}

export const base64ToBytes: Base64ToBytes = (text) => {
  try {
    const binary = atob(text)
    return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined
  } catch {
    return undefined
  }
}

/** Web Crypto takes no view of shared memory. */
const inOwnBuffer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
