import type { AlertDocument, AlertEvidence } from "@tocsin/api"
import { Check, Warning } from "../components/Icon.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { listText, t } from "../language/Text.tsx"
import { burnText, countText, meanText } from "../components/NumberFormat.ts"
import css from "./Alert.module.css"

/** What the conditions of an alert measured, by group. */
type MeasuredGroups = NonNullable<AlertDocument["spec"]["evidence"]>["conditionGroups"]

type Now = NonNullable<AlertEvidence["conditionGroups"][number]["conditions"][number]["now"]>

/** What each condition measured; beside it, what the same minutes contain now, if that is different. */
export const AlertMeasurements = ({
  groups,
  evidence,
}: {
  readonly groups: MeasuredGroups
  /** Once it is read. */
  readonly evidence?: AlertEvidence | undefined
}) => (
  <>
    {groups.map(({ conditions }, group) => (
      // The groups of a policy have no names, and keep their order.
      // oxlint-disable-next-line react/no-array-index-key
      <ul key={group} className={css.conditions} aria-label={t("Measured conditions")}>
        {conditions.map(({ condition, isMet, detail, good, total, from, to }, at) => {
          const now = evidence?.conditionGroups[group]?.conditions[at]?.now
          return (
            <li key={condition}>
              <span className={isMet ? "bad" : "dim"}>{isMet ? <Warning /> : <Check />}</span>
              <div>
                {condition} <span className="dim">{isMet ? t("(met)") : t("(not met)")}</span>
                <div className="dim small">{detail}</div>
                <div className="dim small">
                  {badText({ good, total })} <DateTime at={from} /> – <DateTime at={to} />
                </div>
                {evidence?.isChanged === true && now !== undefined && isDifferent(now, { good, total }) && (
                  <div className="small">{nowText(now, evidence)}</div>
                )}
              </div>
            </li>
          )
        })}
      </ul>
    ))}
  </>
)

type Events = Pick<Now, "good" | "total">

const badText = ({ good, total }: Events): string =>
  t("{bad} of {total} events were bad.", {
    bad: meanText(Math.max(0, total - good)),
    total: countText(Math.round(total)),
  })

const isDifferent = (a: Events, b: Events): boolean =>
  Math.abs(a.good - b.good) + Math.abs(a.total - b.total) > 1e-6

const nowText = (now: Now, { adjustments }: AlertEvidence): string => {
  const figures = [
    ...(now.value === undefined ? [] : [t("The burn rate is {rate}.", { rate: burnText(now.value) })]),
    badText(now),
  ].join(" ")
  return adjustments.length === 0
    ? t("With the counts that are stored now: {figures}", { figures })
    : t("After the adjustment of {names}: {figures}", {
        names: listText(adjustments.map(({ name, reason }) => reason || name)),
        figures,
      })
}
