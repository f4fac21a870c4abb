import { retryDelaysSeconds } from "@tocsin/domain/limits"
import { accessTokenWindowMs, listSlosPerSecond } from "@tocsin/domain/rate-limit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { setClockAhead, urlOf } from "../crash/CrashDatabase.ts"
import { makeCertificates } from "../egress/certificates.ts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { newDatabase } from "../pg/TestDatabase.ts"
import { eventually, startStoringServer } from "./clocked-server.ts"
import { methodYaml, withSlo } from "./definitions.ts"
import { startReceiver } from "./https-receiver.ts"
import { makeJumpingClock } from "./jumping-clock.ts"

/** A whole server whose clock, and whose database's clock, can be set. */
interface JumpingServer {
  readonly server: Effect.Success<ReturnType<typeof startStoringServer>>
  /** Sets the clocks forward by so many milliseconds, or back by a negative number. */
  readonly jump: (milliseconds: number) => Effect.Effect<void>
  /** Lets time pass, in milliseconds. */
  readonly pass: (milliseconds: number) => Effect.Effect<void>
}

type StartServer = (caPem?: string) => Effect.Effect<JumpingServer, unknown, Scope.Scope>

const masterKey = Redacted.make(new Uint8Array(32).fill(3))

const startInMemory: StartServer = (caPem = "") =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.now())
    const { clock, jump } = yield* makeJumpingClock
    const server = yield* startStoringServer({ caPem, store: { kind: "memory", masterKey } }).pipe(
      Effect.provideService(Clock.Clock, clock),
    )
    return {
      server,
      jump: (milliseconds) => Effect.sync(() => jump(milliseconds)),
      pass: (milliseconds) => TestClock.adjust(milliseconds),
    }
  })

const startOnPostgres: StartServer = (caPem = "") =>
  Effect.gen(function* () {
    const { clock, jump } = yield* makeJumpingClock
    const connection = yield* Effect.promise(() => newDatabase("schema"))
    const url = Redacted.make(urlOf(connection))
    const server = yield* startStoringServer({ caPem, store: { kind: "postgres", url, masterKey } }).pipe(
      Effect.provideService(Clock.Clock, clock),
    )
    return {
      server,
      jump: (milliseconds) =>
        Effect.promise(async () => {
          jump(milliseconds)
          await setClockAhead(connection, milliseconds)
        }),
      pass: (milliseconds) => Effect.sleep(milliseconds),
    }
  })

const hourMs = 3_600_000

const jumps = [
  ["back", -hourMs],
  ["forward", hourMs],
] as const

const suite = (store: string, run: typeof it.effect, start: StartServer) =>
  describe(`a clock that is set while a server runs, ${store}`, () => {
    run.each(jumps)(
      "spec/rate-limits §1: by an hour %s, tokens and lists are limited no longer than their windows",
      ([, milliseconds]) =>
        Effect.gen(function* () {
          const { server, jump, pass } = yield* start()
          const lists = (headers: Record<string, string>) =>
            Effect.forEach(
              Array.from({ length: 2 * listSlosPerSecond }),
              () => Effect.map(server.send("GET", "/api/v2/slos", { headers }), ({ status }) => status),
              { concurrency: "unbounded" },
            )
          // A busy machine may spread what is to be too much over a longer time.
          const limited = (headers: Record<string, string>) =>
            Effect.repeat(lists(headers), { until: (all) => all.includes(429), times: 8 })
          const headers = yield* server.login
          expect(yield* limited(headers)).toContain(429)
          const token = Effect.repeat(server.token(), { until: ({ status }) => status === 429, times: 8 })
          expect((yield* token).status).toBe(429)

          yield* jump(milliseconds)
          yield* pass(accessTokenWindowMs)
          const { status, json } = yield* server.token()
          expect(status).toBe(200)
          const later = { ...headers, authorization: `Bearer ${json.access_token}` }
          const statuses = yield* lists(later)
          expect(statuses.filter((each) => each === 200).length).toBeGreaterThanOrEqual(listSlosPerSecond)
          expect(yield* limited(later)).toContain(429)
        }),
    )

    run.each(jumps)(
      "spec/delivery §5: by an hour %s, a retry that is due in 5 s is sent no later than that",
      ([, milliseconds]) =>
        Effect.gen(function* () {
          const certificates = yield* Effect.promise(() => makeCertificates())
          const receiver = yield* Effect.acquireRelease(
            Effect.promise(() => startReceiver(certificates, (_, n) => ({ status: n === 1 ? 500 : 204 }))),
            ({ close }) => Effect.promise(close),
          )
          const { server, jump, pass } = yield* start(certificates.ca)
          const headers = yield* server.login
          yield* server.send("PUT", "/api/apply", {
            headers: { ...headers, "content-type": "application/yaml" },
            body: withSlo(methodYaml("on-call", `${receiver.url}/hook`, "templateFields: [alert_id]")),
          })
          const accepted = yield* server.send("POST", "/api/alerts", {
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify({
              status: "triggered",
              alertId: "a-1",
              slo: { name: "checkout", project: "default" },
              alertMethods: [{ name: "on-call", project: "default" }],
            }),
          })
          expect(accepted.status).toBe(202)
          const [{ id }] = accepted.json.deliveries
          const delivery = server.send("GET", `/api/deliveries/${id}`, { headers })
          yield* eventually(delivery, ({ json }) => json.attempts.length === 1)

          yield* jump(milliseconds)
          const longestWaitMs = (retryDelaysSeconds[1] ?? 0) * 1_000 * 1.2
          yield* pass(longestWaitMs)
          yield* pass(1_000)
          // What is due is still to be sent, on a machine that may be busy.
          yield* Effect.promise(() => receiver.until(2, "/hook"))
        }),
    )
  })

suite("in memory", it.effect, startInMemory)
suite("on PostgreSQL", it.live, startOnPostgres)
