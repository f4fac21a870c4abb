import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { listedServerKeys, signingJwk } from "@tocsin/domain"
import type { SigningKeyCache } from "@tocsin/domain/adapter"
import type { SigningKeyGenerator, SigningKeyStore, StoreIsUnavailable } from "@tocsin/domain/ports"
import { bytesToBase64, writeContentDigest } from "@tocsin/domain/signature"
import { loadSigningKey } from "./Ed25519Node.ts"
import { hashFunctions } from "./HashNode.ts"

/** Most keys in the directory, each of which signs it. */
export const directoryKeysMax = 4

/** Time for which the signatures of the directory are valid, in seconds; longer than it may be cached. */
const directoryValiditySeconds = 600

/** How long the same signatures are returned, in seconds. */
const directorySignedEverySeconds = 60

/** The key directory with its signatures. */
export interface SignedDirectory {
  readonly body: string
  readonly headers: Readonly<Record<"content-digest" | "signature-input" | "signature", string>>
}

/**
 * The directory of the server's keys (draft-meunier-webbotauth-httpsig-directory): a JSON Web Key Set, and a signature of
 * each key over its digest and the authority of the request.
 *
 * Signs for one authority only, the server's own: for that of a request, whoever sends one could have the keys bound to a
 * server of their own.
 */
export class KeyDirectorySigner extends Context.Service<
  KeyDirectorySigner,
  { readonly sign: (authority: string) => Effect.Effect<SignedDirectory, StoreIsUnavailable> }
>()("@tocsin/adapters-http/internal/crypto/KeyDirectorySigner") {}

const make = Effect.gen(function* () {
  const ports = yield* Effect.context<
    SigningKeyCache.SigningKeyCache | SigningKeyGenerator | SigningKeyStore
  >()
  let latest: { readonly inputs: string; readonly directory: SignedDirectory } | undefined
  return KeyDirectorySigner.of({
    sign: Effect.fnUntraced(function* (authority) {
      const listed = yield* Effect.provide(listedServerKeys, ports)
      const keys = listed.slice(-directoryKeysMax).map(({ key }) => key)
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const created = now - (now % directorySignedEverySeconds)
      const inputs = `${created} ${authority} ${keys.map(({ keyId }) => keyId).join()}`
      if (latest?.inputs === inputs) return latest.directory
      const body = JSON.stringify({ keys: keys.map(signingJwk) })
      const contentDigest = writeContentDigest(Buffer.from(body), hashFunctions.sha256Base64)
      const signed = keys.map((key, index) => {
        const params =
          `("@authority";req "content-digest");created=${created};expires=${created + directoryValiditySeconds}` +
          `;keyid="${key.keyId}";alg="ed25519";tag="http-message-signatures-directory"`
        const base = `"@authority";req: ${authority}\n"content-digest": ${contentDigest}\n"@signature-params": ${params}`
        const signature = bytesToBase64(loadSigningKey(key).sign(Buffer.from(base)))
        return { input: `sig${index + 1}=${params}`, signature: `sig${index + 1}=:${signature}:` }
      })
      const directory: SignedDirectory = {
        body,
        headers: {
          "content-digest": contentDigest,
          "signature-input": signed.map(({ input }) => input).join(", "),
          signature: signed.map(({ signature }) => signature).join(", "),
        },
      }
      latest = { inputs, directory }
      return directory
    }),
  })
})

export const layer = Layer.effect(KeyDirectorySigner, make)
