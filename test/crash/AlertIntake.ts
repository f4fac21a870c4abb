import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"

/** What sends alerts to servers that come and go. */
export interface AlertIntake {
  /** The IDs of the deliveries of every alert that was accepted. */
  readonly accepted: ReadonlySet<string>
  /** Ends when every alert that was begun is accepted. */
  readonly stop: () => Promise<void>
}

/**
 * Sends alerts, each notifying one of `methods` in turn, from `clients` at once. Each is repeated under its
 * `Idempotency-Key`, to whichever server answers, until it is accepted.
 */
export const startIntake = (options: {
  readonly urls: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string>>
  readonly methods: ReadonlyArray<string>
  readonly clients: number
}): AlertIntake => {
  const { urls, headers, methods } = options
  const accepted = new Set<string>()
  const stopping = new AbortController()
  let sent = 0

  const sendOne = async (n: number): Promise<void> => {
    const body = JSON.stringify({
      status: "triggered",
      alertId: randomUUID(),
      slo: { name: "checkout", project: "default" },
      objective: "good",
      alertMethods: [{ name: methods[n % methods.length], project: "default" }],
    })
    const key = randomUUID()
    for (let attempt = 0; attempt < triesMax; attempt++) {
      const response = await fetch(`${urls[(n + attempt) % urls.length]}/api/alerts`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", "idempotency-key": key },
        body,
        signal: AbortSignal.timeout(5_000),
      }).catch(() => undefined)
      const text = await response?.text().catch(() => undefined)
      if (response?.status === 202 && text !== undefined) {
        const { deliveries } = JSON.parse(text) as { deliveries: ReadonlyArray<{ id: string }> }
        for (const { id } of deliveries) accepted.add(id)
        return
      }
      if (response !== undefined && response.status < 500 && response.status !== 202) {
        throw new Error(`answered ${response.status}: ${text}`)
      }
      await wait(50)
    }
    throw new Error(`an alert was not accepted in ${triesMax} tries`)
  }

  const client = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sendOne(sent++)
      await wait(pauseMs)
    }
  }
  const clients = Promise.all(Array.from({ length: options.clients }, client))
  // The caller learns when it is stopped.
  clients.catch(() => undefined)
  return {
    accepted,
    stop: async () => {
      stopping.abort()
      await clients
    },
  }
}

const triesMax = 600
const pauseMs = 20
