import type { Schemas } from "../api/Client.ts"
import { DateTime } from "../components/RelativeTime.tsx"

export type AlertSilence = Schemas["AlertSilenceDefinition"]

/** The SLOs of a silence, and the alert policy that it is restricted to. */
export const Scope = ({ silence: { spec } }: { readonly silence: AlertSilence }) => (
  <>
    {spec.slo ?? (
      <>
        SLOs with <code>{spec.sloLabels}</code>
      </>
    )}
    <div className="dim small">
      {spec.alertPolicy == null ? "All alert policies" : `Alert policy ${spec.alertPolicy.name}`}
    </div>
  </>
)

/** When a silence is active, as its definition says. */
export const Times = ({ silence: { spec } }: { readonly silence: AlertSilence }) => {
  const { period, recurrence } = spec
  if (recurrence != null) {
    return (
      <>
        {recurrence.duration} from {recurrence.startTime}
        <div className="dim small">
          <code>{recurrence.rrule}</code> {recurrence.timeZone}
        </div>
      </>
    )
  }
  return (
    <>
      {period?.startTime == null ? "From its last change" : <DateTime at={period.startTime} />}
      <div className="dim small">
        {period?.endTime == null ? (
          `for ${period?.duration}`
        ) : (
          <>
            to <DateTime at={period.endTime} />
          </>
        )}
      </div>
    </>
  )
}
