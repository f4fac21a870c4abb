import { NodeApiServer } from "@tocsin/adapters-http"
import { createCredential, type Role } from "@tocsin/domain"
import { AccessTokens } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { api, apiPorts } from "./api-ports.ts"

/** A server on a free loopback port over the ports in memory, with the ports themselves. */
export const apiServer = NodeApiServer.layer({ host: "127.0.0.1", port: 0 }, api).pipe(
  Layer.provideMerge(apiPorts),
)

/** What came back, its body read. */
export interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends a request to the server of the context. */
export const send = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(NodeApiServer.NodeApiServer, ({ url }) =>
    Effect.promise(async (): Promise<ReceivedResponse> => {
      const response = await fetch(`${url}${path}`, init)
      return { status: response.status, headers: response.headers, text: await response.text() }
    }),
  )

/** Creates a credential and gives the value of its Basic `Authorization` header. */
export const basicOf = (organization: string, role: Role = "editor") =>
  Effect.map(createCredential({ organization, role }), ({ credential, clientSecret }) => ({
    clientId: credential.clientId,
    clientSecret: Redacted.value(clientSecret),
    authorization: `Basic ${btoa(`${credential.clientId}:${Redacted.value(clientSecret)}`)}`,
  }))

/** The headers of a client of the organization, with a token that was issued beside the rate limit. */
export const headersOf = (organization: string, role: Role = "editor") =>
  Effect.gen(function* () {
    const { credential } = yield* createCredential({ organization, role })
    const tokens = yield* AccessTokens
    const issuedAt = yield* Clock.currentTimeMillis
    const { clientId, createdAt: credentialCreatedAt } = credential
    const validity = { issuedAt, expiresAt: issuedAt + 3_600_000 }
    const token = yield* tokens.issue({ organization, clientId, role, credentialCreatedAt }, validity)
    return { authorization: `Bearer ${token}`, organization }
  })

/** The errors in a body of the error shape. */
export const errorsOf = (
  answer: ReceivedResponse,
): ReadonlyArray<{
  readonly title: string
  readonly code?: string
  readonly detail?: string
  readonly source?: { readonly propertyName?: string }
}> => (JSON.parse(answer.text) as { readonly errors: ReadonlyArray<{ readonly title: string }> }).errors
