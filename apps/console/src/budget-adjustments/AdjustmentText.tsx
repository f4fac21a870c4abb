import { DateTime } from "../components/RelativeTime.tsx"
import { listText, t } from "../language/Text.tsx"
import type { BudgetAdjustment } from "./AdjustmentValues.ts"

/** The SLOs of an adjustment. */
export const AdjustedSlos = ({ adjustment: { spec } }: { readonly adjustment: BudgetAdjustment }) =>
  spec.sloLabels === undefined ? (
    <>{listText((spec.slos ?? spec.filters?.slos ?? []).map(({ name }) => name))}</>
  ) : (
    <>
      {t("SLOs with")} <code>{spec.sloLabels}</code>
    </>
  )

/** When an adjustment applies, as its definition says. */
export const AdjustedTime = ({ adjustment: { spec } }: { readonly adjustment: BudgetAdjustment }) => {
  const { period, recurrence, firstEventStart, duration = "", rrule } = spec
  if (firstEventStart !== undefined) {
    return (
      <>
        <DateTime at={firstEventStart} />
        <div className="dim small">
          {t("for {duration}", { duration })} {rrule !== undefined && <code>{rrule}</code>}
        </div>
      </>
    )
  }
  if (recurrence !== undefined) {
    return (
      <>
        {t("{duration} from {start}", { duration: recurrence.duration, start: recurrence.startTime })}
        <div className="dim small">
          <code>{recurrence.rrule}</code> {recurrence.timeZone}
        </div>
      </>
    )
  }
  return (
    <>
      {period !== undefined && <DateTime at={period.startTime} />}
      <div className="dim small">
        {period?.endTime === undefined ? (
          t("for {duration}", { duration: period?.duration ?? "" })
        ) : (
          <>
            {t("to")} <DateTime at={period.endTime} />
          </>
        )}
      </div>
    </>
  )
}

/** What an adjustment does with its minutes. */
export const adjustmentText = ({ set }: Pick<BudgetAdjustment["spec"], "set">): string =>
  set === undefined
    ? t("Excluded")
    : t("Set to {good} good of {total} per minute", { good: set.good, total: set.total })
