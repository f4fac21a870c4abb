import type { BudgetEffects as Effects } from "@tocsin/api"
import { type Column, ListTable, readQuery } from "../components/ListTable.tsx"
import { t } from "../language/Text.tsx"
import css from "./BudgetEffects.module.css"
import { budgetText, changeTexts, meanText, reliabilityText } from "../components/NumberFormat.ts"

type Effect = Effects["objectives"][number]

/** The error budgets that adjustments change, before and after them. */
export const BudgetEffects = ({
  effects,
  isShort = false,
}: {
  readonly effects: Effects
  /** What does not fit in a few rows scrolls. */
  readonly isShort?: boolean
}) => (
  <div
    className={isShort ? `${css.effects} ${css.short}` : css.effects}
    {...(isShort && {
      tabIndex: 0,
      role: "region",
      "aria-label": t("Effect on error budgets"),
    })}
  >
    <ListTable
      query={{ ...readQuery, data: effects }}
      items={effects.objectives}
      label={t("Effects on error budgets")}
      columns={columns(effects.objectives.some(({ badRemoved }) => badRemoved !== undefined))}
      keyOf={({ project, slo, objective = "" }) => `${project}/${slo}/${objective}`}
      isInCard
      empty={<p className="dim">{t("No SLO has counts in this time that would change.")}</p>}
    />
    {effects.isPartial && (
      <p className="dim small">{t("More objectives are affected than are listed here.")}</p>
    )}
  </div>
)

const columns = (hasEvents: boolean): ReadonlyArray<Column<Effect>> => [
  {
    name: t("Objective"),
    cell: ({ project, slo, objective }) => (
      <>
        <bdi>{slo}</bdi>
        <div className="dim small">
          {project}
          {objective !== undefined && ` / ${objective}`}
        </div>
      </>
    ),
  },
  {
    name: t("Error budget remaining"),
    isLabeled: true,
    cell: ({ before, after }) => (
      <Change
        before={before.errorBudgetRemainingPercentage}
        after={after.errorBudgetRemainingPercentage}
        text={budgetText}
      />
    ),
  },
  {
    name: t("SLI"),
    isLabeled: true,
    cell: ({ before, after }) => (
      <Change before={before.reliability} after={after.reliability} text={reliabilityText} />
    ),
  },
  // Recorded changes do not have it.
  ...(hasEvents
    ? [
        {
          name: t("Bad events removed"),
          isLabeled: true,
          isNumber: true,
          cell: ({ badRemoved }: Effect) =>
            badRemoved === undefined ? <span className="dim">–</span> : meanText(badRemoved),
        },
      ]
    : []),
]

const Change = ({
  before,
  after,
  text,
}: {
  readonly before: number | undefined
  readonly after: number | undefined
  readonly text: (value: number, decimals?: number) => string
}) => {
  const textOr = (value: number | undefined): string => (value === undefined ? t("no data") : text(value))
  if (before === after) return <span className="dim">{textOr(after)}</span>
  const [textBefore, textAfter] =
    before === undefined || after === undefined
      ? [textOr(before), textOr(after)]
      : changeTexts(before, after, text)
  return (
    <span>
      <span className="dim">{textBefore}</span> → <strong>{textAfter}</strong>
    </span>
  )
}
