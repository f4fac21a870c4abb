import * as Result from "effect/Result"
import { createServer } from "node:https"
import type { RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:tls"
import type { TlsOptions, TLSSocket } from "node:tls"
import { makeAddressPolicy, parseWebhookUrl } from "@tocsin/domain/delivery"
import type { WebhookRequest } from "@tocsin/domain/ports"
import { listen, type Receiver } from "./listen.ts"

export { listen, type Receiver }

/** A receiver that speaks HTTP over TLS. */
export const httpsReceiver = (
  tls: { cert: string; key: string },
  listener: RequestListener,
): Promise<Receiver> =>
  listen(createServer({ cert: tls.cert, key: tls.key, keepAliveTimeout: 60_000 }, listener))

/** A receiver that writes its own bytes; `onRequest` is called with each chunk and its number on that socket. */
export const rawReceiver = (
  tls: TlsOptions,
  onRequest: (socket: TLSSocket, n: number, chunk: Buffer) => void,
): Promise<Receiver> =>
  listen(
    createTlsServer(tls, (socket) => {
      let n = 0
      socket.on("error", () => {})
      socket.on("data", (chunk: Buffer) => {
        n += 1
        onRequest(socket, n, chunk)
      })
    }),
  )

/** A request of an organization to a URL, which may lead to loopback. */
export const requestTo = (href: string, organization = "acme"): WebhookRequest => {
  const policy = makeAddressPolicy(["0.0.0.0/0", "::/0"])
  if (Result.isFailure(policy)) throw new Error("the blocks are valid")
  const url = parseWebhookUrl(href, policy.success)
  if (Result.isFailure(url)) throw new Error(url.failure.message)
  return {
    organization,
    url: url.success,
    headers: [["content-type", "application/json"]],
    body: new TextEncoder().encode("{}"),
  }
}
