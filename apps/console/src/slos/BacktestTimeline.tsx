import type { Backtest } from "@tocsin/api"
import { t } from "../language/Text.tsx"
import css from "./BacktestTimeline.module.css"

/** When alerts would have been open, a line for each objective; the table beside it says the same in words. */
export const BacktestTimeline = ({ backtest }: { readonly backtest: Backtest }) => {
  const [from, to] = [Date.parse(backtest.from), Date.parse(backtest.to)]
  const x = (at: string): number => (1_000 * (Date.parse(at) - from)) / (to - from)
  const objectives = backtest.objectives.filter(({ alertCount }) => alertCount > 0)
  return (
    <ul className={css.timeline} aria-hidden="true">
      {objectives.map(({ name }) => (
        <li key={name ?? ""}>
          <span className="dim small">{name ?? t("Composite")}</span>
          <svg viewBox="0 0 1000 20" preserveAspectRatio="none">
            <rect className={css.range} x={0} y={9} width={1_000} height={2} />
            {backtest.alerts
              .filter(({ objective }) => objective === name)
              .map(({ triggeredAt, closedAt }) => (
                <rect
                  key={triggeredAt}
                  className={css.alert}
                  x={x(triggeredAt)}
                  y={0}
                  width={Math.max(3, x(closedAt ?? backtest.to) - x(triggeredAt))}
                  height={20}
                />
              ))}
          </svg>
        </li>
      ))}
    </ul>
  )
}
