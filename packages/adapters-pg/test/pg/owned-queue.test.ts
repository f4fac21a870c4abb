import { DeliverySchedule, unknownHealth } from "@tocsin/domain/adapter"
import { describe, expect, it } from "vitest"
import { OwnedQueue, type Waiting } from "../../src/delivery/OwnedQueue.ts"
import { headsMax, type Place } from "../../src/delivery/QueueStatements.ts"

const organization = "acme"
const alertMethod = { project: "shop", name: "on-call" }
const start = { dueAt: -1, id: "" }
const stored = { created_at: 0, notification: "n" }
const kept = { createdAt: 0, notification: "n" }

const aQueue = (health = unknownHealth) => {
  const schedule = new DeliverySchedule<Waiting>()
  const queue = new OwnedQueue(schedule, organization, 1, 0)
  queue.setEndpoint(alertMethod, 3, { health, isPaused: false }, 0)
  return { schedule, queue }
}

/** Deliveries of the first lane that is read, due at their number. */
const rows = (from: number, count: number, scheduled_at = 0) =>
  Array.from({ length: count }, (_, index) => ({
    lane: 0,
    id: String(from + index).padStart(4, "0"),
    due_at: from + index,
    scheduled_at,
    ...stored,
  }))

const first = (after: Place) => [{ alertMethod, lane: "first" as const, after }]

/** Chooses and starts what is due. */
const startDue = ({ schedule, queue }: ReturnType<typeof aQueue>, now: number) => {
  const chosen = schedule.choose(100, now)
  for (const { delivery } of chosen) queue.start(delivery)
  return chosen.map(({ delivery }) => ({ id: delivery.id, alertMethod, isRetry: delivery.isRetry }))
}

describe("what a process knows of a queue that it owns", () => {
  it("asks for what follows when a lane is about to run out, and for no more than was queued", () => {
    const { schedule, queue } = aQueue({ ...unknownHealth })
    expect(queue.add(first(start), rows(0, headsMax), 0)).toEqual([])
    const chosen = schedule.choose(1, 100)
    for (const { delivery } of chosen) queue.start(delivery)
    expect(queue.readsToRefill(chosen)).toEqual([])
    for (let left = headsMax - 1; left > headsMax / 4 - 1; left--) {
      const [{ delivery } = { delivery: undefined }] = schedule.choose(1, 100)
      if (delivery === undefined) {
        // As many as its endpoint allows are in flight.
        queue.end({ id: "0000", alertMethod, isRetry: false }, 100)
        break
      }
      queue.start(delivery)
    }
    expect(queue.add(first({ dueAt: 19, id: "0019" }), [], 100)).toEqual([])
    expect(queue.readsAfter(alertMethod, start)).toHaveLength(2)
  })

  it("reads for a wake only the lanes that were read to its place, and there up to where they were read before", () => {
    const { queue } = aQueue()
    queue.add(first(start), rows(0, headsMax), 0)
    expect(queue.readsAfter(alertMethod, { dueAt: 5, id: "" }).map(({ lane }) => lane)).toEqual([
      "first",
      "retry",
    ])
    // The first lane will be read there anyway.
    expect(queue.readsAfter(alertMethod, { dueAt: 500, id: "" }).map(({ lane }) => lane)).toEqual(["retry"])
    // A new one came in between, so a full read ends before the place that was reached.
    const further = queue.add(
      first(start),
      [{ lane: 0, id: "new", due_at: 0, scheduled_at: 0, ...stored }, ...rows(0, headsMax - 1)],
      0,
    )
    expect(further).toEqual(first({ dueAt: headsMax - 2, id: String(headsMax - 2).padStart(4, "0") }))
  })

  it("does not take what ended during a read from what was read", () => {
    const each = aQueue()
    const { schedule, queue } = each
    queue.add(first(start), rows(0, 1), 0)
    queue.startRead()
    const [delivery] = startDue(each, 10)
    if (delivery === undefined) throw new Error("Nothing was due")
    queue.add(first(start), rows(0, 1), 10)
    queue.end(delivery, 10)
    queue.add(first(start), rows(0, 1), 10)
    queue.endRead()
    expect(schedule.choose(100, 1_000)).toEqual([])
    expect(queue.isIdle).toBe(true)
  })

  it("keeps the health of an endpoint that becomes idle while a read may find more for it", () => {
    const health = { ...unknownHealth, failures: 3 }
    const each = aQueue(health)
    const { schedule, queue } = each
    queue.add(first(start), rows(0, 1), 0)
    const [delivery] = startDue(each, 10)
    if (delivery === undefined) throw new Error("Nothing was due")
    queue.startRead()
    queue.end(delivery, 10)
    queue.add(first(start), rows(5, 1), 10)
    queue.endRead()
    expect(schedule.find(organization, alertMethod)?.health).toBe(health)
    expect(queue.generationOf(alertMethod)).toBe(3)
    for (const { id } of startDue(each, 20)) queue.end({ id, alertMethod, isRetry: false }, 20)
    expect(queue.isIdle).toBe(true)
    expect(schedule.find(organization, alertMethod)).toBeUndefined()
  })

  it("has a delivery wait for its next attempt, unless that will be read", () => {
    const each = aQueue()
    const { schedule, queue } = each
    queue.add(first(start), rows(0, 1), 0)
    queue.add([{ alertMethod, lane: "retry", after: start }], rows(1, headsMax), 0)
    const next = { isRetry: true, scheduledAt: 10, ...kept }
    for (const delivery of startDue(each, 0)) {
      queue.end(delivery, 10, { ...next, id: delivery.id, dueAt: 7, storedDueAt: 7 })
    }
    expect(schedule.find(organization, alertMethod)?.lanes.retry.size).toBe(headsMax + 1)
    const ofRetry = schedule.choose(1, 1)
    for (const { delivery } of ofRetry) {
      queue.start(delivery)
      queue.end({ ...delivery, alertMethod }, 10, {
        ...next,
        id: delivery.id,
        dueAt: 500,
        storedDueAt: 500,
      })
    }
    expect(ofRetry).toHaveLength(1)
    expect(schedule.find(organization, alertMethod)?.lanes.retry.size).toBe(headsMax)
  })

  it("takes a row that was scheduled again, or in the future of a clock that was set back", () => {
    const { schedule, queue } = aQueue()
    queue.add(first(start), [{ lane: 0, id: "a", due_at: 900, scheduled_at: 0, ...stored }], 0)
    queue.add(first(start), [{ lane: 0, id: "a", due_at: 50, scheduled_at: 40, ...stored }], 40)
    expect(schedule.nextDueAt(40)).toBe(50)
    queue.add(first(start), [{ lane: 0, id: "a", due_at: 90_020, scheduled_at: 90_000, ...stored }], 40)
    expect(schedule.nextDueAt(40)).toBe(60)
    expect(schedule.choose(100, 100)).toHaveLength(1)
  })

  it("ignores the end of what was in flight when it was lost", () => {
    const each = aQueue()
    const { schedule, queue } = each
    queue.add(first(start), rows(0, 1), 0)
    const [delivery] = startDue(each, 10)
    if (delivery === undefined) throw new Error("Nothing was due")
    queue.remove()
    const next = new OwnedQueue(schedule, organization, 2, 20)
    next.setEndpoint(alertMethod, 3, { health: unknownHealth, isPaused: false }, 20)
    queue.end(delivery, 20, {
      id: delivery.id,
      isRetry: true,
      dueAt: 0,
      storedDueAt: 0,
      scheduledAt: 0,
      ...kept,
    })
    expect(schedule.find(organization, alertMethod)).toBeDefined()
    expect(schedule.choose(100, 100)).toEqual([])
    expect(schedule.inFlight).toBe(0)
  })

  it("takes over deliveries of endpoints that it knows, also of those that nothing waits for", () => {
    const health = { ...unknownHealth, failures: 3 }
    const each = aQueue(health)
    const { schedule, queue } = each
    const handedOver = (due_at: number) => ({ id: `h-${due_at}`, due_at, scheduled_at: due_at, ...stored })
    expect(queue.handOver(alertMethod, handedOver(10), 10)).toBe(true)
    const [delivery] = startDue(each, 10)
    if (delivery === undefined) throw new Error("Nothing was due")
    queue.end(delivery, 10)
    expect(queue.isIdle).toBe(true)
    expect(schedule.find(organization, alertMethod)).toBeUndefined()
    expect(queue.handOver(alertMethod, handedOver(20), 20)).toBe(true)
    expect(schedule.find(organization, alertMethod)?.health).toBe(health)
    expect(queue.generationOf(alertMethod)).toBe(3)
    expect(startDue(each, 20)).toHaveLength(1)
    expect(queue.handOver({ project: "shop", name: "other" }, handedOver(30), 30)).toBe(false)
    // Another owner may have changed the health meanwhile.
    queue.remove()
    const next = new OwnedQueue(schedule, organization, 2, 40)
    expect(next.handOver(alertMethod, handedOver(40), 40)).toBe(false)
  })

  it("keeps what is due later than it has read while a read runs, which may not find it", () => {
    const each = aQueue()
    const { schedule, queue } = each
    queue.add(first(start), rows(0, headsMax), 0)
    queue.add([{ alertMethod, lane: "retry", after: start }], rows(100, headsMax), 0)
    const late = { id: "late", due_at: 500, scheduled_at: 500, ...stored }
    const [retried] = startDue(each, 0)
    if (retried === undefined) throw new Error("Nothing was due")
    queue.startRead()
    expect(queue.handOver(alertMethod, late, 0)).toBe(true)
    queue.end(retried, 0, {
      id: retried.id,
      isRetry: true,
      dueAt: 500,
      storedDueAt: 500,
      scheduledAt: 0,
      ...kept,
    })
    // The answers are older than what was added, and end both lanes.
    queue.add(first({ dueAt: 19, id: "0019" }), [], 0)
    queue.add([{ alertMethod, lane: "retry", after: { dueAt: 119, id: "0119" } }], [], 0)
    queue.endRead()
    const { lanes } = schedule.find(organization, alertMethod) ?? {}
    // One of the first lane was started, and one was handed over.
    expect(lanes?.first.size).toBe(headsMax)
    expect(lanes?.retry.size).toBe(headsMax + 1)
  })

  it("reads everything again when there was a wake for what a read that runs may not find", () => {
    const { queue } = aQueue()
    queue.add(first(start), rows(0, headsMax), 0)
    const after = { dueAt: 500, id: "" }
    queue.startRead()
    expect(queue.readsAfter(alertMethod, after).map(({ lane }) => lane)).toEqual(["retry"])
    expect(queue.isStale).toBe(false)
    queue.startRead()
    expect(queue.readsAfter(alertMethod, after).map(({ lane }) => lane)).toEqual(["retry"])
    expect(queue.isStale).toBe(true)
  })

  it("reads an idle endpoint before it is used once the answer about a wake was lost", () => {
    const { queue } = aQueue()
    queue.dropIfIdle(alertMethod)
    queue.forgetIdle()
    expect(queue.handOver(alertMethod, { id: "a", due_at: 1, scheduled_at: 1, ...stored }, 1)).toBe(false)
  })

  it("is not over while something is to be read, once for each endpoint, from the earliest on", () => {
    const { queue } = aQueue()
    queue.dropIfIdle(alertMethod)
    queue.rereadAt = Number.POSITIVE_INFINITY
    expect(queue.isOver).toBe(true)
    for (const at of [7, 5, 9]) queue.addUnplaced(alertMethod, at)
    expect(queue.isOver).toBe(false)
    expect(queue.takeUnplaced()).toEqual([{ ...alertMethod, at: 5 }])
    queue.startRead()
    expect(queue.isOver).toBe(false)
    queue.endRead()
    expect(queue.isOver).toBe(true)
  })

  it("keeps no more of what is handed over than it would read, and reads the rest in its order", () => {
    const each = aQueue()
    const { schedule, queue } = each
    const ids = Array.from({ length: 3 * headsMax }, (_, index) => index)
    for (const due_at of ids) {
      const row = { id: String(due_at).padStart(4, "0"), due_at, scheduled_at: due_at, ...stored }
      expect(queue.handOver(alertMethod, row, due_at)).toBe(true)
      // A row that is read meanwhile is not added twice.
      queue.handOver(alertMethod, row, due_at)
    }
    const waiting = schedule.find(organization, alertMethod)?.lanes.first
    expect(waiting?.size).toBe(headsMax)
    const sent: Array<string> = []
    for (let count = 0; count < 3 * headsMax; count++) {
      const chosen = schedule.choose(1, 100)
      for (const { delivery, endpoint } of chosen) {
        queue.start(delivery)
        for (const read of queue.readsToRefill(chosen)) {
          const found = rows(0, 3 * headsMax).filter(({ due_at, id }) =>
            due_at === read.after.dueAt ? id > read.after.id : due_at > read.after.dueAt,
          )
          expect(queue.add([read], found.slice(0, headsMax), 100)).toEqual([])
        }
        sent.push(delivery.id)
        queue.end({ ...delivery, alertMethod: endpoint.alertMethod }, 100)
      }
    }
    expect(sent).toEqual(rows(0, 3 * headsMax).map(({ id }) => id))
    expect(queue.isIdle).toBe(true)
  })
})
