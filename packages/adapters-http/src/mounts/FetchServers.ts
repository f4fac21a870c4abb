import type { ApiFetchHandler } from "../server/FetchHandler.ts"

/** The second argument of a handler of `Deno.serve`. */
export interface DenoInfo {
  /** The peer; a Unix socket has no `hostname`. */
  readonly remoteAddr: { readonly hostname?: string }
}

/** Mounts the API in Deno: `Deno.serve(denoHandler(tocsin))`. */
export const denoHandler =
  ({ handle }: Pick<ApiFetchHandler, "handle">): ((request: Request, info: DenoInfo) => Promise<Response>) =>
  (request, { remoteAddr }) =>
    handle(request, { peerAddress: remoteAddr.hostname })

/** The part of a server of Bun that `bunFetch` uses. */
export interface BunServer {
  /** The peer of a request; `null` if it is unknown. */
  readonly requestIP: (request: Request) => { readonly address: string } | null
}

/** Mounts the API in Bun: `Bun.serve({ fetch: bunFetch(tocsin) })`. */
export const bunFetch =
  ({
    handle,
  }: Pick<ApiFetchHandler, "handle">): ((request: Request, server: BunServer) => Promise<Response>) =>
  (request, server) =>
    handle(request, { peerAddress: server.requestIP(request)?.address })
