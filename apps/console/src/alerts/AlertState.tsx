import { Badge } from "@mantine/core"
import { Link } from "wouter"
import { Mute, Person } from "../components/Icon.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { rich, t } from "../language/Text.tsx"
import { useSilenceStates } from "../silences/SilenceState.tsx"
import type { Alert } from "./Alert.ts"
import { useHeldAlerts } from "./HeldNotice.tsx"

/** The state of an alert: its status and, while it is open, who has acknowledged it, until when it is silenced, and whether it is held. */
export const AlertState = ({ alert }: { readonly alert: Alert }) => (
  <>
    <StatusBadge status={alert.status} />
    {alert.status === "triggered" && <OpenState alert={alert} />}
  </>
)

const OpenState = ({
  alert: { slo, objective, alertPolicy, acknowledgement },
}: {
  readonly alert: Alert
}) => {
  const { data: silences = [] } = useSilenceStates({ project: slo.project, slo: slo.name })
  const silence = silences.find(
    (each) =>
      each.state === "active" &&
      (each.alertPolicy === undefined || each.alertPolicy.name === alertPolicy?.name),
  )
  const held = useHeldAlerts({
    project: slo.project,
    slo: slo.name,
    alertPolicy: alertPolicy?.name ?? "",
    objective,
  })
  return (
    <>
      {acknowledgement === undefined ? (
        <span>{t("Nobody has acknowledged it")}</span>
      ) : (
        <Badge variant="light" color="yellow" leftSection={<Person />} px="xs" miw="max-content">
          {t("Acknowledged by {by}", { by: acknowledgement.by })}
        </Badge>
      )}
      {silence !== undefined && (
        <Badge
          component={Link}
          href={`/silences/${slo.project}/${silence.name}`}
          variant="light"
          color="indigo"
          leftSection={<Mute />}
          px="xs"
          miw="max-content"
        >
          {silence.endTime === undefined
            ? t("Silenced")
            : rich("Silenced until {time}", { time: <DateTime at={silence.endTime} /> })}
        </Badge>
      )}
      {alertPolicy !== undefined && held.length > 0 && <StatusBadge status="held" />}
    </>
  )
}
