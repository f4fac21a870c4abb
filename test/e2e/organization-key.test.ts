import { issueOperatorToken } from "@tocsin/adapters-http/server"
import { publicKeyPath, signingKeyOverlapSeconds, testIntervalMs } from "@tocsin/domain/limits"
import { expect, it } from "@tocsin/testing/vitest"
import { createNotificationVerifier, NotificationRejected } from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { makeCertificates } from "../egress/certificates.ts"
import { eventually, startClockedServer } from "./clocked-server.ts"
import { methodYaml, withSlo } from "./definitions.ts"
import { headerOf, type Received, startReceiver, toFetchRequest } from "./https-receiver.ts"

interface PublicKey {
  readonly keyId: string
  readonly publicKeyPem: string
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
      /** Whether a receiver of an organization, or of the whole server, accepts the notification. */
      const isAccepted = (received: Received, organization?: string) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const verifier = createNotificationVerifier({
            baseUrl: server.url,
            authority: new URL(receiver.url).host,
            now: () => now,
            ...(organization === undefined ? {} : { organization }),
          })
          return Effect.promise(() =>
            verifyFetchRequest(verifier, toFetchRequest(received)).then(
              () => true,
              (rejection: unknown) => {
                if (rejection instanceof NotificationRejected) return false
                throw rejection
              },
            ),
          )
        })

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
      expect(yield* isAccepted(yield* tested("acme"))).toBe(true)

      yield* TestClock.adjust(signingKeyOverlapSeconds * 1_000)
      expect(yield* isAccepted(yield* tested("acme"), "acme")).toBe(true)
      expect(yield* isAccepted(last())).toBe(false)
      expect(yield* isAccepted(yield* tested("globex"))).toBe(true)
      expect(yield* isAccepted(last(), "acme")).toBe(false)
      expect(yield* isAccepted(last(), "globex")).toBe(false)
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
      expect([headerOf(last(), "notification-event"), yield* isAccepted(last(), "acme")]).toEqual([
        "alert.triggered",
        true,
      ])
      // In the same second, the same content would have the same signature.
      yield* TestClock.adjust(1_000)
      const resent = yield* server.send("POST", `/api/deliveries/${id}/resend`, { headers: headers.acme })
      expect(resent.status).toBe(202)
      yield* delivered(resent.json.id)
      expect([headerOf(last(), "notification-id"), yield* isAccepted(last(), "acme")]).toEqual([
        resent.json.id,
        true,
      ])

      // Deleted, and signed by the server's key again, once.
      expect((yield* server.send("DELETE", "/api/signingkeys", { headers: headers.acme })).status).toBe(200)
      expect(yield* isAccepted(yield* tested("acme"), "acme")).toBe(true)
      yield* TestClock.adjust(signingKeyOverlapSeconds * 1_000)
      expect(yield* isAccepted(yield* tested("acme"))).toBe(true)
    }),
)
