import { Button, Group } from "@mantine/core"
import { useState } from "react"
import { type OfflineReason, refreshNow, useConnection, useIsOutdated } from "../api/Connection.ts"
import { Check, Clock, Warning } from "../components/Icon.tsx"
import { durationText, timeText } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import css from "./ConnectionState.module.css"

/** Says whether the page is live; a click reads everything again. */
export const ConnectionState = () => {
  const connection = useConnection()
  const [isRefreshing, setIsRefreshing] = useState(false)
  const text = stateText(connection)
  return (
    <button
      type="button"
      className={css.state}
      data-state={connection.state}
      title={t("Refresh now")}
      aria-label={t("{text}. Refresh now", { text })}
      aria-busy={isRefreshing}
      onClick={() => {
        setIsRefreshing(true)
        void refreshNow().finally(() => setIsRefreshing(false))
      }}
    >
      {connection.state === "live" ? <Check /> : connection.state === "updated" ? <Clock /> : <Warning />}
      <span>{text}</span>
    </button>
  )
}

const stateText = (connection: ReturnType<typeof useConnection>): string => {
  if (connection.state === "live") return t("Live")
  if (connection.state === "offline") return t("Offline")
  return t("Updated {age} ago", { age: ageText(connection.now - connection.since) })
}

/** An age in its largest unit. */
const ageText = (ms: number): string => (ms < 60_000 ? `${Math.round(ms / 1000)} s` : durationText(ms))

/** Says on every page that the server does not respond, and how old the figures are; or that it has a newer console. */
export const ConnectionBanner = () => {
  const connection = useConnection()
  const isOutdated = useIsOutdated()
  const [isRefreshing, setIsRefreshing] = useState(false)
  const [isLater, setIsLater] = useState(false)
  const isOffline = connection.state === "offline"
  const isNewer = isOutdated && !isLater && !isOffline
  const retry = (): void => {
    setIsRefreshing(true)
    void refreshNow().finally(() => setIsRefreshing(false))
  }
  return (
    <aside
      aria-label={t("Connection")}
      className={css.banner}
      data-kind={isOffline ? "offline" : isNewer ? "newer" : undefined}
    >
      {/* Screen readers announce the sentence once, but not every second of the age. */}
      <span role="status" className={css.message}>
        {isOffline && (
          <>
            <Warning /> <strong>{reasonText(connection.reason)}</strong>
          </>
        )}
        {isNewer && t("The console was updated. Reload it to use the new version.")}
      </span>
      {isOffline && (
        <>
          {connection.since !== undefined && (
            <span>
              {t("This page shows data from {time}, {age} ago.", {
                time: timeText(connection.since),
                age: ageText(connection.now - connection.since),
              })}
            </span>
          )}
          <Button size="compact-sm" variant="default" loading={isRefreshing} onClick={retry}>
            {t("Try again")}
          </Button>
        </>
      )}
      {isNewer && (
        <Group gap="xs">
          <Button size="compact-sm" onClick={() => location.reload()}>
            {t("Reload")}
          </Button>
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setIsLater(true)}>
            {t("Later")}
          </Button>
        </Group>
      )}
    </aside>
  )
}

const reasonText = (reason: OfflineReason): string =>
  ({
    network: t("You are offline."),
    server: t("The server does not respond."),
    unavailable: t("The server cannot read its data now."),
  })[reason]
