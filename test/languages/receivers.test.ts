import { createHash } from "node:crypto"
import { issueOperatorToken } from "@tocsin/adapters-http/server"
import { publicKeyPath, signingKeyOverlapSeconds } from "@tocsin/domain/limits"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, describe } from "vitest"
import { eventually, makeStandingClock, startStoringServer } from "../e2e/clocked-server.ts"
import { methodYaml, withSlo } from "../e2e/definitions.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { expect, it } from "@tocsin/testing/vitest"
import { startKeyServer } from "./KeyServer.ts"
import {
  makeBuildFolder,
  receiverPrograms,
  type ReceiverProgram,
  type RunningReceiver,
  startReceiverProgram,
  withToolchain,
} from "./ReceiverPrograms.ts"
import { sendBytes, startTlsFront } from "./TlsFront.ts"

const { folder, remove } = makeBuildFolder()
afterAll(remove)

const masterKey = Redacted.make(new Uint8Array(32).fill(3))

const text = "Überlastung 🚨 “50 %” \\u2028 日本語"

/** Targets of the URL of an alert method, with the target that is requested. */
const targets = [
  ["", "/"],
  ["?token=query-is-not-covered", "/?token=query-is-not-covered"],
  ["/hooks/tocsin?a=%20b&c=/d?e", "/hooks/tocsin?a=%20b&c=/d?e"],
  ["/a%2Fb/%c3%a4%20%25/~(x)!*';v=1,2:@&=+$", "/a%2Fb/%c3%a4%20%25/~(x)!*';v=1,2:@&=+$"],
  ["/ü", "/%C3%BC"],
  ["/a//b/", "/a//b/"],
  ["//c/d", "//c/d"],
] as const

/** A request of which one thing is replaced. */
const replacing = (request: Buffer, pattern: RegExp | string, by: string): Buffer => {
  const before = request.toString("latin1")
  const after = before.replace(pattern, by)
  expect(after).not.toBe(before)
  return Buffer.from(after, "latin1")
}

const bodyOf = (request: Buffer): Buffer => request.subarray(request.indexOf("\r\n\r\n") + 4)

/** The same request with another body of the same length, and the digest of that body. */
const withForgedBody = (request: Buffer): Buffer => {
  const body = replacing(bodyOf(request), "checkout", "CHECKOUT")
  const digest = createHash("sha256").update(body).digest("base64")
  const head = request.subarray(0, request.length - body.length)
  return Buffer.concat([replacing(head, /sha-256=:[^:]+:/, `sha-256=:${digest}:`), body])
}

/** Changes of an accepted request that a receiver must reject. */
const forgeries: ReadonlyArray<readonly [name: string, forge: (request: Buffer) => Buffer]> = [
  ["another body", (request) => replacing(request, "checkout", "CHECKOUT")],
  ["another body with its digest", withForgedBody],
  ["another path", (request) => replacing(request, /^POST \/forged/, "POST /Forged")],
  ["a path that is decoded", (request) => replacing(request, "%20", "+")],
  ["another content type", (request) => replacing(request, "application/json", "application/yaml")],
  [
    "another time",
    (request) => replacing(request, /created=\d+/, `created=${Math.floor(Date.now() / 1000)}`),
  ],
  ["a key that does not exist", (request) => replacing(request, 'keyid="', 'keyid="-')],
  ["another signature", (request) => replacing(request, /sig1=:..../, "sig1=:AAAA")],
  ["no signature", (request) => replacing(request, /\r\nsignature: [^\r]*/i, "")],
  ["no parameters", (request) => replacing(request, /\r\nsignature-input: [^\r]*/i, "")],
  ["no digest", (request) => replacing(request, /\r\ncontent-digest: [^\r]*/i, "")],
  ["a component less", (request) => replacing(request, ` "@path"`, "")],
  ["a label without a signature", (request) => replacing(request, /(signature-input: )sig1/i, "$1sig2")],
]

const exercise = (receiver: ReceiverProgram) =>
  Effect.gen(function* () {
    const command = yield* Effect.promise(() => receiver.build(folder))
    const certificates = yield* Effect.promise(() => makeCertificates())
    const start = Date.now() - (signingKeyOverlapSeconds + 50) * 1_000
    const { clock, setTime } = makeStandingClock(yield* Clock.Clock, start)
    const server = yield* Effect.provideService(
      startStoringServer({
        caPem: certificates.ca,
        store: { kind: "memory", masterKey },
      }),
      Clock.Clock,
      clock,
    )
    const opened = <A extends { readonly close: () => Promise<void> }>(open: () => Promise<A>) =>
      Effect.acquireRelease(Effect.promise(open), ({ close }) => Effect.promise(close))
    const keys = yield* opened(() => startKeyServer(server.url))
    const front = yield* opened(() => startTlsFront(certificates, "127.0.0.1"))
    const front6 = yield* opened(() => startTlsFront(certificates, "::1"))
    const startFor = (authority: string) =>
      Effect.acquireRelease(
        Effect.promise(() => startReceiverProgram(command, keys.url, authority)),
        ({ stop }) => Effect.promise(stop),
      )
    const program: RunningReceiver = yield* startFor(front.authority)
    const program6: RunningReceiver = yield* startFor(front6.authority)
    front.forwardTo(program.port)
    front6.forwardTo(program6.port)

    const headers = yield* server.login
    const template = [
      "template: |",
      `  {"text": "${text}", "slo": "checkout", "id": "$notification_id", "all": $alert_policy_conditions[]}`,
    ]
    const urls = new Map<string, string>([
      ["old", `https://${front.authority}/old`],
      ["retried", `https://${front.authority}/retried`],
      ...targets.map(([written], index): [string, string] => [
        `target-${index}`,
        `https://${front.authority}${written}`,
      ]),
      ["forged", `https://${front.authority}/forged%20path?x=1`],
      ["capitals", `https://LOCALHOST:${front.port}/capitals`],
      ["ipv6", `https://${front6.authority}/ipv6`],
      ["elsewhere", `https://127.0.0.1:${front.port}/elsewhere`],
      ["rotated", `https://${front.authority}/rotated`],
      ["early", `https://${front.authority}/early`],
    ])
    const applied = yield* server.send("PUT", "/api/apply", {
      headers: { ...headers, "content-type": "application/yaml" },
      body: withSlo(...[...urls].map(([name, url]) => methodYaml(name, JSON.stringify(url), ...template))),
    })
    expect(applied.status).toBe(200)
    /** The status of the receiver's response to a test notification. */
    const statusOf = (name: string) =>
      Effect.map(
        server.send("POST", `/api/alertmethods/${name}/test`, { headers }),
        ({ json }): number => json.attempt.status,
      )

    // A notification of 650 s ago, signed with the first key. The second key will sign from 50 s ago.
    keys.setDown(false)
    expect(yield* statusOf("old")).toBe(401)
    keys.setDown(true)
    const { keyId: first } = (yield* server.send("GET", publicKeyPath)).json
    const operatorToken = yield* Effect.provideService(issueOperatorToken(masterKey), Clock.Clock, clock)
    const rotated = yield* server.send("POST", "/api/operator/keys/rotate", {
      headers: { authorization: `Bearer ${operatorToken}` },
    })
    const second: string = rotated.json.keyId
    expect(rotated.status).toBe(200)
    expect(second).not.toBe(first)

    // The keys are unavailable at first, so that the first attempt fails; the retry has a signature of its own.
    setTime(Date.now() - 100_000)
    const accepted = yield* server.send("POST", "/api/alerts", {
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({
        status: "triggered",
        alertId: "a-1",
        slo: { name: "checkout", project: "default" },
        alertMethods: [{ name: "retried", project: "default" }],
      }),
    })
    const [{ id }] = accepted.json.deliveries
    const delivery = server.send("GET", `/api/deliveries/${id}`, { headers })
    yield* eventually(delivery, ({ json }) => json.attempts.length === 1)
    keys.setDown(false)
    keys.hide(second)
    // A receiver may wait for a second after a failure.
    yield* Effect.sleep("1500 millis")
    setTime(Date.now() - 90_000)
    const { json: log } = yield* eventually(delivery, ({ json }) => json.state === "delivered")
    expect(log.attempts).toMatchObject([{ status: 503 }, { status: 204 }])

    for (const [index, [, target]] of targets.entries()) {
      expect([target, yield* statusOf(`target-${index}`)]).toEqual([target, 204])
      expect(front.lastTo(target).length).toBeGreaterThan(0)
    }
    for (const name of ["capitals", "ipv6", "forged"]) {
      expect([name, yield* statusOf(name)]).toEqual([name, 204])
    }
    const body = JSON.parse(bodyOf(front.lastTo("/forged%20path?x=1")).toString())
    expect(body.text).toBe(JSON.parse(`"${text}"`))
    const processed = program.processed()
    expect(processed.filter((line) => line.includes("日本語"))).toHaveLength(targets.length + 3)

    // Signed for another host, although it arrives here.
    expect(yield* statusOf("elsewhere")).toBe(401)

    const request = front.lastTo("/forged%20path?x=1")
    const send = (bytes: Buffer) => Effect.promise(() => sendBytes(program.port, bytes))
    for (const [name, forge] of forgeries) {
      // 400 is for what is malformed.
      expect([name, yield* send(forge(request))]).toEqual([name, expect.toBeOneOf([400, 401])])
    }
    const tooLong = replacing(request, /content-length: \d+/i, `content-length: ${256 * 1024 + 1}`)
    expect(yield* send(Buffer.concat([tooLong, Buffer.alloc(256 * 1024)]))).toBe(413)
    expect(program.processed()).toEqual(processed)

    // The same is accepted unchanged, and with the signature of a proxy beside it, by who remembers no signatures.
    const again = receiver.hasReplayGuard ? 409 : 204
    const proxied = replacing(
      replacing(request, /(\r\nsignature-input: )/i, `$1proxy=("@method";req "x,\\"sig1=");created=1, `),
      /(\r\nsignature: )/i,
      "$1proxy=:AAAA:, ",
    )
    for (const bytes of [request, proxied]) expect(yield* send(bytes)).toBe(again)

    // The second key is not listed at first, as when the list was fetched before the rotation.
    setTime(Date.now())
    expect(yield* statusOf("rotated")).toBe(401)
    const signedBySecond = front.lastTo("/rotated")
    expect(signedBySecond.toString("latin1")).toContain(`keyid="${second}"`)
    keys.hide(undefined)
    yield* eventually(Effect.delay(send(signedBySecond), "1 second"), (status) => status === 204)

    setTime(Date.now() + 120_000)
    expect(yield* statusOf("early")).toBe(401)
  })

describe("spec/signatures §9: the receivers of docs/guides/verify-a-notification.md", () => {
  for (const receiver of receiverPrograms) {
    withToolchain(receiver, (version) =>
      it.live(
        `${receiver.language} (${version}) accepts notifications of a server, and rejects forged, misdirected and old ones`,
        () => exercise(receiver),
        600_000,
      ),
    )
  }
})
