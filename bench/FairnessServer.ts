import { startServer } from "@tocsin/server/server/Server"
import { serverDefaults } from "@tocsin/server/config/ServerConfig"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { answerParent } from "./ContenderProcess.ts"

/** What to serve; without a database the store is in memory. */
export interface ServerToStart {
  readonly organizations: ReadonlyArray<string>
  readonly clientSecret: string
  readonly caPem: string
  readonly databaseUrl?: string | undefined
}

/** The whole server in a process of its own, which may send to loopback. Answers its URL. */
const start = async ({ organizations, clientSecret, caPem, databaseUrl }: ServerToStart): Promise<string> => {
  const masterKey = Redacted.make(new Uint8Array(32).fill(7))
  const { url } = await Effect.runPromise(
    Scope.provide(
      startServer(
        {
          ...serverDefaults,
          quotas: { ...serverDefaults.quotas, alertsPerSecond: 10_000, deliveriesPerMinute: 60_000 },
          port: 0,
          store:
            databaseUrl === undefined
              ? { kind: "memory", masterKey }
              : { kind: "postgres", url: Redacted.make(databaseUrl), masterKey },
          bootstrapCredentials: organizations.map((organization) => ({
            organization,
            clientId: organization,
            clientSecret: Redacted.make(clientSecret),
            role: "editor",
          })),
          egressAllowCidrs: ["127.0.0.0/8", "::1/128"],
          logLevel: "warning",
        },
        { egressCaPem: caPem },
      ),
      Scope.makeUnsafe(),
    ),
  )
  return url
}

/** What the process has in memory, in bytes, without garbage. */
const memory = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

answerParent({ start, memory })
