import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { Notice } from "../components/Notice.tsx"
import { shownName } from "../components/ObjectName.ts"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"
import { useSilenceStates } from "../silences/SilenceState.tsx"

/** Says that alerts of an SLO are silenced now, by what and until when. */
export const SilencedNotice = ({ project, name: slo }: DefinitionKey) => {
  const { data = [] } = useSilenceStates({ project, slo })
  return data
    .filter(({ state }) => state === "active")
    .map(({ name, displayName, alertPolicy, endTime }) => {
      const silence = () => (
        <Link href={`/silences/${project}/${name}`}>{shownName({ name, displayName })}</Link>
      )
      return (
        <Notice key={name} kind="info" role="status">
          <p>
            {endTime === undefined
              ? rich("Alerts are silenced by <silence></silence>.", { silence })
              : rich("Alerts are silenced until {time} by <silence></silence>.", {
                  time: <DateTime at={endTime} />,
                  silence,
                })}{" "}
            {alertPolicy !== undefined &&
              t("This applies only to the alert policy {name}.", { name: alertPolicy.name })}
          </p>
        </Notice>
      )
    })
}
