import { type ObjectiveState, objectiveStates } from "@tocsin/domain/forms"
import { iconOf, labelOf } from "../components/StatusBadge.tsx"
import { countText } from "../components/NumberFormat.ts"
import stateCss from "../components/State.module.css"
import css from "./StateCounts.module.css"

/** How many SLOs are in each state, as icons with numbers; those that no SLO is in are left out. */
export const StateCountsText = ({
  counts,
}: {
  readonly counts: Readonly<Record<ObjectiveState, number>>
}) => (
  <span className={css.counts}>
    {objectiveStates.map(
      (state) =>
        counts[state] > 0 && (
          <span key={state} className={stateCss[state]} title={labelOf(state)}>
            {iconOf(state)}
            {countText(counts[state])}
            <span className="visually-hidden"> {labelOf(state)}</span>
          </span>
        ),
    )}
  </span>
)
