import type { Attempt } from "@tocsin/domain/notification/Attempt"
import type { Delivery } from "@tocsin/domain/delivery/Delivery"
import type { LoggedDelivery } from "@tocsin/domain/delivery/DeliveryLog"
import type { MethodHealth } from "@tocsin/domain/delivery/MethodHealth"

/** A delivery as the API tells it. */
export const deliveryToJson = (delivery: Delivery): object => {
  const { notification, alertMethod, state, attempt } = delivery
  const { project, name } = notification.slo
  return {
    id: notification.id,
    alertMethod,
    state,
    event: notification.event,
    alertId: notification.alertId,
    slo: { project, name },
    attempt,
    createdAt: timeText(delivery.createdAt),
    ...(state === "pending" && { nextAttemptAt: timeText(delivery.dueAt) }),
    ...(delivery.settledAt !== undefined && { settledAt: timeText(delivery.settledAt) }),
  }
}

/** A delivery with its attempts as the API tells it. */
export const deliveryLogToJson = ({ delivery, attempts }: LoggedDelivery): object => ({
  ...deliveryToJson(delivery),
  attempts: attempts.map(attemptToJson),
})

/** An attempt as the API tells it, its durations to a tenth of a millisecond. */
export const attemptToJson = (attempt: Attempt): object => ({
  ...attempt,
  startedAt: timeText(attempt.startedAt),
  durationMs: toTenth(attempt.durationMs),
  ...(attempt.connectMs !== undefined && { connectMs: toTenth(attempt.connectMs) }),
  ...(attempt.headMs !== undefined && { headMs: toTenth(attempt.headMs) }),
})

/** An alert method's health as the API tells it; an open breaker is a pause that ends by itself. */
export const healthToJson = ({ health, pause, isAllPaused }: MethodHealth): object => ({
  isDisabled: health.disabled !== undefined,
  ...(health.disabled && {
    disabledAt: timeText(health.disabled.at),
    disabledBecause: health.disabled.because,
  }),
  failures: health.failures,
  ...(health.failingSince !== undefined && { failingSince: timeText(health.failingSince) }),
  ...(health.lastSuccessAt !== undefined && { lastSuccessAt: timeText(health.lastSuccessAt) }),
  ...(health.circuitOpenUntil !== undefined && { circuitOpenUntil: timeText(health.circuitOpenUntil) }),
  ...pause,
  isAllPaused,
})

const toTenth = (ms: number): number => Math.round(ms * 10) / 10

/** A time of Unix milliseconds as RFC 3339 writes it, in UTC, rounded down to the millisecond. */
export const timeText = (timeMs: number): string => new Date(Math.floor(timeMs)).toISOString()
