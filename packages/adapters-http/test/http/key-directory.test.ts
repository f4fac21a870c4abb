import { createHash, createPublicKey, type JsonWebKey } from "node:crypto"
import { createVerifier, httpbis } from "http-message-signatures"
import { directoryKeysMax } from "../../src/crypto/KeyDirectorySigner.ts"
import { createOrganizationKey, rotateSigningKey } from "@tocsin/domain"
import { jwksPath, keyDirectoryPath, publicKeysPath, signingKeyOverlapSeconds } from "@tocsin/domain/limits"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, errorsOf, send } from "../../../../test/http/api-client.ts"

interface Jwks {
  readonly keys: ReadonlyArray<JsonWebKey & { readonly kid: string }>
}

const jwksAt = (path: string) => Effect.map(send(path), ({ text }) => JSON.parse(text) as Jwks)

describe("public keys as JSON Web Keys", () => {
  it.effect("spec/signatures §17: are those of the list, and can be imported", () =>
    Effect.gen(function* () {
      yield* rotateSigningKey
      yield* rotateSigningKey
      const { keyId } = yield* createOrganizationKey("acme")
      for (const [query, count] of [
        ["", 2],
        ["?organization=acme", 1],
      ] as const) {
        const response = yield* send(jwksPath + query)
        expect(response.headers.get("content-type")).toBe("application/json")
        expect(response.headers.get("cache-control")).toBe("public, max-age=300")
        const etag = response.headers.get("etag") ?? ""
        expect((yield* send(jwksPath + query, { headers: { "if-none-match": etag } })).status).toBe(304)
        const { keys } = JSON.parse(response.text) as Jwks
        const listed = JSON.parse((yield* send(publicKeysPath + query)).text).keys
        expect(keys.map(({ kid }) => kid)).toEqual(listed.map(({ keyId }: { keyId: string }) => keyId))
        expect(keys).toHaveLength(count)
        for (const key of keys) {
          expect(Object.keys(key)).toEqual(["kty", "crv", "x", "kid", "use", "alg"])
          expect(createPublicKey({ key, format: "jwk" }).asymmetricKeyType).toBe("ed25519")
        }
        if (query !== "") expect(keys[0]?.kid).toBe(keyId)
      }
      const unknown = yield* send(`${jwksPath}?organization=globex`)
      expect([unknown.status, errorsOf(unknown)[0]?.code]).toEqual([404, "organization_key_not_found"])
      expect((yield* send(`${jwksPath}?organization=`)).status).toBe(400)
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("the directory of the server's keys", () => {
  /** Whether each key has signed the response to a request to an authority, by another implementation. */
  const signersOf = (
    { status, headers, text }: { readonly status: number; readonly headers: Headers; readonly text: string },
    authority: string,
  ) =>
    Effect.promise(async () => {
      const { keys } = JSON.parse(text) as Jwks
      const inputs = (headers.get("signature-input") ?? "").split(/, (?=sig)/)
      const signatures = (headers.get("signature") ?? "").split(/, (?=sig)/)
      const verified: Array<string> = []
      for (const [index, input] of inputs.entries()) {
        const isValid = await httpbis.verifyMessage(
          {
            keyLookup: async ({ keyid }) => {
              const jwk = keys.find(({ kid }) => kid === keyid)
              if (jwk === undefined) return null
              const pem = createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" })
              verified.push(jwk.kid)
              return { id: jwk.kid, algs: ["ed25519"], verify: createVerifier(pem.toString(), "ed25519") }
            },
            requiredParams: ["created", "expires", "keyid", "tag"],
            notAfter: new Date(8.64e15),
          },
          {
            status,
            headers: {
              ...Object.fromEntries(headers),
              "signature-input": input,
              signature: signatures[index] ?? "",
            },
          },
          { method: "GET", url: `http://${authority}${keyDirectoryPath}`, headers: {} },
        )
        if (isValid !== true) verified.pop()
      }
      return verified
    })

  it.effect(
    "spec/signatures §17: has the media type of its draft, and is signed by each of its keys over its digest and the server's authority",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        yield* rotateSigningKey
        yield* rotateSigningKey
        const response = yield* send(keyDirectoryPath, { headers: { "accept-encoding": "gzip, br" } })
        expect(response.status).toBe(200)
        expect(response.headers.get("content-type")).toBe(
          "application/http-message-signatures-directory+json",
        )
        expect(response.headers.get("cache-control")).toBe("public, max-age=300")
        const digest = createHash("sha256").update(response.text).digest("base64")
        expect(response.headers.get("content-digest")).toBe(`sha-256=:${digest}:`)
        const { keys } = JSON.parse(response.text) as Jwks
        const jwks = yield* jwksAt(jwksPath)
        expect(keys).toEqual(jwks.keys.map(({ alg: _alg, ...key }) => key))
        expect(keys).toHaveLength(2)
        for (const input of (response.headers.get("signature-input") ?? "").split(", ")) {
          expect(input).toMatch(
            /^sig[12]=\("@authority";req "content-digest"\);created=\d+;expires=\d+;keyid="[\w-]{43}";alg="ed25519";tag="http-message-signatures-directory"$/,
          )
        }
        expect(yield* signersOf(response, "localhost:8080")).toEqual(keys.map(({ kid }) => kid))
        expect(yield* signersOf(response, "evil.example")).toEqual([])
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/signatures §17: is signed for the server's authority, whatever the request names, and again each minute",
    () =>
      Effect.gen(function* () {
        const minute = Math.floor(Date.now() / 60_000) * 60_000
        yield* TestClock.setTime(minute)
        const inputOf = ({ headers }: { readonly headers: Headers }) => headers.get("signature-input") ?? ""
        const first = yield* send(keyDirectoryPath)
        expect(yield* signersOf(first, "localhost:8080")).toHaveLength(1)
        yield* TestClock.setTime(minute + 59_999)
        expect(inputOf(yield* send(keyDirectoryPath))).toBe(inputOf(first))
        yield* TestClock.setTime(minute + 60_000)
        const second = yield* send(keyDirectoryPath)
        expect(inputOf(second)).toContain(`created=${minute / 1_000 + 60};expires=${minute / 1_000 + 660}`)
        expect(second.text).toBe(first.text)
        expect(yield* signersOf(second, "localhost:8080")).toHaveLength(1)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/signatures §17: has the newest four keys, of those that are listed", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 6; n++) {
        yield* rotateSigningKey
        yield* TestClock.adjust(signingKeyOverlapSeconds * 1_000)
      }
      const { keys } = yield* jwksAt(jwksPath)
      expect(keys).toHaveLength(6)
      const directory = yield* jwksAt(keyDirectoryPath)
      expect(directory.keys.map(({ kid }) => kid)).toEqual(
        keys.slice(-directoryKeysMax).map(({ kid }) => kid),
      )
    }).pipe(Effect.provide(apiServer)),
  )
})
