import type { Backtest } from "@tocsin/api"
import { budgetText } from "../components/NumberFormat.ts"
import { DateTime, durationText } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"

const shownMax = 8

/** The first alerts of a backtest: when, and for how long. */
export const BacktestAlerts = ({
  backtest: { alerts, alertCount },
  showsBudget = false,
}: {
  readonly backtest: Backtest
  readonly showsBudget?: boolean
}) => (
  <>
    {alerts.length > 0 && (
      <ul aria-label={t("Alerts that it would have opened")}>
        {alerts.slice(0, shownMax).map(({ objective, triggeredAt, closedAt, burnedAtTrigger }) => (
          <li key={`${objective} ${triggeredAt}`}>
            <DateTime at={triggeredAt} />{" "}
            <span className="dim">
              {objective}
              {" · "}
              {closedAt === undefined
                ? t("still open")
                : durationText(Date.parse(closedAt) - Date.parse(triggeredAt))}
              {showsBudget &&
                burnedAtTrigger !== undefined &&
                ` · ${t("{burned} of the budget burned", { burned: budgetText(burnedAtTrigger) })}`}
            </span>
          </li>
        ))}
      </ul>
    )}
    {alertCount > shownMax && (
      <p className="dim small">{t("And {count} more.", { count: alertCount - shownMax })}</p>
    )}
  </>
)
