import type { SloReliabilityList } from "@tocsin/api"
import { type ReliabilityColumn, reliabilityColumns } from "@tocsin/domain/forms"
import { client } from "../api/Client.ts"
import { reliabilityText } from "../components/NumberFormat.ts"
import { t } from "../language/Text.tsx"
import { rowReads, valuesBySlo } from "./RowReads.ts"

/** All columns with the reliability over past days. */
export const allColumns = Object.keys(reliabilityColumns) as ReadonlyArray<ReliabilityColumn>

/** The header of a column. */
export const columnName = (column: ReliabilityColumn): string =>
  t("{days, plural, one {# day} other {# days}}", { days: reliabilityColumns[column] })

type Figures = SloReliabilityList["data"][number]["objectives"][number]["periods"]

/** The reliability over the days of columns, of the SLOs that are in view. */
export const useRecentReliability = rowReads<Figures>(async (keys, part, signal) => {
  const days = part.split(",")
  const { data } = await client.GET("/api/console/reliability", {
    params: { query: { slo: [...keys], days } },
    signal,
  })
  return valuesBySlo(data?.data, ({ periods }): Figures => periods)
})

/** The reliability over the days of a column; quieter if too few minutes have counts. */
export const RecentReliability = ({
  column,
  figures,
}: {
  readonly column: ReliabilityColumn
  readonly figures: Figures | undefined
}) => {
  const figure = figures?.find(({ days }) => days === reliabilityColumns[column])
  if (figure?.reliability === undefined) return <span className="dim">–</span>
  const text = reliabilityText(figure.reliability)
  if (figure.result === "met") return text
  if (figure.result === "missed") return <span className="bad">{text}</span>
  return (
    <span className="dim" title={t("Insufficient data")}>
      {text}
      <span aria-hidden="true">*</span>
      <span className="visually-hidden">{t("Insufficient data")}</span>
    </span>
  )
}
