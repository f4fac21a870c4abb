import { ConsoleFiles } from "@tocsin/adapters-http/server"
import { ApiOptions, NodeApiServer } from "@tocsin/adapters-http"
import { createCredential, type Role } from "@tocsin/domain"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type ReceivedResponse, send } from "./api-client.ts"
import { apiPorts } from "./api-ports.ts"

/** A server that serves the console, of these files, over the ports in memory. */
export const consoleServer = (
  options: Partial<ReturnType<typeof ApiOptions.defaultValue>> = {},
  files: ConsoleFiles.ConsoleFiles = new Map(),
  ports: Layer.Layer<Layer.Success<typeof apiPorts>> = apiPorts,
) =>
  NodeApiServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
    Layer.provide(Layer.succeed(ConsoleFiles.ConsoleOptions, { files })),
    Layer.provide(Layer.succeed(ApiOptions, { ...ApiOptions.defaultValue(), ...options })),
    Layer.provideMerge(ports),
  )

/** What a person signs in with. */
export interface SignIn {
  readonly organization: string
  readonly clientId: string
  readonly clientSecret: string
}

/** What identifies a page of the server. */
export const fromConsole = { "x-tocsin-console": "1" }

/** Creates a credential to sign in with. */
export const newSignIn = (organization: string, role: Role = "editor") =>
  Effect.map(createCredential({ organization, role }), ({ credential, clientSecret }): SignIn => ({
    organization,
    clientId: credential.clientId,
    clientSecret: Redacted.value(clientSecret),
  }))

/** Signs in as the console does. */
export const signIn = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  send("/api/console/session", {
    method: "POST",
    headers: { ...fromConsole, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

/** What the browser sends back of a `Set-Cookie`. */
export const cookieOf = (response: ReceivedResponse): string =>
  response.headers.get("set-cookie")?.split(";")[0] ?? ""

/** Creates a credential and signs in with it: the headers of a request of the console. */
export const signedIn = (organization: string, role: Role = "editor") =>
  Effect.map(Effect.flatMap(newSignIn(organization, role), signIn), (response) => ({
    ...fromConsole,
    cookie: cookieOf(response),
  }))
