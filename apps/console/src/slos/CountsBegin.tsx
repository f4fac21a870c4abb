import type { Backtest } from "@tocsin/api"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"

/** From when on a backtest evaluated counts, unless it is the start of its range. */
export const CountsBegin = ({ backtest: { from, countsFrom } }: { readonly backtest: Backtest }) =>
  countsFrom !== from && (
    <p className="dim small">
      {countsFrom === undefined
        ? t("No minute of the range has counts.")
        : rich("Counts begin <time></time>.", { time: () => <DateTime at={countsFrom} /> })}
    </p>
  )
