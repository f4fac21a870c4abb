import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"

/** Servers that come and go, and how to call them. */
export interface Servers {
  readonly urls: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string>>
}

/** What sends requests, one after the other, until it is stopped. */
export interface Clients {
  /** Ends when every request that was begun is accepted. */
  readonly stop: () => Promise<void>
}

/** What sends alerts to servers that come and go. */
export interface AlertIntake extends Clients {
  /** The IDs of the deliveries of every alert that was accepted. */
  readonly accepted: ReadonlySet<string>
}

/**
 * Sends alerts, each notifying one of `methods` in turn, from `clients` at once. Each is repeated under its
 * `Idempotency-Key`, to whichever server answers, until it is accepted.
 */
export const startIntake = (
  options: Servers & { readonly methods: ReadonlyArray<string>; readonly clients: number },
): AlertIntake => {
  const { methods } = options
  const accepted = new Set<string>()
  const sendOne = async (n: number): Promise<void> => {
    const text = await sendUntilAccepted(options, n, {
      method: "POST",
      path: "/api/alerts",
      headers: { "content-type": "application/json", "idempotency-key": randomUUID() },
      body: JSON.stringify({
        status: "triggered",
        alertId: randomUUID(),
        slo: { name: "checkout", project: "default" },
        objective: "good",
        alertMethods: [{ name: methods[n % methods.length], project: "default" }],
      }),
    })
    const { deliveries } = JSON.parse(text) as { deliveries: ReadonlyArray<{ id: string }> }
    for (const { id } of deliveries) accepted.add(id)
  }
  return { accepted, ...startClients(options.clients, 20, sendOne) }
}

/** Runs `send` with consecutive numbers, from several clients at once, which pause for `pauseMs` after each. */
export const startClients = (count: number, pauseMs: number, send: (n: number) => Promise<void>): Clients => {
  const stopping = new AbortController()
  let begun = 0
  const client = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await send(begun++)
      await wait(pauseMs)
    }
  }
  const clients = Promise.all(Array.from({ length: count }, client))
  // The caller learns when it is stopped.
  clients.catch(() => undefined)
  return {
    stop: async () => {
      stopping.abort()
      await clients
    },
  }
}

/**
 * Sends a request to one server after the other, from the `n`th on, until it is accepted, and gives the response's body.
 * Fails when it is rejected.
 */
export const sendUntilAccepted = async (
  { urls, headers }: Servers,
  n: number,
  request: {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  },
): Promise<string> => {
  for (let attempt = 0; attempt < triesMax; attempt++) {
    const response = await fetch(`${urls[(n + attempt) % urls.length]}${request.path}`, {
      method: request.method,
      headers: { ...headers, ...request.headers },
      ...(request.body !== undefined && { body: request.body }),
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (response?.ok === true && text !== undefined) return text
    if (response !== undefined && !response.ok && response.status < 500 && response.status !== 429) {
      throw new Error(`answered ${response.status}: ${text}`)
    }
    await wait(50)
  }
  throw new Error(`${request.path} was not accepted in ${triesMax} tries`)
}

const triesMax = 1_200
