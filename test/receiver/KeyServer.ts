import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { publicKeyPath, publicKeysPath } from "@tocsin/domain/limits"
import { signedRequest, type SignedRequestChange, testKeyPublished } from "../signature/TestKey.ts"

/** A sender's public key endpoints on loopback, which a test can turn at will. */
export interface KeyServer {
  readonly baseUrl: string
  readonly publicKeyUrl: string
  /** The paths that were asked for, in order. */
  readonly asked: Array<string>
  /** What a path answers: a status and a body. Absent: 404. */
  readonly answers: Map<string, { readonly status: number; readonly body: string }>
  /** Responses wait until this settles. */
  hold: Promise<void>
  readonly close: () => Promise<void>
}

/** The answer of the list of keys. */
export const keysResponse = (...keys: ReadonlyArray<unknown>) => ({
  status: 200,
  body: JSON.stringify({ keys }),
})

/** Starts the endpoints, with the test key in the list. */
export const startKeyServer = async (): Promise<KeyServer> => {
  const server = createServer(async (request, response) => {
    const path = request.url ?? ""
    keyServer.asked.push(path)
    await keyServer.hold
    const { status, body } = keyServer.answers.get(path) ?? { status: 404, body: "{}" }
    response.writeHead(status, { "content-type": "application/json" }).end(body)
  })
  const baseUrl = await listen(server)
  const keyServer: KeyServer = {
    baseUrl,
    publicKeyUrl: baseUrl + publicKeyPath,
    asked: [],
    answers: new Map([[publicKeysPath, keysResponse({ ...testKeyPublished, state: "active" })]]),
    hold: Promise.resolve(),
    close: () => closeServer(server),
  }
  return keyServer
}

/** Listens on a free port of loopback and gives the base address. */
export const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Ends a server and its connections. */
export const closeServer = async (server: Server): Promise<void> => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

/** Signs a notification for a URL now and posts it; `change` alters what is sent after signing. */
export const postSigned = async (
  url: string,
  signed: SignedRequestChange = {},
  change: { readonly body?: Uint8Array; readonly headers?: Record<string, string> } = {},
): Promise<Response> => {
  const { host, pathname } = new URL(url)
  const created = Math.floor(Date.now() / 1_000)
  const request = signedRequest({ authority: host, path: pathname, created, ...signed })
  const headers = new Headers(
    request.headers.filter(([name]) => name !== "Host").map(([name, value]) => [name, value]),
  )
  for (const [name, value] of Object.entries(change.headers ?? {})) headers.set(name, value)
  return fetch(url, { method: "POST", headers, body: change.body ?? request.body })
}
