import type { AdjustmentDocument } from "@tocsin/api"
import { DateTime } from "../components/RelativeTime.tsx"
import { listText, t } from "../language/Text.tsx"
import { type BudgetAdjustment, isOfClients } from "./AdjustmentValues.ts"

/** The SLOs of an adjustment. */
export const AdjustedSlos = ({ adjustment }: { readonly adjustment: BudgetAdjustment }) => {
  if (isOfClients(adjustment)) return <>{namesText(adjustment.spec.filters.slos)}</>
  const { slos = [], sloLabels } = adjustment.spec
  return sloLabels === undefined ? (
    <>{namesText(slos)}</>
  ) : (
    <>
      {t("SLOs with")} <code>{sloLabels}</code>
    </>
  )
}

const namesText = (slos: ReadonlyArray<{ readonly name: string }>): string =>
  listText(slos.map(({ name }) => name))

/** When an adjustment applies, as its definition says. */
export const AdjustedTime = ({ adjustment }: { readonly adjustment: BudgetAdjustment }) => {
  if (isOfClients(adjustment)) {
    const { firstEventStart, duration, rrule } = adjustment.spec
    return (
      <>
        <DateTime at={firstEventStart} />
        <div className="dim small">
          {t("for {duration}", { duration })} {rrule !== undefined && <code>{rrule}</code>}
        </div>
      </>
    )
  }
  const { period, recurrence } = adjustment.spec
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
export const adjustmentText = (spec: AdjustedMinutes | BudgetAdjustment["spec"]): string =>
  "set" in spec && spec.set !== undefined
    ? t("Set to {good} good of {total} per minute", { good: spec.set.good, total: spec.set.total })
    : t("Excluded")

type AdjustedMinutes = Pick<AdjustmentDocument["spec"], "set">
