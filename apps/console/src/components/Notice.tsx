import type { ReactNode } from "react"
import { Check, Clock, Warning } from "./Icon.tsx"
import css from "./Notice.module.css"
import tone from "./Tone.module.css"

/** A message on the page. */
export const Notice = ({
  kind,
  role,
  children,
}: {
  readonly kind: "ok" | "info" | "warn" | "bad"
  readonly role?: "alert" | "status"
  readonly children: ReactNode
}) => (
  <div className={`${css.notice} ${tone[kind]}`} role={role}>
    <span className={css.icon}>{kind === "ok" ? <Check /> : kind === "info" ? <Clock /> : <Warning />}</span>
    <div className={css.text}>{children}</div>
  </div>
)
