import { issueOperatorToken } from "@tocsin/adapters-http/internal/crypto/OperatorTokens"
import { testIntervalMs } from "@tocsin/domain/internal/notification/SampleNotification"
import { publicKeyPath } from "@tocsin/domain/internal/signature/SigningKeys"
import { signingKeyOverlapSeconds } from "@tocsin/domain/internal/signature/SigningKeySchedule"
import { expect, it } from "@tocsin/testing/internal/contract/EffectTest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { createPublicKey, verify } from "node:crypto"
import { makeCertificates } from "../egress/certificates.ts"
import { eventually, startClockedServer } from "./clocked-server.ts"
import { methodYaml, withSlo } from "./definitions.ts"
import { headerOf, type Received, startReceiver } from "./https-receiver.ts"

interface PublicKey {
  readonly keyId: string
  readonly publicKeyPem: string
}

/** The signature base of a notification, rebuilt as a receiver does (RFC 9421, section 3.2). */
const isSignedBy = (received: Received, { keyId, publicKeyPem }: PublicKey): boolean => {
  const { host, pathname } = new URL(received.url)
  const input = headerOf(received, "signature-input").replace(/^sig1=/, "")
  const base = [
    `"@method": ${received.method}`,
    `"@authority": ${host}`,
    `"@path": ${pathname}`,
    `"content-digest": ${headerOf(received, "content-digest")}`,
    `"content-type": ${headerOf(received, "content-type")}`,
    `"@signature-params": ${input}`,
  ].join("\n")
  const signature = Buffer.from(headerOf(received, "signature").slice("sig1=:".length, -1), "base64")
  return (
    input.includes(`keyid="${keyId}"`) &&
    verify(null, Buffer.from(base), createPublicKey(publicKeyPem), signature)
  )
}

it.effect(
  "spec/signatures §13: all notifications of an organization with a key are signed by it, those of others by the server's",
  () =>
    Effect.gen(function* () {
      const certificates = yield* Effect.promise(() => makeCertificates())
      const receiver = yield* Effect.acquireRelease(
        Effect.promise(() => startReceiver(certificates)),
        ({ close }) => Effect.promise(close),
      )
      const server = yield* startClockedServer({ caPem: certificates.ca })
      const publicKey = (query = "") =>
        Effect.map(server.send("GET", publicKeyPath + query), ({ json }): PublicKey => json)
      const last = () => receiver.received.at(-1) ?? expect.fail("nothing came")

      /** Headers of an editor of an organization, with a token of now. */
      const operator = yield* issueOperatorToken(Redacted.make(new Uint8Array(32).fill(3)))
      const secrets = new Map<string, { readonly clientId: string; readonly clientSecret: string }>()
      for (const organization of ["acme", "globex"]) {
        const { json } = yield* server.send("POST", "/api/operator/credentials", {
          headers: {
            authorization: `Bearer ${operator}`,
            organization,
            "content-type": "application/json",
          },
          body: JSON.stringify({ role: "editor" }),
        })
        secrets.set(organization, json)
      }
      const login = (organization: string) =>
        Effect.gen(function* () {
          const { clientId, clientSecret } = secrets.get(organization) ?? expect.fail(organization)
          const { json } = yield* server.send("POST", "/api/accessToken", {
            headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`, organization },
          })
          return {
            authorization: `Bearer ${json.access_token}`,
            organization,
            "content-type": "application/json",
          }
        })

      const headers = { acme: yield* login("acme"), globex: yield* login("globex") }
      for (const each of Object.values(headers)) {
        const applied = yield* server.send("PUT", "/api/apply", {
          headers: { ...each, "content-type": "application/yaml" },
          body: withSlo(methodYaml("on-call", `${receiver.url}/hook`, "templateFields: [slo_name]")),
        })
        expect(applied.status).toBe(200)
      }
      const tested = (organization: keyof typeof headers) =>
        Effect.gen(function* () {
          yield* TestClock.adjust(testIntervalMs)
          const { json } = yield* server.send("POST", "/api/alertmethods/on-call/test", {
            headers: headers[organization],
          })
          expect(json).toMatchObject({ message: "Test completed successfully!" })
          return last()
        })
      const delivered = (id: string) =>
        eventually(
          server.send("GET", `/api/deliveries/${id}`, { headers: headers.acme }),
          ({ json }) => json.state === "delivered",
        )

      const ofServer = yield* publicKey()
      const created = yield* server.send("POST", "/api/signingkeys", { headers: headers.acme })
      expect(created.status).toBe(200)
      const ofAcme = yield* publicKey("?organization=acme")
      expect([ofAcme.keyId, ofAcme.keyId === ofServer.keyId]).toEqual([created.json.keyId, false])
      expect(isSignedBy(yield* tested("acme"), ofServer)).toBe(true)

      yield* TestClock.adjust(signingKeyOverlapSeconds * 1_000)
      expect(isSignedBy(yield* tested("acme"), ofAcme)).toBe(true)
      expect(isSignedBy(last(), ofServer)).toBe(false)
      expect(isSignedBy(yield* tested("globex"), ofServer)).toBe(true)
      const preview = yield* server.send("POST", "/api/alertmethods/preview", {
        headers: { ...headers.acme, "content-type": "application/yaml" },
        body: methodYaml("on-call", `${receiver.url}/hook`, "templateFields: [slo_name]"),
      })
      expect(preview.json.signatureBase).toContain(`keyid="${ofAcme.keyId}"`)

      const alerted = yield* server.send("POST", "/api/alerts", {
        headers: headers.acme,
        body: JSON.stringify({
          status: "triggered",
          alertId: "a-1",
          slo: { name: "checkout", project: "default" },
          alertMethods: [{ name: "on-call", project: "default" }],
        }),
      })
      const [{ id }] = alerted.json.deliveries
      yield* delivered(id)
      expect([headerOf(last(), "notification-event"), isSignedBy(last(), ofAcme)]).toEqual([
        "alert.triggered",
        true,
      ])
      // In another second, as the body is the same.
      yield* TestClock.adjust("1 second")
      const resent = yield* server.send("POST", `/api/deliveries/${id}/resend`, { headers: headers.acme })
      expect(resent.status).toBe(202)
      yield* delivered(resent.json.id)
      expect([headerOf(last(), "notification-id"), isSignedBy(last(), ofAcme)]).toEqual([
        resent.json.id,
        true,
      ])

      // Deleted, and signed by the server's key again, once.
      expect((yield* server.send("DELETE", "/api/signingkeys", { headers: headers.acme })).status).toBe(200)
      expect(isSignedBy(yield* tested("acme"), ofAcme)).toBe(true)
      yield* TestClock.adjust(signingKeyOverlapSeconds * 1_000)
      expect(isSignedBy(yield* tested("acme"), ofServer)).toBe(true)
    }),
)
