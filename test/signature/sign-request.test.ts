import { hashFunctions } from "@tocsin/adapters-http/internal/crypto/HashNode"
import { signRequest, signRequestInBackground } from "@tocsin/domain/internal/signature/SignRequest"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "@tocsin/testing/internal/contract/EffectTest"
import { testKey } from "./TestKey.ts"

describe("signing in the background", () => {
  it.effect("gives the signatures of the calling thread, also many at once", () =>
    Effect.gen(function* () {
      const requests = Array.from({ length: 200 }, (_, index) => ({
        method: "POST",
        authority: "example.com",
        path: `/hook/${index}`,
        contentType: "application/json",
        body: new TextEncoder().encode(`{"n": ${index}}`),
        created: 1_618_884_473 + index,
      }))
      const signed = yield* Effect.forEach(
        requests,
        (request) => signRequestInBackground(request, testKey, hashFunctions),
        { concurrency: "unbounded" },
      )
      expect(signed).toEqual(requests.map((request) => signRequest(request, testKey, hashFunctions)))
    }),
  )
})
