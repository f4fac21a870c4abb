import type { DefinitionDocument } from "@tocsin/api"
import { silenceName } from "@tocsin/domain/forms"
import { client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { t } from "../language/Text.tsx"
import { hourAfterDays, timeText } from "../time/TimeZone.ts"

type AlertSilence = DefinitionDocument<"AlertSilence">

/** For how long notifications are suppressed by a silence that is created with one click. */
export const silenceLengths = ["1h", "4h", "tomorrow"] as const

export type SilenceLength = (typeof silenceLengths)[number]

/** A length as an action. */
export const silenceLengthText = (length: SilenceLength): string =>
  ({ "1h": t("For 1 hour"), "4h": t("For 4 hours"), tomorrow: t("Until tomorrow, 09:00") })[length]

/** The alerts of an SLO, or only those of an alert policy. */
export interface SilencedAlerts {
  readonly slo: DefinitionKey
  readonly alertPolicy?: DefinitionKey | undefined
}

/** Silences alerts from now, with a name that says which, and when. */
export const silenceNow = async (
  apiVersion: string,
  { slo: { project, name: slo }, alertPolicy }: SilencedAlerts,
  length: SilenceLength,
  description?: string,
): Promise<void> => {
  const now = Date.now()
  const startTime = new Date(now).toISOString()
  const period =
    length === "tomorrow"
      ? { startTime, endTime: timeText(hourAfterDays(now, 1, 9)) }
      : { startTime, duration: length }
  const silence: AlertSilence = {
    apiVersion,
    kind: "AlertSilence",
    metadata: { name: silenceName(slo, now), project },
    spec: {
      slo,
      ...(description !== undefined && { description }),
      ...(alertPolicy && { alertPolicy: { project: alertPolicy.project, name: alertPolicy.name } }),
      period,
    },
  }
  await client.PUT("/api/apply", { body: silence })
}
