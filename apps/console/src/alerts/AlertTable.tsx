import type { AlertDocument } from "@tocsin/api"
import { type AlertQuery, useAlerts } from "../api/Definitions.ts"
import { pollMs } from "../api/Queries.ts"
import { type ListProps, ListTable, type ListTableProps, RowLink } from "../components/ListTable.tsx"
import { RelativeTime, useNow } from "../components/RelativeTime.tsx"
import { shownName } from "../components/ObjectName.ts"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import { type Alert, alertDuration, alertOf, cancelReason, severityName } from "./Alert.ts"

/** Selects alerts; all by default. */
export type AlertFilter = Omit<AlertQuery, "status" | "limit">

/** The open alerts that triggered last, at most `activeAlertsMax`. */
export const useActiveAlerts = (filter: AlertFilter) =>
  useAlerts({ ...filter, status: ["triggered"], limit: activeAlertsMax }, pollMs)

const activeAlertsMax = 200

/** The resolved and canceled alerts of the last days, page by page. */
export const usePastAlerts = (
  filter: AlertFilter,
  days: number,
  pageSize: number,
  status: AlertQuery["status"] = ["resolved", "canceled"],
) => useAlerts({ ...filter, status, days, limit: pageSize }, 5 * pollMs)

/** A table of alerts, each with a link to its page. */
export const AlertTable = ({
  isOfOneSlo = false,
  items,
  ...list
}: ListProps<AlertDocument> & {
  /** The page already shows the SLO of all alerts. */
  readonly isOfOneSlo?: boolean
}) => <ListTable {...list} {...useAlertRows(items, isOfOneSlo)} />

/** What a list shows of alerts. */
export const useAlertRows = (
  documents: ReadonlyArray<AlertDocument> | undefined,
  isOfOneSlo = false,
): Pick<ListTableProps<Alert>, "items" | "keyOf" | "columns"> => {
  const now = useNow()
  return {
    items: documents?.map(alertOf),
    keyOf: ({ slo, id }) => `${slo.project}/${id}`,
    columns: [
      { name: t("Status"), width: 136, cell: ({ status }) => <StatusBadge status={status} /> },
      {
        name: isOfOneSlo ? t("Objective") : t("SLO"),
        width: "24%",
        cell: ({ id, slo, objectiveName }) => (
          <>
            <RowLink href={`/alerts/${encodeURIComponent(id)}`}>
              {isOfOneSlo ? (objectiveName ?? t("All objectives")) : shownName(slo)}
            </RowLink>
            {!isOfOneSlo && (
              <div className="dim small">
                {slo.project} / {slo.name}
                {objectiveName !== undefined && ` · ${objectiveName}`}
              </div>
            )}
          </>
        ),
      },
      { name: t("Conditions"), cell: (alert) => <Conditions alert={alert} /> },
      {
        name: t("Severity"),
        width: 88,
        isLabeled: true,
        cell: ({ severity }) => severity && severityName(severity),
      },
      {
        name: t("Triggered"),
        width: 104,
        isLabeled: true,
        cell: ({ triggeredAt }) => <RelativeTime at={triggeredAt} />,
      },
      {
        name: t("Duration"),
        width: 112,
        isLabeled: true,
        cell: (alert) => alertDuration(alert, now),
      },
    ],
  }
}

/** The conditions that were met, one per line, and whether the alert is acknowledged, or why it was canceled or not sent. */
export const Conditions = ({ alert }: { readonly alert: Alert }) => (
  <>
    {alert.conditions.length === 0 && <span className="dim">{t("Not specified")}</span>}
    {alert.conditions.map((condition, at) => (
      <div key={at}>{condition}</div>
    ))}
    <StatusNotes alert={alert} />
  </>
)

/** Whether an alert is acknowledged, or why it was canceled or not sent. */
export const StatusNotes = ({ alert }: { readonly alert: Alert }) => (
  <>
    {alert.status === "triggered" && alert.acknowledgement !== undefined && (
      <p className="dim small">
        {alert.acknowledgement.note === undefined
          ? t("Acknowledged by {by}.", { by: alert.acknowledgement.by })
          : t("Acknowledged by {by}: {note}", {
              by: alert.acknowledgement.by,
              note: alert.acknowledgement.note,
            })}
      </p>
    )}
    {alert.reason !== undefined && (
      <p className="dim small">{t("Canceled: {reason}", { reason: cancelReason(alert.reason) })}</p>
    )}
    {alert.reason === undefined && alert.isSilenced && (
      <p className="dim small">{t("Silenced: no notifications were sent.")}</p>
    )}
  </>
)
