import { Link } from "wouter"
import { api, poll, pollMs } from "../api/Queries.ts"
import { Notice } from "../components/Notice.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"
import { heldReasonText } from "../slos/HeldReason.ts"

interface HeldFilter {
  readonly project?: string
  readonly slo?: string
  readonly alertPolicy?: string
  /** Default: all objectives. */
  readonly objective?: string | undefined
}

/** The alerts that do not trigger although conditions are met; by default of all projects. */
export const useHeldAlerts = ({ project = "", slo = "", alertPolicy = "", objective }: HeldFilter) => {
  const { data } = api.useQuery(
    "get",
    "/api/alerts/held",
    { params: { header: { project: project === "" ? "*" : project }, query: slo === "" ? {} : { slo } } },
    // The held alerts of another SLO would be wrong.
    { refetchInterval: poll(5 * pollMs), placeholderData: undefined },
  )
  return (data?.data ?? []).filter(
    (each) =>
      (alertPolicy === "" || each.alertPolicy.name === alertPolicy) &&
      (objective === undefined || each.objective === objective),
  )
}

/** Says which alerts do not trigger although conditions are met, since when and why. */
export const HeldNotice = ({
  isOfOneSlo = false,
  ...filter
}: HeldFilter & {
  /** The page already shows the SLO. */
  readonly isOfOneSlo?: boolean
}) => {
  const held = useHeldAlerts(filter)
  if (held.length === 0) return null
  const more = held.length - shownMax
  return (
    <Notice kind="warn" role="status">
      {held.slice(0, shownMax).map((each) => {
        const policy = () => (
          <Link href={`/alert-policies/${each.alertPolicy.project}/${each.alertPolicy.name}`}>
            {each.alertPolicy.name}
          </Link>
        )
        const sloLink = () => (
          <Link href={`/slos/${each.slo.project}/${each.slo.name}?tab=policies`}>
            {each.objective === undefined ? each.slo.name : `${each.slo.name} · ${each.objective}`}
          </Link>
        )
        const time = <DateTime at={each.since} />
        return (
          <div key={`${each.slo.project}/${each.slo.name}/${each.alertPolicy.name}/${each.objective ?? ""}`}>
            <p>
              {isOfOneSlo
                ? rich(
                    "Alerts of <policy></policy> have been held since {time}, although its conditions are met: {reason}.",
                    { policy, time, reason: heldReasonText(each.reason) },
                  )
                : rich(
                    "Alerts of <policy></policy> for <slo></slo> have been held since {time}, although its conditions are met: {reason}.",
                    { policy, slo: sloLink, time, reason: heldReasonText(each.reason) },
                  )}
            </p>
            <p className="dim small">
              {isOfOneSlo && each.objective !== undefined && `${each.objective}: `}
              {each.detail}
            </p>
          </div>
        )
      })}
      {more > 0 && (
        <p>
          {t("{count, plural, one {# more alert is held.} other {# more alerts are held.}}", { count: more })}
        </p>
      )}
    </Notice>
  )
}

/** The alerts below must stay in sight. */
const shownMax = 5
