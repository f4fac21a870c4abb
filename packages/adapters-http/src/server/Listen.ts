import { TaggedError } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import type { Server } from "node:http"

/** The address is in use, or not one of this host. */
export class PortIsNotAvailable extends TaggedError("PortIsNotAvailable")<{
  /** The address that was to be listened on. */
  readonly host: string
  /** The port that was to be listened on. */
  readonly port: number
  /** Node's error code, such as `EADDRINUSE`. */
  readonly reason: string
}> {}

/**
 * Listens on an address; port 0 is any free one. `onError` is called with errors of connections that cannot be accepted, such as
 * EMFILE if the process has no file descriptor left.
 */
export const listen = (
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  onError: (error: NodeJS.ErrnoException) => void,
): Effect.Effect<void, PortIsNotAvailable> =>
  Effect.callback((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      resume(Effect.fail(new PortIsNotAvailable({ host, port, reason: error.code ?? error.name })))
    })
    server.listen({ host, port, backlog: listenBacklog }, () => {
      server.removeAllListeners("error")
      server.on("error", onError)
      resume(Effect.void)
    })
  })

/** Connections that wait to be accepted. A client finds a longer queue full, and tries again after a second. */
const listenBacklog = 4_096
