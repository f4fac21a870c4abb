import { Badge } from "@mantine/core"
import type { ReactNode } from "react"
import { ArrowRight, Check, Clock, Cross, Off, Pause, Warning } from "./Icon.tsx"

/** The status of anything that the console shows. */
export type Status = keyof typeof badges

/** A status as an icon and an adjective, so that nothing depends on its color. */
export const StatusBadge = ({ status }: { readonly status: Status }) => {
  const { color, icon, label, variant = "light" } = badges[status]
  return (
    <Badge variant={variant} color={color} leftSection={icon} px={8} miw="max-content">
      {label}
    </Badge>
  )
}

/** The adjective of a status. */
export const labelOf = (status: Status): string => badges[status].label

const badge = (color: string, icon: ReactNode, label: string, variant?: "filled") => ({
  color,
  icon,
  label,
  variant,
})

const badges = {
  // Objectives
  breached: badge("red", <Cross />, "Breached"),
  atRisk: badge("yellow", <Warning />, "At risk"),
  noData: badge("gray", <Clock />, "No data"),
  // Alert methods and objectives
  healthy: badge("green", <Check />, "Healthy"),
  unused: badge("gray", <Clock />, "Unused"),
  failing: badge("yellow", <Warning />, "Failing"),
  disabled: badge("red", <Off />, "Disabled", "filled"),
  paused: badge("gray", <Pause />, "Paused"),
  // Data sources
  available: badge("green", <Check />, "Available"),
  degraded: badge("yellow", <Warning />, "Degraded"),
  unavailable: badge("red", <Cross />, "Unavailable", "filled"),
  // Deliveries
  pending: badge("gray", <Clock />, "Pending"),
  retrying: badge("yellow", <Clock />, "Retrying"),
  sending: badge("indigo", <ArrowRight />, "Sending"),
  delivered: badge("green", <Check />, "Delivered"),
  exhausted: badge("red", <Cross />, "Exhausted", "filled"),
  failed: badge("red", <Cross />, "Failed"),
  // Alerts
  triggered: badge("red", <Warning />, "Triggered", "filled"),
  resolved: badge("green", <Check />, "Resolved"),
  canceled: badge("gray", <Off />, "Canceled"),
  // Keys
  active: badge("green", <Check />, "Active"),
  next: badge("indigo", <Clock />, "Scheduled"),
  retired: badge("gray", <Off />, "Retired"),
}
