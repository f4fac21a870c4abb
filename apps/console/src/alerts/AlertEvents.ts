import type { Delivery, ExplainedPolicy } from "@tocsin/api"
import type { DefinitionKey } from "../api/Definitions.ts"
import { t } from "../language/Text.tsx"
import type { Alert } from "./Alert.ts"
import { cancelReason, severityName } from "./Alert.ts"

/** What the conditions of one objective were in one minute. */
export type ExplainedObjective = ExplainedPolicy["minutes"][number]["objectives"][number]

/** Something that happened to an alert. */
export interface AlertEvent {
  readonly at: string
  readonly kind: "breach" | "triggered" | "sent" | "delivered" | "failed" | "person" | "silenced" | "ended"
  readonly title: string
  readonly detail?: string
  /** A path of the console, or the URL of a page outside it. */
  readonly href?: string
}

/** What is known about an alert. */
export interface AlertHistory {
  readonly alert: Alert
  readonly deliveries: ReadonlyArray<Delivery>
  /** What people call an alert method. */
  readonly methodName: (key: DefinitionKey) => string
  /** The minutes before it triggered; absent without a policy, or once that was deleted. */
  readonly before?: ExplainedPolicy | undefined
  /** The minute in which it was resolved. */
  readonly atEnd?: ExplainedPolicy | undefined
  /** Of the alert policy, as it is now. */
  readonly coolDown?: string | undefined
}

/** Everything that happened to an alert, the earliest first. */
export const eventsOf = (history: AlertHistory): ReadonlyArray<AlertEvent> =>
  [
    ...breachEvents(history),
    ...lifeEvents(history),
    ...history.deliveries.flatMap((delivery) => deliveryEvents(history, delivery)),
  ].toSorted(
    (a, b) =>
      Date.parse(a.at) - Date.parse(b.at) ||
      order.indexOf(a.kind) - order.indexOf(b.kind) ||
      a.title.localeCompare(b.title),
  )

/** Of events of the same time: what causes a notification is before it. */
const order: ReadonlyArray<AlertEvent["kind"]> = [
  "breach",
  "triggered",
  "silenced",
  "person",
  "ended",
  "sent",
  "delivered",
  "failed",
]

/** The conditions of the alert's objective in a minute. */
export const objectiveAt = (
  explained: ExplainedPolicy | undefined,
  alert: Alert,
  at: number,
): ExplainedObjective | undefined =>
  explained?.minutes[at]?.objectives.find(({ name }) => name === alert.objective)

/** When conditions began to be met without a break until the alert triggered: the first of them, and all of a group. */
const breachEvents = ({ alert, before }: AlertHistory): ReadonlyArray<AlertEvent> => {
  const minutes = before?.minutes ?? []
  const last = minutes.length - 1
  const since = (isSo: (objective: ExplainedObjective) => boolean): number | undefined => {
    let first: number | undefined
    for (let at = last; at >= 0; at--) {
      const objective = objectiveAt(before, alert, at)
      if (objective === undefined || !isSo(objective)) break
      first = at
    }
    return first
  }
  const isPartlyMet = (objective: ExplainedObjective): boolean =>
    objective.conditionGroups.some(({ conditions }) => conditions.some(({ isMet }) => isMet))
  const partly = since(isPartlyMet)
  const whole = since(({ isMet }) => isMet)
  const endOf = (at: number): string => new Date(Date.parse(minutes[at]?.at ?? "") + 60_000).toISOString()
  return [
    ...(partly !== undefined && partly !== whole
      ? [
          {
            at: endOf(partly),
            kind: "breach" as const,
            title: partly === 0 ? t("A condition was met already") : t("First condition met"),
            detail: detailsOf(objectiveAt(before, alert, partly), true),
          },
        ]
      : []),
    ...(whole === undefined
      ? []
      : [
          {
            at: endOf(whole),
            kind: "breach" as const,
            title: whole === 0 ? t("All conditions were met already") : t("All conditions met"),
            detail: detailsOf(objectiveAt(before, alert, whole), true),
          },
        ]),
  ]
}

/** What was measured of the conditions that are met, or of those that are not. */
const detailsOf = (
  measured: Pick<ExplainedObjective, "conditionGroups"> | undefined,
  isMet: boolean,
): string =>
  (measured?.conditionGroups ?? [])
    .flatMap(({ conditions }) => conditions.filter((condition) => condition.isMet === isMet))
    .map(({ condition, detail }) => `${condition}: ${detail}`)
    .join("\n")

const lifeEvents = ({ alert, atEnd, coolDown }: AlertHistory): ReadonlyArray<AlertEvent> => [
  {
    at: alert.triggeredAt,
    kind: "triggered",
    title:
      alert.severity === undefined
        ? t("Alert triggered")
        : t("Alert triggered with severity {severity}", { severity: severityName(alert.severity) }),
    detail: alert.evidence === undefined ? alert.conditions.join("\n") : detailsOf(alert.evidence, true),
  },
  ...(alert.isSilenced
    ? [
        {
          at: alert.triggeredAt,
          kind: "silenced" as const,
          title: t("Silenced"),
          detail: t("A silence covered the SLO, so no notifications were sent."),
        },
      ]
    : []),
  ...(alert.acknowledgement === undefined
    ? []
    : [
        {
          at: alert.acknowledgement.at,
          kind: "person" as const,
          title: t("Acknowledged by {by}", { by: alert.acknowledgement.by }),
          detail: [
            ...(alert.acknowledgement.note === undefined ? [] : [alert.acknowledgement.note]),
            t("It is not sent again and does not escalate."),
          ].join("\n"),
        },
      ]),
  ...(alert.resolvedAt === undefined
    ? []
    : [{ at: alert.resolvedAt, kind: "ended" as const, ...endOf(alert, atEnd, coolDown) }]),
]

/** What ended an alert. */
const endOf = (alert: Alert, atEnd: ExplainedPolicy | undefined, coolDown: string | undefined) => {
  if (alert.status === "canceled") {
    return {
      title: t("Alert canceled"),
      detail: alert.reason === undefined ? "" : capital(cancelReason(alert.reason)),
    }
  }
  const unmet = detailsOf(objectiveAt(atEnd, alert, (atEnd?.minutes.length ?? 0) - 1), false)
  return {
    title: t("Alert resolved"),
    detail: [
      unmet,
      ...(coolDown === undefined || alert.alertPolicy === undefined
        ? []
        : [t("One condition was unmet throughout the cool-down of {coolDown}.", { coolDown })]),
    ]
      .filter((line) => line !== "")
      .join("\n"),
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** When a notification was sent, and what came of it. */
const deliveryEvents = (
  { deliveries, methodName }: AlertHistory,
  delivery: Delivery,
): ReadonlyArray<AlertEvent> => {
  const { id, alertMethod, createdAt, settledAt, deliveredAt, state, attempt } = delivery
  const method = methodName(alertMethod)
  const href = `/deliveries/${id}`
  const attempts = t("{count, plural, one {# attempt} other {# attempts}}", { count: attempt })
  const delivered = (at: string, title: string): AlertEvent => ({ at, kind: "delivered", title, href })
  // A resend may end differently. It does not change when the notification was delivered first.
  const hasOtherEnd = settledAt !== undefined && settledAt !== deliveredAt
  const end: ReadonlyArray<AlertEvent> = [
    ...(deliveredAt === undefined
      ? []
      : [
          {
            ...delivered(deliveredAt, t("Delivered to {method}", { method })),
            ...(state === "delivered" && !hasOtherEnd && { detail: attempts }),
          },
        ]),
    ...(!hasOtherEnd
      ? []
      : state === "delivered"
        ? [
            {
              ...delivered(settledAt, t("Resent and delivered again to {method}", { method })),
              detail: attempts,
            },
          ]
        : [
            {
              at: settledAt,
              kind: "failed" as const,
              title:
                deliveredAt === undefined
                  ? t("Not delivered to {method}", { method })
                  : t("Resent, but not delivered again to {method}", { method }),
              detail: attempts,
              href,
            },
          ]),
  ]
  const isUnsettled = settledAt === undefined && deliveredAt === undefined
  return [
    {
      at: createdAt,
      kind: "sent",
      title: sentTitle(deliveries, delivery, method),
      ...(isUnsettled && {
        detail:
          attempt === 0
            ? t("No attempt yet")
            : t("{count, plural, one {# attempt} other {# attempts}}, not delivered yet", { count: attempt }),
      }),
      href,
    },
    ...end,
  ]
}

/**
 * The first notifications are those to every alert method of the policy at once, which may be long after the trigger of an alert
 * that was silenced or reported late. Later ones repeat them, or escalate to an alert method that had none.
 */
const sentTitle = (
  deliveries: ReadonlyArray<Delivery>,
  { id, event, alertMethod, createdAt }: Delivery,
  method: string,
): string => {
  if (event === "alert.resolved") return t("Resolution sent to {method}", { method })
  const sent = deliveries.filter((each) => each.event === event)
  const firstAt = Math.min(...sent.map((each) => Date.parse(each.createdAt)))
  if (Date.parse(createdAt) - firstAt < soonMs) return t("Notification sent to {method}", { method })
  const isKnown = sent.some(
    (each) =>
      each.id !== id &&
      Date.parse(each.createdAt) <= Date.parse(createdAt) &&
      each.alertMethod.project === alertMethod.project &&
      each.alertMethod.name === alertMethod.name,
  )
  return isKnown ? t("Sent again to {method}", { method }) : t("Escalated to {method}", { method })
}

/** Renotifications and escalations come at least a minute later. */
const soonMs = 30_000
