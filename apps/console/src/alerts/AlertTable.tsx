import type { Schemas } from "../api/Client.ts"
import { type AlertQuery, useAlerts } from "../api/Definitions.ts"
import { pollMs } from "../api/Queries.ts"
import { type ListProps, ListTable, RowLink } from "../components/ListTable.tsx"
import { durationText, RelativeTime, useNow } from "../components/RelativeTime.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"

/** An alert. */
export type Alert = Schemas["Alert"]

/** Selects the alerts of one SLO; all alerts by default. */
type AlertFilter = Pick<AlertQuery, "project" | "slo">

/** The active alerts that triggered last, at most `activeAlertsMax`. */
export const useActiveAlerts = (filter: AlertFilter) =>
  useAlerts({ ...filter, state: ["triggered"], limit: activeAlertsMax }, pollMs)

const activeAlertsMax = 200

/** The resolved and canceled alerts of the last days, page by page. */
export const usePastAlerts = (filter: AlertFilter, days: number, pageSize: number) =>
  useAlerts({ ...filter, state: ["resolved", "canceled"], days, limit: pageSize }, 5 * pollMs)

/** A table of alerts, each with a link to its page. */
export const AlertTable = ({
  isOfOneSlo = false,
  ...list
}: ListProps<Alert> & {
  /** The page names the SLO of all alerts. */
  readonly isOfOneSlo?: boolean
}) => {
  const now = useNow()
  return (
    <ListTable
      {...list}
      keyOf={({ metadata }) => `${metadata.project}/${metadata.name}`}
      columns={[
        { name: "Status", width: 136, cell: ({ spec }) => <StatusBadge status={spec.status} /> },
        {
          name: isOfOneSlo ? "Objective" : "SLO",
          width: "26%",
          cell: ({ metadata, spec: { slo, objective } }) => (
            <>
              <RowLink href={`/alerts/${encodeURIComponent(metadata.name)}`}>
                {isOfOneSlo ? (objective?.name ?? "All objectives") : slo.name}
              </RowLink>
              {!isOfOneSlo && (
                <div className="dim small">
                  {slo.project}
                  {objective !== undefined && ` / ${objective.name}`}
                </div>
              )}
            </>
          ),
        },
        { name: "Conditions", cell: (alert) => <Conditions alert={alert} /> },
        { name: "Severity", width: 96, isLabeled: true, cell: ({ spec }) => spec.severity },
        {
          name: "Triggered",
          width: 112,
          isLabeled: true,
          cell: ({ spec }) => <RelativeTime at={spec.triggeredAt} />,
        },
        { name: "Duration", width: 136, isLabeled: true, cell: (alert) => alertDuration(alert, now) },
      ]}
    />
  )
}

/** The conditions that were met, one per line, and whether the alert is acknowledged, or why it was canceled or not sent. */
export const Conditions = ({ alert: { spec } }: { readonly alert: Alert }) => (
  <>
    {spec.conditions.length === 0 && <span className="dim">Not specified</span>}
    {spec.conditions.map((condition, at) => (
      <div key={at}>{condition}</div>
    ))}
    {spec.status === "triggered" && spec.acknowledgement !== undefined && (
      <p className="dim small">Acknowledged by {spec.acknowledgement.by}.</p>
    )}
    {spec.reason !== undefined && <p className="dim small">Canceled: {cancelReasons[spec.reason]}</p>}
    {spec.reason === undefined && spec.isSilenced && (
      <p className="dim small">Silenced: no notifications were sent.</p>
    )}
  </>
)

const cancelReasons: Readonly<Record<NonNullable<Alert["spec"]["reason"]>, string>> = {
  policy_changed: "its alert policy was changed.",
  slo_changed: "its SLO was changed.",
  window_ended: "the time window of its SLO ended.",
  detached: "its alert policy was removed from the SLO.",
  deleted: "its SLO or alert policy was deleted. No notification was sent.",
}

/** The time from the trigger to the resolution, or until now. */
export const alertDuration = ({ spec: { triggeredAt, resolvedAt } }: Alert, now: number): string =>
  durationText((resolvedAt === undefined ? now : Date.parse(resolvedAt)) - Date.parse(triggeredAt))
