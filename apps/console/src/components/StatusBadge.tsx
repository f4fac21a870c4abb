import type { ReactNode } from "react"
import { ArrowRight, Check, Clock, Cross, Off, Pause, Warning } from "./Icon.tsx"
import css from "./StatusBadge.module.css"
import tone from "./Tone.module.css"

/** The status of anything that the console shows. */
export type Status = keyof typeof badges

/** A status as an icon and an adjective, so that nothing depends on its color. */
export const StatusBadge = ({ status }: { readonly status: Status }) => {
  const { kind, icon, label } = badges[status]
  return (
    <span className={`${css.chip} ${tone[kind]}`}>
      {icon}
      {label}
    </span>
  )
}

/** The adjective of a status. */
export const labelOf = (status: Status): string => badges[status].label

const badge = (kind: string, icon: ReactNode, label: string) => ({ kind, icon, label })

const badges = {
  // Objectives
  breached: badge("bad", <Cross />, "Breached"),
  atRisk: badge("warn", <Warning />, "At risk"),
  noData: badge("quiet", <Clock />, "No data"),
  // Alert methods and objectives
  healthy: badge("ok", <Check />, "Healthy"),
  unused: badge("quiet", <Clock />, "Unused"),
  failing: badge("warn", <Warning />, "Failing"),
  disabled: badge("solid", <Off />, "Disabled"),
  paused: badge("quiet", <Pause />, "Paused"),
  // Deliveries
  pending: badge("quiet", <Clock />, "Pending"),
  retrying: badge("warn", <Clock />, "Retrying"),
  sending: badge("info", <ArrowRight />, "Sending"),
  delivered: badge("ok", <Check />, "Delivered"),
  exhausted: badge("solid", <Cross />, "Exhausted"),
  failed: badge("bad", <Cross />, "Failed"),
  // Alerts
  triggered: badge("solid", <Warning />, "Triggered"),
  resolved: badge("ok", <Check />, "Resolved"),
  canceled: badge("quiet", <Off />, "Canceled"),
  // Keys
  active: badge("ok", <Check />, "Active"),
  next: badge("info", <Clock />, "Scheduled"),
  retired: badge("quiet", <Off />, "Retired"),
} as const
