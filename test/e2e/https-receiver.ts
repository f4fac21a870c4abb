import type { IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { vi } from "vitest"
import type { Certificates } from "../egress/certificates.ts"
import { httpsReceiver } from "../egress/receiver.ts"

/** A request as it came over TLS; `headers` are the lines in their order, names as written. */
export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer
}

/** What a request is answered with. */
export interface ReceiverAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An HTTPS receiver on loopback that keeps what it got. */
export interface RecordingReceiver {
  /** `https://localhost:port`, without a path. */
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Waits until this many requests have come to a path. */
  readonly until: (count: number, path: string) => Promise<ReadonlyArray<Received>>
  readonly close: () => Promise<void>
}

/** Receives over TLS and answers by a function of the path, the number and the request, 204 when none is given. */
export const startReceiver = async (
  certificates: Certificates,
  answer: (path: string, n: number, received: Received) => ReceiverAnswer | Promise<ReceiverAnswer> = () => ({
    status: 204,
  }),
): Promise<RecordingReceiver> => {
  const received: Array<Received> = []
  const { port, close } = await httpsReceiver(certificates, async (request, response) => {
    const each = await receivedOf(request, port)
    const n = received.push(each)
    const { status, headers = {}, body } = await answer(request.url ?? "", n, each)
    response.writeHead(status, headers).end(body)
  })
  const toPath = (path: string) => received.filter(({ url }) => new URL(url).pathname === path)
  return {
    url: `https://localhost:${port}`,
    received,
    until: async (count, path) => {
      await vi.waitUntil(() => toPath(path).length >= count, { timeout: 60_000, interval: 5 })
      return toPath(path)
    },
    close,
  }
}

const receivedOf = async (request: IncomingMessage, port: number): Promise<Received> => {
  const lines = request.rawHeaders
  return {
    method: request.method ?? "",
    url: `https://localhost:${port}${request.url}`,
    headers: lines.flatMap((name, index) =>
      index % 2 === 0 ? [[name, lines[index + 1] ?? ""] as const] : [],
    ),
    body: await buffer(request),
  }
}

/** A request as a Fetch server hands it on. */
export const toFetchRequest = ({ method, url, headers, body }: Received): Request =>
  new Request(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    body: new Uint8Array(body),
  })

/** The value of the one header line of a name; fails unless there is exactly one. */
export const headerOf = ({ headers }: Received, name: string): string => {
  const values = headers
    .filter(([each]) => each.toLowerCase() === name.toLowerCase())
    .map(([, value]) => value)
  if (values.length !== 1) throw new Error(`${values.length} lines of ${name}`)
  return values[0] ?? ""
}
