import { issueOperatorToken } from "@tocsin/adapters-http/server"
import { createNotificationVerifier, type NotificationVerifier, NotificationRejected } from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { publicKeyPath, publicKeysPath, signingKeyOverlapSeconds } from "@tocsin/domain/limits"
import { expect, it } from "@tocsin/testing/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { setClockAhead, urlOf } from "../crash/CrashDatabase.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { eventually, makeStandingClock, startStoringServer } from "./clocked-server.ts"
import { methodYaml, withSlo } from "./definitions.ts"
import { headerOf, type Received, startReceiver, toFetchRequest } from "./https-receiver.ts"

/** Signing keys are cached, and public keys not fetched again, for so long. */
const keptMs = 30_000

const methods = Array.from({ length: 10 }, (_, index) => `m-${index}`)

const masterKey = Redacted.make(new Uint8Array(32).fill(3))

/** The whole server on a database that it shares, with a clock of its own. */
const startProcess = (start: number, given: Parameters<typeof startStoringServer>[0]) =>
  Effect.gen(function* () {
    const { clock, setTime } = makeStandingClock(yield* Clock.Clock, start)
    const server = yield* Effect.provideService(startStoringServer(given), Clock.Clock, clock)
    const get = (path: string) => Effect.map(server.send("GET", path), ({ json }) => json)
    return {
      ...server,
      setTime,
      rotate: Effect.provideService(issueOperatorToken(masterKey), Clock.Clock, clock).pipe(
        Effect.flatMap((token) =>
          server.send("POST", "/api/operator/keys/rotate", { headers: { authorization: `Bearer ${token}` } }),
        ),
        Effect.map(({ json }): { readonly keyId: string; readonly activeFromMs: number } => json),
      ),
      /** The key of the one-key endpoint, and the state of each that the list has. */
      published: Effect.gen(function* () {
        const { keyId } = yield* get(publicKeyPath)
        const { keys }: { keys: ReadonlyArray<{ keyId: string; state: string }> } = yield* get(publicKeysPath)
        return { signs: keyId as string, list: Object.fromEntries(keys.map((key) => [key.keyId, key.state])) }
      }),
    }
  })

const keyIdOf = (received: Received): string | undefined =>
  /;keyid="([^"]+)"/.exec(headerOf(received, "signature-input"))?.[1]

it.live(
  "spec/signatures §7: two processes change to the next key, each by its clock, and nobody gets a signature that cannot be verified",
  () =>
    Effect.gen(function* () {
      const certificates = yield* Effect.promise(() => makeCertificates())
      const connection = yield* Effect.promise(() => newDatabase("schema"))
      const given = {
        caPem: certificates.ca,
        store: {
          kind: "postgres",
          url: Redacted.make(urlOf(connection)),
          masterKey,
        },
      } as const
      const start = Date.now()
      const one = yield* startProcess(start, given)
      const other = yield* startProcess(start, given)

      /** A receiver of that path verifies what comes, and refuses what does not verify; others take everything. */
      const receivers = new Map<string, NotificationVerifier>()
      const unverifiable: Array<unknown> = []
      const verifierOf = (source: { baseUrl: string } | { publicKeyUrl: string }, now: () => number) =>
        createNotificationVerifier({ ...source, authority: new URL(receiver.url).host, now })
      const receiver = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startReceiver(certificates, async (path, _, received) => {
            // Whichever server sent it: a receiver without a key finds it at either of them.
            const created = Number(/;created=(\d+)/.exec(headerOf(received, "signature-input"))?.[1]) * 1_000
            for (const { url } of [one, other]) {
              const verifier = verifierOf({ baseUrl: url }, () => created)
              await verifyFetchRequest(verifier, toFetchRequest(received)).catch((error: unknown) =>
                unverifiable.push([url, keyIdOf(received), error]),
              )
            }
            const verifier = receivers.get(path)
            if (verifier === undefined) return { status: 204 }
            return verifyFetchRequest(verifier, toFetchRequest(received)).then(
              () => ({ status: 204 }),
              (error: unknown) => ({ status: error instanceof NotificationRejected ? 401 : 500 }),
            )
          }),
        ),
        ({ close }) => Effect.promise(close),
      )
      const arrivedAt = (path: string) =>
        receiver.received.filter(({ url }) => new URL(url).pathname === path).map(keyIdOf)

      const headers = yield* one.login
      const applied = yield* one.send("PUT", "/api/apply", {
        headers: { ...headers, "content-type": "application/yaml" },
        body: withSlo(
          ...[...methods, "single", "list"].map((name) =>
            methodYaml(name, `${receiver.url}/${name}`, "templateFields: [notification_id]"),
          ),
        ),
      })
      expect(applied.status).toBe(200)

      /** The key that a process signs with; each method may be tested once within 5 s. */
      const unused = [...methods]
      const signedBy = ({ send }: typeof one, name = unused.pop()) =>
        Effect.gen(function* () {
          const { json } = yield* send("POST", `/api/alertmethods/${name}/test`, { headers })
          expect(json).toMatchObject({ message: "Test completed successfully!" })
          return arrivedAt(`/${name}`).at(-1)
        })
      const signed = Effect.suspend(() => Effect.all([signedBy(one), signedBy(other)]))
      const published = Effect.all([one.published, other.published])

      const { signs: old } = yield* one.published
      expect(yield* signed).toEqual([old, old])
      const { keyId: next, activeFromMs } = yield* one.rotate
      expect(next).not.toBe(old)
      expect(activeFromMs).toBe(start + signingKeyOverlapSeconds * 1_000)
      const before = { signs: old, list: { [old]: "active", [next]: "next" } }
      const after = { signs: next, list: { [old]: "retired", [next]: "active" } }
      // The other process knows the next key once it reads the keys again.
      expect((yield* one.published).list).toEqual(before.list)
      for (const process of [one, other]) process.setTime(start + keptMs)
      expect(yield* published).toEqual([before, before])
      expect(yield* signed).toEqual([old, old])

      // The last moment of the old key, which receivers see and keep.
      for (const process of [one, other]) process.setTime(activeFromMs - 1)
      expect(yield* signed).toEqual([old, old])
      expect(yield* published).toEqual([before, before])
      let receivedAt = activeFromMs - 1
      receivers.set(
        "/single",
        verifierOf({ publicKeyUrl: one.url + publicKeyPath }, () => receivedAt),
      )
      receivers.set(
        "/list",
        verifierOf({ baseUrl: other.url }, () => receivedAt),
      )
      expect(yield* signedBy(other, "single")).toBe(old)
      expect(yield* signedBy(one, "list")).toBe(old)

      // The clock of the one is ahead.
      one.setTime(activeFromMs)
      expect(yield* published).toEqual([after, before])
      expect(yield* signed).toEqual([next, old])
      other.setTime(activeFromMs)
      receivedAt = activeFromMs
      expect(yield* published).toEqual([after, after])
      expect(yield* signed).toEqual([next, next])

      // Who keeps the list has the next key already. Who keeps one key, and got it a moment ago, refuses at first.
      const accepted = yield* other.send("POST", "/api/alerts", {
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          status: "triggered",
          alertId: "a-1",
          slo: { name: "checkout", project: "default" },
          alertMethods: ["single", "list"].map((name) => ({ name, project: "default" })),
        }),
      })
      const deliveries: ReadonlyArray<{ id: string; alertMethod: { name: string } }> =
        accepted.json.deliveries
      const deliveryTo = (name: string) => {
        const id = deliveries.find(({ alertMethod }) => alertMethod.name === name)?.id
        return one.send("GET", `/api/deliveries/${id}`, { headers })
      }
      const refused = yield* eventually(deliveryTo("single"), ({ json }) => json.attempts.length === 1)
      yield* eventually(deliveryTo("list"), ({ json }) => json.state === "delivered")
      expect(refused.json).toMatchObject({ state: "pending", attempts: [{ status: 401 }] })

      // When it may fetch the key again, the retry is taken.
      receivedAt += keptMs
      yield* Effect.promise(() => setClockAhead(connection, keptMs))
      for (const process of [one, other]) process.setTime(receivedAt)
      const healed = yield* eventually(deliveryTo("single"), ({ json }) => json.state === "delivered")
      expect(healed.json.attempts).toMatchObject([{ status: 401 }, { status: 204 }])
      expect(arrivedAt("/single")).toEqual([old, next, next])
      expect(arrivedAt("/list")).toEqual([old, next])

      expect(unverifiable).toEqual([])
      expect(receiver.received.length).toBe(15)
    }),
)
