import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"
import type { Forecast } from "./ChartParts.tsx"

/** When the error budget is exhausted, in words. */
export const ForecastText = ({ forecast }: { readonly forecast: Omit<Forecast, "name"> }) => {
  const { outlook, exhaustedAt, earliestAt, latestAt } = forecast
  if (outlook === "Exhausted") return <p>{t("The error budget is exhausted.")}</p>
  if (outlook === "Sufficient") {
    return (
      <p className="dim">{t("At the pace of the last hour, the error budget lasts for the time window.")}</p>
    )
  }
  if (exhaustedAt === undefined) return null
  return (
    <p>
      {rich("At the pace of the last hour, the error budget is exhausted at {time}.", {
        time: <DateTime at={exhaustedAt} />,
      })}{" "}
      <span className="dim">
        {earliestAt !== undefined &&
          latestAt !== undefined &&
          rich("At the fastest and slowest pace of the last day: {earliest} and {latest}.", {
            earliest: <DateTime at={earliestAt} />,
            latest: <DateTime at={latestAt} />,
          })}
        {earliestAt !== undefined &&
          latestAt === undefined &&
          rich("At the fastest pace of the last day: {earliest}; at the slowest, it lasts.", {
            earliest: <DateTime at={earliestAt} />,
          })}
      </span>
    </p>
  )
}
