import { Badge } from "@mantine/core"
import type { ReactNode } from "react"
import { t } from "../language/Text.tsx"
import { ArrowRight, Check, Clock, Cross, Off, Pause, Person, Siren, Warning } from "./Icon.tsx"

/** The status of anything that the console shows. */
export type Status = keyof typeof badges

/** A status as an icon and an adjective, so that nothing depends on its color. */
export const StatusBadge = ({ status }: { readonly status: Status }) => {
  const { color, icon, label, variant = "light" } = badges[status]
  return (
    <Badge variant={variant} color={color} leftSection={icon} px="xs" miw="max-content">
      {label()}
    </Badge>
  )
}

/** The adjective of a status. */
export const labelOf = (status: Status): string => badges[status].label()

/** The icon of a status, which has its adjective beside it. */
export const iconOf = (status: Status): ReactNode => badges[status].icon

const badge = (color: string, icon: ReactNode, label: () => string, variant?: "filled") => ({
  color,
  icon,
  label,
  variant,
})

const badges = {
  // Objectives
  breached: badge("red", <Cross />, () => t("Breached")),
  atRisk: badge("yellow", <Warning />, () => t("At risk")),
  computing: badge("gray", <Clock />, () => t("Computing…")),
  noData: badge("gray", <Clock />, () => t("No data")),
  // Objectives in reports
  met: badge("green", <Check />, () => t("Met")),
  insufficientData: badge("gray", <Clock />, () => t("Insufficient data")),
  missed: badge("red", <Cross />, () => t("Missed")),
  // Alert methods and objectives
  healthy: badge("green", <Check />, () => t("Healthy")),
  unused: badge("gray", <Clock />, () => t("Unused")),
  failing: badge("yellow", <Warning />, () => t("Failing")),
  enabled: badge("green", <Check />, () => t("Enabled")),
  disabled: badge("red", <Off />, () => t("Disabled"), "filled"),
  paused: badge("gray", <Pause />, () => t("Paused")),
  // Alert policies
  silent: badge("yellow", <Warning />, () => t("Notifies nobody")),
  // Data sources
  available: badge("green", <Check />, () => t("Available")),
  degraded: badge("yellow", <Warning />, () => t("Degraded")),
  unavailable: badge("red", <Cross />, () => t("Unavailable"), "filled"),
  // Deliveries
  pending: badge("gray", <Clock />, () => t("Pending")),
  retrying: badge("yellow", <Clock />, () => t("Retrying")),
  sending: badge("indigo", <ArrowRight />, () => t("Sending")),
  delivered: badge("green", <Check />, () => t("Delivered")),
  exhausted: badge("red", <Cross />, () => t("Exhausted"), "filled"),
  failed: badge("red", <Cross />, () => t("Failed")),
  // SLOs with open alerts
  alerting: badge("red", <Siren />, () => t("Alert open")),
  acknowledged: badge("yellow", <Person />, () => t("Alert acknowledged")),
  // Alerts
  held: badge("yellow", <Pause />, () => t("Held")),
  triggered: badge("red", <Warning />, () => t("Triggered"), "filled"),
  resolved: badge("green", <Check />, () => t("Resolved")),
  canceled: badge("gray", <Off />, () => t("Canceled")),
  // Incidents
  investigating: badge("red", <Siren />, () => t("Investigating")),
  identified: badge("yellow", <Warning />, () => t("Identified")),
  monitoring: badge("indigo", <Clock />, () => t("Monitoring")),
  // Silences
  silencing: badge("indigo", <Pause />, () => t("Active")),
  ended: badge("gray", <Off />, () => t("Ended")),
  // Keys, and silences that are scheduled
  active: badge("green", <Check />, () => t("Active")),
  next: badge("indigo", <Clock />, () => t("Scheduled")),
  retired: badge("gray", <Off />, () => t("Retired")),
}
