import type { ReactNode } from "react"
import { ArrowRight, Check, Clock, Cross, Off, Pause, Warning } from "./Icon.tsx"
import css from "./StateChip.module.css"
import tone from "./Tone.module.css"

/** A state of anything the console shows. */
export type State = keyof typeof looks

/** A state as a word and a sign, so that its colour says nothing more. */
export const StateChip = ({ state, text }: { readonly state: State; readonly text?: string }) => {
  const { kind, icon, word } = looks[state]
  return (
    <span className={`${css.chip} ${tone[kind]}`}>
      {icon}
      {text ?? word}
    </span>
  )
}

/** A state as a word alone. */
export const wordOf = (state: State): string => looks[state].word

const look = (kind: string, icon: ReactNode, word: string) => ({ kind, icon, word })

const looks = {
  // Alert methods
  healthy: look("ok", <Check />, "Healthy"),
  unused: look("quiet", <Clock />, "Not used yet"),
  failing: look("warn", <Warning />, "Failing"),
  disabled: look("solid", <Off />, "Disabled"),
  paused: look("quiet", <Pause />, "Paused"),
  // Deliveries
  pending: look("quiet", <Clock />, "Waiting"),
  retrying: look("warn", <Clock />, "Retrying"),
  sending: look("info", <ArrowRight />, "Sending"),
  delivered: look("ok", <Check />, "Delivered"),
  exhausted: look("solid", <Cross />, "Exhausted"),
  failed: look("bad", <Cross />, "Failed"),
  // Alerts
  triggered: look("solid", <Warning />, "Open"),
  resolved: look("ok", <Check />, "Resolved"),
  canceled: look("quiet", <Off />, "Canceled"),
  // Keys
  active: look("ok", <Check />, "Signs now"),
  next: look("info", <Clock />, "Signs next"),
  retired: look("quiet", <Off />, "Retired"),
} as const
