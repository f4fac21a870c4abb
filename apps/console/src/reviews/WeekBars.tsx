import type { Review } from "@tocsin/api"
import { budgetText } from "../components/NumberFormat.ts"
import { listText, t } from "../language/Text.tsx"
import { timeFormat } from "../time/TimeZone.ts"

const weekText = timeFormat({ day: "numeric", month: "short" })

/** What part of an error budget each week spent: a bar is full at the whole budget, and red from there on. */
export const WeekBars = ({
  weeks,
  spent,
}: {
  readonly weeks: Review["weeks"]
  readonly spent: Review["slos"][number]["objectives"][number]["weeks"]
}) => {
  const texts = weeks.map(({ from }, index) => {
    const { budgetSpent } = spent[index] ?? {}
    const figure = budgetSpent === undefined ? t("no data") : budgetText(budgetSpent)
    return `${weekText(Date.parse(from))}: ${figure}`
  })
  return (
    <svg
      role="img"
      aria-label={listText(texts)}
      width={weeks.length * 6}
      height={24}
      style={{ maxWidth: "100%", verticalAlign: "middle" }}
    >
      {spent.map(({ budgetSpent = 0 }, index) => {
        const height = budgetSpent <= 0 ? 1 : Math.max(2, 24 * Math.min(1, budgetSpent))
        return (
          <rect
            key={weeks[index]?.from}
            x={index * 6}
            y={24 - height}
            width={5}
            height={height}
            fill={`var(--mantine-color-${budgetSpent >= 1 ? "red" : budgetSpent > 0 ? "indigo" : "gray"}-6)`}
          >
            <title>{texts[index]}</title>
          </rect>
        )
      })}
    </svg>
  )
}
