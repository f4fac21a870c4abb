import { WebhookTransportRecording } from "@tocsin/adapters-memory"
import { type ApiClient, makeApiClient } from "@tocsin/cli/client/ApiClient"
import { serverDefaults, type StoreConfig } from "@tocsin/server/config/ServerConfig"
import { startServer } from "@tocsin/server/server/Server"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** The master key of these servers. */
export const masterKey = Redacted.make(new Uint8Array(32).fill(8))
/** The editor who calls them. */
export const credential = {
  organization: "acme",
  clientId: "me",
  clientSecret: Redacted.make("0123456789abcdef0123456789abcdef0123456789A"),
}

/** A server that runs. */
export interface Served {
  /** Calls the API, with JSON but for `/api/apply`, which takes YAML; returns what it responds. */
  readonly call: (method: "GET" | "POST" | "PUT", path: string, body?: string) => Promise<string>
  /** What the server has sent. */
  readonly sent: WebhookTransportRecording.WebhookTransportRecording["requests"]
}

/** Runs a server on a store for as long as it is used. `allowCidrs` are addresses that it may send to. */
export const withServer = <A>(
  store: StoreConfig,
  use: (served: Served) => Promise<A>,
  allowCidrs: ReadonlyArray<string> = [],
): Promise<A> =>
  Effect.gen(function* () {
    const { layer: transport, requests: sent } = WebhookTransportRecording.make()
    const { url } = yield* startServer(
      {
        ...serverDefaults,
        port: 0,
        store,
        bootstrapCredentials: [{ ...credential, role: "editor" }],
        egressAllowCidrs: allowCidrs,
        logLevel: "warning",
      },
      { transport },
    )
    const client = yield* makeApiClient({ url, ...credential })
    return yield* Effect.promise(() => use({ call: callsOf(client), sent }))
  }).pipe(Effect.scoped, Effect.runPromise)

const callsOf =
  (client: ApiClient): Served["call"] =>
  (method, path, body) => {
    const type = path === "/api/apply" ? "application/yaml" : "application/json"
    const headers = { project: "default", "content-type": type }
    return Effect.runPromise(client.call({ method, path, headers, ...(body !== undefined && { body }) }))
  }
