import type { Attempt } from "@tocsin/domain"
import type { Delivery } from "@tocsin/domain/adapter"
import type { LoggedDelivery } from "@tocsin/domain/ports"
import { timeText } from "../frame/TimeText.ts"

export const deliveryToJson = (delivery: Delivery): object => {
  const { notification, alertMethod, state, attempt } = delivery
  const { project, name, displayName } = notification.slo
  return {
    id: notification.id,
    alertMethod,
    state,
    event: notification.event,
    ...(notification.alertId !== "" && { alertId: notification.alertId }),
    slo: { project, name, ...(displayName !== undefined && { displayName }) },
    attempt,
    attemptsUsed: delivery.attemptsUsed,
    createdAt: timeText(delivery.createdAt),
    ...(state === "pending" && { nextAttemptAt: timeText(delivery.dueAt) }),
    ...(delivery.settledAt !== undefined && { settledAt: timeText(delivery.settledAt) }),
  }
}

export const deliveryLogToJson = ({ delivery, attempts }: LoggedDelivery): object => ({
  ...deliveryToJson(delivery),
  attempts: attempts.map(attemptToJson),
})

/** An attempt as the API returns it, with durations in tenths of a millisecond. */
export const attemptToJson = (attempt: Attempt): object => ({
  ...attempt,
  startedAt: timeText(attempt.startedAt),
  durationMs: toTenth(attempt.durationMs),
  ...(attempt.connectMs !== undefined && { connectMs: toTenth(attempt.connectMs) }),
  ...(attempt.lookupMs !== undefined && { lookupMs: toTenth(attempt.lookupMs) }),
  ...(attempt.tcpMs !== undefined && { tcpMs: toTenth(attempt.tcpMs) }),
  ...(attempt.tlsMs !== undefined && { tlsMs: toTenth(attempt.tlsMs) }),
  ...(attempt.headMs !== undefined && { headMs: toTenth(attempt.headMs) }),
})

const toTenth = (ms: number): number => Math.round(ms * 10) / 10
