import { publicKeyPath, publicKeysPath } from "@tocsin/domain/internal/signature/SigningKeys"
import { expect, describeWith } from "@tocsin/testing/internal/contract/EffectTest"
import * as Effect from "effect/Effect"
import { createPublicKey } from "node:crypto"
import { apiServer, send } from "./api-client.ts"

describeWith(apiServer)("the public key over HTTP", (it) => {
  it.effect("spec/signatures §5: it is a JSON object with keyId, algorithm and publicKeyPem", () =>
    Effect.gen(function* () {
      const response = yield* send(publicKeyPath)
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toBe("application/json")
      const key = JSON.parse(response.text)
      expect(Object.keys(key)).toEqual(["keyId", "algorithm", "publicKeyPem"])
      expect(key.algorithm).toBe("ed25519")
      expect(createPublicKey(key.publicKeyPem).asymmetricKeyType).toBe("ed25519")
    }),
  )

  it.effect("spec/signatures §7: it needs no authentication, and may be cached for 300 s", () =>
    Effect.gen(function* () {
      const response = yield* send(publicKeyPath)
      expect(response.headers.get("cache-control")).toBe("public, max-age=300")
      expect(response.headers.get("etag")).toMatch(/^"[\w-]{22}"$/)
    }),
  )

  it.effect("spec/signatures §5: a client that has it gets 304 without a body", () =>
    Effect.gen(function* () {
      const etag = (yield* send(publicKeyPath)).headers.get("etag") ?? ""
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const response = yield* send(publicKeyPath, { headers: { "if-none-match": known } })
        expect([response.status, response.text, response.headers.get("etag")]).toEqual([304, "", etag])
      }
      const other = yield* send(publicKeyPath, { headers: { "if-none-match": '"other"' } })
      expect(other.status).toBe(200)
    }),
  )

  it.effect("spec/signatures §5: the list has the active key, with its state", () =>
    Effect.gen(function* () {
      const active = JSON.parse((yield* send(publicKeyPath)).text)
      const response = yield* send(publicKeysPath)
      expect(JSON.parse(response.text)).toEqual({ keys: [{ ...active, state: "active" }] })
      expect(response.headers.get("cache-control")).toBe("public, max-age=300")
    }),
  )
})
