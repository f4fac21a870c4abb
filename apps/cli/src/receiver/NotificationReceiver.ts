import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer } from "node:https"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import {
  createNotificationVerifier,
  NotificationRejected,
  type NotificationVerifier,
  type VerifiedNotification,
} from "@tocsin/receiver"
import { verifyNodeRequest } from "@tocsin/receiver/node"
import { type Forwarded, forwardNotification } from "./ForwardNotification.ts"
import type { LocalCertificate } from "./LocalCertificate.ts"

export interface ReceivedNotification {
  readonly method: string
  readonly authority: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly outcome:
    | { readonly isValid: true; readonly notification: VerifiedNotification }
    | { readonly isValid: false; readonly reason: string }
  /** How the receiver that it was forwarded to responded. */
  readonly forwarded?: Forwarded | undefined
}

/** The receiver cannot listen on a port; `reason` is an error code. */
export class PortIsNotAvailable extends Data.TaggedError("PortIsNotAvailable")<{
  readonly port: number
  readonly reason: string
}> {}

/**
 * Receives notifications over HTTPS on localhost until the scope closes, and verifies each with the public keys of
 * the server. Succeeds with the URL to use in an alert method. With `forwardTo`, the receiver at this origin gets each verified
 * notification, and its status is the response; 502 if it does not respond.
 */
export const receiveNotifications = (options: {
  readonly port: number
  readonly serverUrl: string
  readonly certificate: LocalCertificate
  readonly forwardTo?: URL | undefined
  readonly onReceived: (received: ReceivedNotification) => void
}): Effect.Effect<string, PortIsNotAvailable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>, PortIsNotAvailable>((resume) => {
      const receive = async (
        verifier: NotificationVerifier,
        request: IncomingMessage,
        response: ServerResponse,
      ): Promise<void> => {
        const outcome = await verifyNodeRequest(verifier, request).then(
          (notification) => ({ status: 204, isValid: true, notification }) as const,
          (rejection: unknown) => {
            if (!(rejection instanceof NotificationRejected)) throw rejection
            const reason = `${rejection.code}: ${rejection.message}`
            return { status: rejection.status, isValid: false, reason } as const
          },
        )
        const forwarded =
          outcome.isValid && options.forwardTo !== undefined
            ? await forwardNotification(options.forwardTo, request, outcome.notification.body)
            : undefined
        options.onReceived({
          method: request.method ?? "",
          authority: request.headers.host ?? "",
          path: (request.url ?? "").split("?", 1)[0] ?? "",
          headers: Object.fromEntries(
            Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
          ),
          outcome,
          forwarded,
        })
        if (!outcome.isValid) response.setHeader("connection", "close")
        if (forwarded?.retryAfter !== undefined) response.setHeader("retry-after", forwarded.retryAfter)
        response.writeHead((forwarded ?? outcome).status).end()
      }
      const server = createServer(options.certificate)
      server.once("error", ({ code, name }: NodeJS.ErrnoException) =>
        resume(Effect.fail(new PortIsNotAvailable({ port: options.port, reason: code ?? name }))),
      )
      server.listen({ host, port: options.port }, () => {
        const verifier = createNotificationVerifier({
          baseUrl: options.serverUrl,
          allowHttp: true,
          authority: ["localhost", host].map((name) => `${name}:${portOf(server)}`),
        })
        server.on("request", (request, response) => {
          receive(verifier, request, response).catch(() => response.destroy())
        })
        resume(Effect.succeed(server))
      })
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  ).pipe(Effect.map((server) => `https://localhost:${portOf(server)}`))

const host = "127.0.0.1"

const portOf = (server: ReturnType<typeof createServer>): number => (server.address() as AddressInfo).port
