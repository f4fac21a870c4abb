import { createNotificationVerifier } from "@tocsin/receiver"
import { verifyFetchRequest } from "@tocsin/receiver/fetch"
import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { makeCertificates } from "../egress/certificates.ts"
import { eventually, startClockedServer } from "./clocked-server.ts"
import { type ReceivedMail, startMailServer } from "./mail-server.ts"
import { type Received, startReceiver, toFetchRequest } from "./https-receiver.ts"

const definitions = [
  {
    apiVersion: "tocsin/v1alpha",
    kind: "Project",
    metadata: { name: "shop" },
    spec: {
      statusPage: {
        slug: "shop",
        title: "Shop",
        components: [{ service: "checkout", displayName: "Checkout" }],
      },
    },
  },
  { apiVersion: "tocsin/v1alpha", kind: "Service", metadata: { name: "checkout", project: "shop" } },
]

/** The statuses of posts in the order in which they are made. */
const posts = ["investigating", "identified"]

const bodyOf = ({ body }: Received) => JSON.parse(body.toString())

/** Echoes the challenge as a receiver that agrees does. */
const agree = (received: Received) => ({
  status: 200,
  body: JSON.stringify({ challenge: bodyOf(received).subscription?.challenge }),
})

const asJson = { "content-type": "application/json" }

it.effect(
  "spec/status-pages §4: a webhook that confirms its subscription gets each post once, signed, until it unsubscribes",
  () =>
    Effect.gen(function* () {
      const certificates = yield* Effect.promise(() => makeCertificates())
      const receiver = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startReceiver(certificates, (path, _, received) => {
            // Reflects every request, as many test servers do.
            if (path === "/echo") return { status: 200, body: received.body.toString() }
            return agree(received)
          }),
        ),
        ({ close }) => Effect.promise(close),
      )
      const server = yield* startClockedServer({ caPem: certificates.ca })
      const headers = yield* server.login
      const asEditor = { ...headers, ...asJson }
      const applied = yield* server.send("PUT", "/api/apply", {
        headers: asEditor,
        body: JSON.stringify(definitions),
      })
      expect(applied.status).toBe(200)
      const subscribe = (url: string) =>
        server.send("POST", "/status/shop/subscribe", { headers: asJson, body: JSON.stringify({ url }) })
      const echoed = yield* subscribe(`${receiver.url}/echo`)
      expect([echoed.status, echoed.json.errors[0].source.propertyName]).toEqual([400, "url"])
      const answers = [yield* subscribe(`${receiver.url}/hook`), yield* subscribe(`${receiver.url}/hook`)]
      expect(answers.map(({ status, json }) => [status, json])).toEqual(
        answers.map(() => [202, { kind: "webhook", isConfirmed: true }]),
      )

      const created = yield* server.send("POST", "/api/incidents", {
        headers: asEditor,
        body: JSON.stringify({
          title: "Internal",
          severity: "major",
          services: [{ project: "shop", name: "checkout" }],
        }),
      })
      for (const status of posts) {
        yield* TestClock.adjust(1_000)
        const posted = yield* server.send("POST", `/api/incidents/${created.json.id}/entries`, {
          headers: asEditor,
          body: JSON.stringify({ kind: "post", text: `It is ${status}.`, status }),
        })
        expect(posted.status).toBe(201)
      }
      const updates = () => receiver.received.filter((each) => bodyOf(each).update !== undefined)
      yield* TestClock.adjust(30_000)
      yield* eventually(Effect.sync(updates), (received) => received.length === posts.length)
      yield* TestClock.adjust(120_000)
      // Deliveries of the same moment can arrive in any order.
      const arrived = updates().toSorted((a, b) => (bodyOf(a).timestamp < bodyOf(b).timestamp ? -1 : 1))
      expect(arrived.map((each) => bodyOf(each).update)).toMatchObject(
        posts.map((status) => ({ text: `It is ${status}.`, components: ["Checkout"], status })),
      )
      const [update] = updates()
      if (update === undefined) throw new Error("no update")
      const { event, page, unsubscribeUrl } = bodyOf(update)
      expect([event, page]).toEqual([
        "status_page.posted",
        { title: "Shop", url: `${server.url}/status/shop` },
      ])
      expect(update.body.toString()).not.toContain("Internal")
      const verifier = createNotificationVerifier({
        baseUrl: server.url,
        authority: new URL(update.url).host,
        maxAgeSeconds: 3_600,
        now: () => Date.now(),
      })
      const verified = yield* Effect.promise(() => verifyFetchRequest(verifier, toFetchRequest(update)))
      expect(verified.attempt).toBe(1)

      const fetchPage = (method: string) =>
        Effect.promise(async () => {
          const response = await fetch(unsubscribeUrl, { method })
          return [response.status, await response.text()] as const
        })
      // A link that is followed changes nothing.
      const [shown] = yield* fetchPage("GET")
      expect(shown).toBe(200)
      const [gone, page2] = yield* fetchPage("POST")
      expect([gone, page2.includes("No more updates from <bdi>Shop</bdi>.")]).toEqual([200, true])
      expect((yield* fetchPage("POST"))[0]).toBe(404)
      yield* server.send("POST", `/api/incidents/${created.json.id}`, {
        headers: asEditor,
        body: JSON.stringify({ status: "resolved", post: "It is resolved." }),
      })
      for (let step = 0; step < 20; step++) yield* TestClock.adjust(5_000)
      expect(updates()).toHaveLength(posts.length)
    }),
)

it.effect(
  "spec/status-pages §4: an email address is subscribed once its link is confirmed, over TLS, until one click unsubscribes it",
  () =>
    Effect.gen(function* () {
      const certificates = yield* Effect.promise(() => makeCertificates())
      const mailServer = yield* Effect.acquireRelease(
        Effect.promise(() => startMailServer(certificates)),
        ({ close }) => Effect.promise(close),
      )
      const from = "Shop status <status@example.com>"
      const url = Redacted.make(`smtp://tocsin:secret@127.0.0.1:${mailServer.port}`)
      const server = yield* startClockedServer({
        caPem: certificates.ca,
        smtp: { url, from, startsTls: true },
      })
      const headers = yield* server.login
      const asEditor = { ...headers, ...asJson }
      yield* server.send("PUT", "/api/apply", { headers: asEditor, body: JSON.stringify(definitions) })
      const page = (path: string, init: RequestInit = {}) =>
        Effect.promise(async () => {
          const response = await fetch(path.startsWith("http") ? path : `${server.url}${path}`, init)
          return { status: response.status, headers: response.headers, text: await response.text() }
        })
      const subscribe = (email: string) =>
        page("/status/shop/subscribe", { method: "POST", body: new URLSearchParams({ email }) })
      const mails = (count: number) =>
        eventually(
          Effect.sync(() => mailServer.received),
          (received: ReadonlyArray<ReceivedMail>) => received.length === count,
        )

      expect((yield* page("/status/shop")).text).toContain('<a href="/status/shop/subscribe?lang=en">')
      const form = yield* page("/status/shop/subscribe")
      expect(form.text).toContain('<input id="email"')
      expect(form.headers.get("content-security-policy")).toContain("form-action 'self'")
      const invalid = yield* subscribe("ada@<script>")
      expect([invalid.status, invalid.text.includes("must be an email address")]).toEqual([400, true])

      const asked = yield* subscribe("ada@example.com")
      expect([asked.status, asked.text.includes("Check your inbox")]).toEqual([202, true])
      yield* TestClock.adjust(1_000)
      const [request] = yield* mails(1)
      expect(request).toMatchObject({ to: ["ada@example.com"], isSecure: true, user: "tocsin" })
      expect(request?.text).toContain("Subject: Shop: Confirm your subscription")
      expect(request?.text).toContain(`From: ${from}`)
      const confirm = linkIn(request, "confirm")
      const post = (text: string) =>
        Effect.andThen(
          TestClock.adjust(1_000),
          server.send("POST", "/api/incidents", {
            headers: asEditor,
            body: JSON.stringify({
              title: "Internal",
              severity: "minor",
              services: [{ project: "shop", name: "checkout" }],
              post: text,
            }),
          }),
        )
      const announced = Effect.gen(function* () {
        for (let step = 0; step < 13; step++) yield* TestClock.adjust(5_000)
      })
      yield* post("Before the confirmation.")
      yield* announced
      expect((yield* page(confirm)).text).toContain("<button>Confirm subscription</button>")
      const inGerman = { headers: { "accept-language": "de-CH, en;q=0.5" } }
      expect((yield* page(confirm, inGerman)).text).toContain("<button>Abonnement bestätigen</button>")
      expect((yield* page(confirm, { method: "POST" })).text).toContain("Subscription confirmed")
      yield* post("After the confirmation.")
      yield* announced
      const [, update] = yield* mails(2)
      expect(update?.text).toContain("Subject: Shop: Checkout: Investigating")
      expect(update?.text).toContain("After the confirmation.")
      expect(update?.text).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click")

      // The answer is the same for an address that is subscribed, which gets nothing.
      const again = yield* subscribe("Ada@example.com")
      expect([again.status, again.text]).toEqual([asked.status, asked.text])
      expect((yield* subscribe("ada@example.com")).status).toBe(202)
      expect((yield* subscribe("ada@example.com")).status).toBe(429)

      const deliveries = yield* server.send("GET", "/api/deliveries", { headers })
      expect(JSON.stringify(deliveries.json)).not.toContain("ada@")
      const oneClick = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) }
      expect((yield* page(linkIn(update, "unsubscribe"), oneClick)).status).toBe(200)
      expect((yield* page(confirm, { method: "POST" })).status).toBe(404)
      yield* post("After unsubscribing.")
      yield* announced
      expect(yield* mails(2)).toHaveLength(2)
    }),
)

const linkIn = (mail: ReceivedMail | undefined, kind: string): string =>
  new RegExp(`^(?:Unsubscribe: )?(http\\S+/status-subscription/${kind}\\?token=\\S+)$`, "m").exec(
    mail?.text ?? "",
  )?.[1] ?? ""
