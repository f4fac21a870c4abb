import type { ApiFetchHandler } from "../server/FetchHandler.ts"

/** A context of Hono 4. */
export interface HonoContext {
  /** The request, and within it that of Fetch. */
  readonly req: { readonly raw: Request }
  /** What the host passed to `app.fetch`: the bindings of Node's adapter, the info of `Deno.serve`, or Bun's server. */
  readonly env?: unknown
}

/** Mounts the API in Hono: `app.all("/api/*", honoHandler(tocsin))`, on Node's adapter, Deno or Bun. */
export const honoHandler =
  ({ handle }: Pick<ApiFetchHandler, "handle">): ((context: HonoContext) => Promise<Response>) =>
  ({ req: { raw }, env }) =>
    handle(raw, { peerAddress: peerAddressOf(raw, (env ?? {}) as HostBindings) })

/** The bindings of each host, as far as they name the peer. */
interface HostBindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } }
  readonly remoteAddr?: { readonly hostname?: string }
  readonly requestIP?: (request: Request) => { readonly address: string } | null
}

const peerAddressOf = (request: Request, bindings: HostBindings): string | undefined =>
  bindings.incoming?.socket?.remoteAddress ??
  bindings.remoteAddr?.hostname ??
  bindings.requestIP?.(request)?.address
