import type { DefinitionDocument } from "@tocsin/api"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"

export type AlertSilence = DefinitionDocument<"AlertSilence">

/** The SLOs of a silence, and the alert policy that it is restricted to. */
export const Scope = ({ silence: { spec } }: { readonly silence: AlertSilence }) => (
  <>
    {spec.slo ?? rich("SLOs with <labels></labels>", { labels: () => <code>{spec.sloLabels}</code> })}
    <div className="dim small">
      {spec.alertPolicy == null
        ? t("All alert policies")
        : t("Alert policy {name}", { name: spec.alertPolicy.name })}
    </div>
  </>
)

/** When a silence is active, as its definition says. */
export const Times = ({ silence: { spec } }: { readonly silence: AlertSilence }) => {
  const { period, recurrence } = spec
  if (recurrence != null) {
    return (
      <>
        {t("{duration} from {time}", { duration: recurrence.duration, time: recurrence.startTime })}
        <div className="dim small">
          <code>{recurrence.rrule}</code> {recurrence.timeZone}
        </div>
      </>
    )
  }
  return (
    <>
      {period?.startTime == null ? t("From its last change") : <DateTime at={period.startTime} />}
      <div className="dim small">
        {period?.endTime == null
          ? t("for {duration}", { duration: period?.duration ?? "" })
          : rich("to {time}", { time: <DateTime at={period.endTime} /> })}
      </div>
    </>
  )
}
