import { startServer } from "@tocsin/server/server/Server"
import { type ServerConfig, serverDefaults } from "@tocsin/server/config/ServerConfig"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { vi } from "vitest"

/** What a call was answered. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  /** The body; `undefined` if it is empty. */
  readonly json: ReturnType<typeof JSON.parse>
}

/**
 * Runs the whole server over real sockets and on the time of `TestClock`, which starts at the real time and moves by
 * nothing but `TestClock.adjust`.
 */
export const startClockedServer = (given: Pick<ServerConfig, "smtp"> & { readonly caPem?: string } = {}) =>
  Effect.andThen(
    Effect.suspend(() => TestClock.setTime(Date.now())),
    startStoringServer({
      ...given,
      store: { kind: "memory", masterKey: Redacted.make(new Uint8Array(32).fill(3)) },
    }),
  )

/** Runs the whole server over real sockets, on a store and on whichever clock there is. */
export const startStoringServer = (
  given: Pick<ServerConfig, "store" | "smtp"> & { readonly caPem?: string },
) =>
  Effect.gen(function* () {
    const clientSecret = Redacted.make(secret)
    const { url } = yield* startServer(
      {
        ...serverDefaults,
        port: 0,
        store: given.store,
        smtp: given.smtp,
        bootstrapCredentials: [
          { organization, clientId, clientSecret, role: "editor" },
          { organization: "other", clientId, clientSecret, role: "viewer" },
        ],
        egressAllowCidrs: ["127.0.0.0/8", "::1/128"],
      },
      given.caPem === undefined ? {} : { egressCaPem: given.caPem },
    )
    const send = (method: string, path: string, init: RequestInit = {}) =>
      Effect.promise(async (): Promise<Answered> => {
        const response = await fetch(`${url}${path}`, { method, ...init })
        const text = await response.text()
        return {
          status: response.status,
          headers: response.headers,
          json: text === "" ? undefined : JSON.parse(text),
        }
      })
    const token = (given = secret, of = organization) =>
      send("POST", "/api/accessToken", {
        headers: { authorization: `Basic ${btoa(`${clientId}:${given}`)}`, organization: of },
      })
    const login = Effect.map(token(), ({ json }) => ({
      authorization: `Bearer ${json.access_token}`,
      organization,
    }))
    /** Of commands. */
    const environment = {
      TOCSIN_URL: url,
      TOCSIN_ORGANIZATION: organization,
      TOCSIN_CLIENT_ID: clientId,
      TOCSIN_CLIENT_SECRET: secret,
    }
    return { url, send, token, login, environment }
  })

/** A clock that stands still until it is set; who sleeps, sleeps in real time. */
export const makeStandingClock = (real: Clock.Clock, start: number) => {
  let now = start
  const millis = (): number => now
  const clock: Clock.Clock = Object.create(real, {
    currentTimeMillisUnsafe: { value: millis },
    currentTimeMillis: { value: Effect.sync(millis) },
  })
  return { clock, setTime: (ms: number) => void (now = ms) }
}

/** Asks again and again, on real time, until the answer satisfies; gives up after a minute. */
export const eventually = <A, E>(ask: Effect.Effect<A, E>, isSatisfied: (answer: A) => boolean) =>
  Effect.promise(() =>
    vi.waitFor(
      async () => {
        const answer = await Effect.runPromise(ask)
        if (!isSatisfied(answer)) throw new Error(`not yet: ${JSON.stringify(answer)}`)
        return answer
      },
      { timeout: 60_000, interval: 5 },
    ),
  )

const organization = "acme"
const clientId = "me"
const secret = "0123456789abcdef0123456789abcdef0123456789A"
