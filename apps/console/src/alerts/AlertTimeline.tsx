import { Link } from "wouter"
import { ArrowRight, Check, Clock, Cross, Mute, Person, Send, Warning } from "../components/Icon.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import type { AlertEvent } from "./AlertEvents.ts"
import css from "./Alert.module.css"

/** What happened, in the order of the events. */
export const AlertTimeline = ({
  events,
  isOpen,
}: {
  readonly events: ReadonlyArray<AlertEvent>
  readonly isOpen: boolean
}) => (
  <ol className={css.timeline} aria-label={t("Timeline")}>
    {events.map((event, at) => (
      // Events of the same time and kind stay in their order.
      // oxlint-disable-next-line react/no-array-index-key
      <li key={`${event.at} ${event.kind} ${at}`} data-kind={event.kind}>
        <span className={css.icon}>{icons[event.kind]}</span>
        <div>
          <div className={css.head}>
            <strong>
              <Title {...event} />
            </strong>
            <span className="dim small">
              <DateTime at={event.at} />
            </span>
          </div>
          {event.detail !== undefined && event.detail !== "" && (
            <div className={css.detail}>{event.detail}</div>
          )}
        </div>
      </li>
    ))}
    {isOpen && (
      <li data-kind="open">
        <span className={css.icon}>
          <Clock />
        </span>
        <div className="dim">{t("Still open")}</div>
      </li>
    )}
  </ol>
)

const Title = ({ href, title }: AlertEvent) =>
  href === undefined ? (
    title
  ) : href.startsWith("/") ? (
    <Link href={href}>{title}</Link>
  ) : (
    <a href={href} target="_blank" rel="noreferrer">
      {title}
    </a>
  )

const icons = {
  breach: <Warning />,
  triggered: <Warning />,
  silenced: <Mute />,
  sent: <Send />,
  delivered: <Check />,
  failed: <Cross />,
  person: <Person />,
  ended: <ArrowRight />,
}
