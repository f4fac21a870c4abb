import { spawnSync } from "node:child_process"
import type { ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import { WebhookTransportUndici } from "@tocsin/adapters-egress"
import { type ApiClient, makeApiClient } from "@tocsin/cli/client/ApiClient"
import { startServer } from "@tocsin/server/server/Server"
import { serverDefaults, type StoreConfig } from "@tocsin/server/config/ServerConfig"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { type Certificates, makeCertificates } from "../egress/certificates.ts"
import { httpsReceiver, type Receiver } from "../egress/receiver.ts"

/** Builds the console from its sources unless it is built. */
export const buildConsole = (): void => {
  const script = fileURLToPath(new URL("../../scripts/console.mjs", import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" })
  if (status !== 0) throw new Error(`The console was not built: ${stderr}`)
}

/** The client secret of every credential. */
export const clientSecret = "a-secret-of-the-browser-tests-a-secret-of-tA"

/** How many organizations a server has: one for each test that needs one. */
const organizations = 200

/** A whole server that serves the console, and what its webhooks reach. */
export interface ConsoleServer {
  readonly url: string
  /** An organization that nobody has used, with the credentials `editor` and `viewer`. */
  readonly newOrganization: () => string
  /** Calls the API as the editor of an organization. */
  readonly api: (organization: string) => Promise<TestApi>
  readonly receiver: HookReceiver
  readonly stop: () => Promise<void>
}

/** The API, for what a test prepares. */
export interface TestApi {
  readonly send: (method: string, path: string, body?: unknown, project?: string) => Promise<string>
  readonly apply: (definitions: ReadonlyArray<object>) => Promise<string>
}

/** An HTTPS receiver on this machine, under names of its own. */
interface HookReceiver {
  /** `https://hooks.example.com:port`, without a path. */
  readonly url: string
  /** The same machine under a name that its certificate does not have. */
  readonly misnamedUrl: string
  /** The paths of the requests that came. */
  readonly received: ReadonlyArray<{
    readonly path: string
    readonly headers: Headers
    readonly body: string
  }>
  /** Answers a path with a status from now on; `undefined` never answers. Otherwise it is 204. */
  readonly answer: (path: string, status: number | undefined) => void
}

/** The master key of the server, with which its operator signs. */
export const consoleMasterKey = Redacted.make(new Uint8Array(32).fill(7))

/**
 * Starts the real server, on a store and on a clock, with the real transport: only names are looked up in the table below.
 */
export const startConsoleServer = async (
  store: StoreConfig = { kind: "memory", masterKey: consoleMasterKey },
  clock?: Clock.Clock,
): Promise<ConsoleServer> => {
  const certificates = await makeCertificates({ names: ["hooks.example.com"] })
  const { receiver, close } = await startHooks(certificates)
  const scope = await Effect.runPromise(Scope.make())
  const names = Array.from({ length: organizations }, (_, at) => `organization-${at + 1}`)
  const secret = Redacted.make(clientSecret)
  const onClock = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    clock === undefined ? effect : Effect.provideService(effect, Clock.Clock, clock)
  const { url } = await Effect.runPromise(
    onClock(
      Scope.provide(
        startServer(
          {
            ...serverDefaults,
            port: 0,
            store,
            bootstrapCredentials: names.flatMap((organization) => [
              { organization, clientId: "editor", clientSecret: secret, role: "editor" as const },
              { organization, clientId: "admin", clientSecret: secret, role: "admin" as const },
              { organization, clientId: "viewer", clientSecret: secret, role: "viewer" as const },
            ]),
            egressAllowCidrs: ["127.0.0.0/8"],
          },
          {
            transport: WebhookTransportUndici.layer({
              allowCidrs: ["127.0.0.0/8"],
              caPem: certificates.ca,
              resolve,
              deadlineMs: 2_000,
            }),
          },
        ),
        scope,
      ),
    ),
  )
  let used = 0
  return {
    url,
    newOrganization: () => names[used++] ?? "none is left",
    api: async (organization) =>
      apiOf(
        await Effect.runPromise(
          makeApiClient({ url, organization, clientId: "editor", clientSecret: secret }),
        ),
      ),
    receiver,
    stop: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await close()
    },
  }
}

/** No name leaves this machine. */
const resolve = (name: string): Promise<ReadonlyArray<string>> => {
  const address = addressByName.get(name)
  return address === undefined
    ? Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }))
    : Promise.resolve([address])
}

const addressByName: ReadonlyMap<string, string> = new Map([
  ["hooks.example.com", "127.0.0.1"],
  ["misnamed.example.com", "127.0.0.1"],
  ["blocked.example.com", "10.1.2.3"],
])

const apiOf = (client: ApiClient): TestApi => {
  const send: TestApi["send"] = (method, path, body, project) =>
    Effect.runPromise(
      client.call({
        method,
        path,
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(project !== undefined && { project }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      } as Parameters<ApiClient["call"]>[0]),
    ) as Promise<string>
  return {
    send,
    apply: (definitions) =>
      send(
        "PUT",
        "/api/apply",
        definitions.map((definition) => ({ apiVersion: "tocsin/v1alpha", ...definition })),
      ),
  }
}

const startHooks = async (
  certificates: Certificates,
): Promise<{ readonly receiver: HookReceiver; readonly close: () => Promise<void> }> => {
  const received: Array<HookReceiver["received"][number]> = []
  const answers = new Map<string, number | undefined>()
  const { port, close }: Receiver = await httpsReceiver(
    certificates,
    async (request, response: ServerResponse) => {
      const path = request.url ?? ""
      let body = ""
      for await (const chunk of request) body += String(chunk)
      const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, `${value}`]))
      received.push({ path, headers, body })
      // It agrees to every subscription to a status page.
      const [challenge] = /(?<="challenge":")[^"]+/.exec(body) ?? []
      if (challenge !== undefined) return void response.writeHead(200).end(JSON.stringify({ challenge }))
      const status = answers.has(path) ? answers.get(path) : 204
      if (status !== undefined)
        response.writeHead(status, { "content-type": "text/plain" }).end(answerText(status))
    },
  )
  return {
    receiver: {
      url: `https://hooks.example.com:${port}`,
      misnamedUrl: `https://misnamed.example.com:${port}`,
      received,
      answer: (path, status) => answers.set(path, status),
    },
    close,
  }
}

const answerText = (status: number): string => (status === 204 ? "" : `the receiver says ${status}`)
