import { Check, Cross } from "../components/Icon.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { countText } from "../components/NumberFormat.ts"
import type { ExplainedObjective } from "./AlertEvents.ts"
import css from "./Alert.module.css"

/** What each condition measured in a minute. */
export const AlertMeasurements = ({ objective }: { readonly objective: ExplainedObjective }) => (
  <>
    {objective.conditionGroups.map(({ conditions }, group) => (
      // The groups of a policy have no names, and keep their order.
      // oxlint-disable-next-line react/no-array-index-key
      <ul key={group} className={css.conditions} aria-label={t("Measured conditions")}>
        {conditions.map(({ condition, isMet, detail, good, total, from, to }) => (
          <li key={condition}>
            <span className={isMet ? "bad" : "dim"}>{isMet ? <Check /> : <Cross />}</span>
            <div>
              {condition} <span className="dim">{isMet ? t("(met)") : t("(not met)")}</span>
              <div className="dim small">{detail}</div>
              <div className="dim small">
                {t("{bad} of {total} events were bad.", {
                  bad: countText(Math.max(0, Math.round(total - good))),
                  total: countText(Math.round(total)),
                })}{" "}
                <DateTime at={from} /> – <DateTime at={to} />
              </div>
            </div>
          </li>
        ))}
      </ul>
    ))}
  </>
)
