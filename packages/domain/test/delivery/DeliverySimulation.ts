import {
  type Chosen,
  DeliverySchedule,
  DueQueue,
  laneOf,
  unknownHealth,
  type WaitingDelivery,
} from "@tocsin/domain/adapter"

export interface Workload {
  /** Organizations whose endpoints always have something due. */
  readonly hostile: number
  readonly endpointsEach: number
  /** How long the receivers of hostile organizations take to respond, in milliseconds. */
  readonly hostileMs: number
  /** Time between two deliveries of the healthy organization, and how long its receiver takes, in milliseconds. */
  readonly everyMs: number
  readonly healthyMs: number
  readonly durationMs: number
}

/**
 * Runs a process of the default capacity in virtual time; the hostile organizations come at 0. Returns how long each
 * delivery of the healthy organization waited, in milliseconds, in order; those that never started wait until the end.
 */
export const simulateWaits = (workload: Workload): ReadonlyArray<number> => {
  const schedule = new DeliverySchedule<WaitingDelivery>()
  const ends = new DueQueue<Chosen<WaitingDelivery>>()
  const waits: Array<number> = []
  let count = 0
  const hook = (number: number) => ({ project: "shop", name: `hook-${number}` })
  const add = (organization: string, alertMethod: ReturnType<typeof hook>, now: number): void =>
    schedule.put(organization, alertMethod, [{ id: `d-${count++}`, dueAt: now, isRetry: false }], now)
  const addEndpoint = (organization: string, number: number): void =>
    void schedule.setEndpoint(organization, hook(number), { health: unknownHealth, isPaused: false }, 0)

  for (let each = 0; each < workload.hostile; each++) {
    for (let number = 0; number < workload.endpointsEach; number++) {
      addEndpoint(`hostile-${each}`, number)
      add(`hostile-${each}`, hook(number), 0)
    }
  }
  addEndpoint("healthy", 0)
  let now = 0
  let nextAlertAt = 0
  while (now < workload.durationMs) {
    if (now >= nextAlertAt) {
      add("healthy", hook(0), now)
      nextAlertAt = now + workload.everyMs
    }
    for (const end of ends.due(now, Number.POSITIVE_INFINITY)) {
      ends.remove(end)
      const { organization, alertMethod } = end.endpoint
      schedule.end(organization, alertMethod, laneOf(end.delivery), now)
      if (organization !== "healthy") add(organization, alertMethod, now)
    }
    for (const chosen of schedule.choose(Number.POSITIVE_INFINITY, now)) {
      const isHealthy = chosen.endpoint.organization === "healthy"
      if (isHealthy) waits.push(now - chosen.delivery.dueAt)
      ends.put(chosen, now + (isHealthy ? workload.healthyMs : workload.hostileMs))
    }
    now = Math.min(nextAlertAt, ends.nextDueAt ?? Number.POSITIVE_INFINITY)
  }
  const unsent = [...(schedule.find("healthy", hook(0))?.lanes.first.items() ?? [])]
  return [...waits, ...unsent.map(({ dueAt }) => workload.durationMs - dueAt)]
}

export const percentile = (waits: ReadonlyArray<number>, share: number): number =>
  waits.toSorted((a, b) => a - b)[Math.ceil(waits.length * share) - 1] ?? 0
