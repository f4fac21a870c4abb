import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { publicKeysPath } from "@tocsin/domain/limits"

/** What stands between a receiver and the keys of the server: it can be down, and serve an old list as a cache does. */
export interface KeyServer {
  readonly url: string
  readonly setDown: (isDown: boolean) => void
  /** The key that is left out of the list; `undefined` for none. */
  readonly hide: (keyId: string | undefined) => void
  readonly close: () => Promise<void>
}

/** Serves the list of public keys of a server on a free port of loopback. */
export const startKeyServer = async (serverUrl: string): Promise<KeyServer> => {
  let isDown = true
  let hidden: string | undefined
  const server = createServer(async (request, response) => {
    if (isDown) return response.writeHead(500).end()
    if (request.url !== publicKeysPath) return response.writeHead(404).end()
    const { keys } = (await (await fetch(`${serverUrl}${publicKeysPath}`)).json()) as {
      readonly keys: ReadonlyArray<{ readonly keyId: string }>
    }
    response.setHeader("content-type", "application/json")
    return response.end(JSON.stringify({ keys: keys.filter(({ keyId }) => keyId !== hidden) }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setDown: (down) => void (isDown = down),
    hide: (keyId) => void (hidden = keyId),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
