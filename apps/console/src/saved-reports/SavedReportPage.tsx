import type { GeneratedReport } from "@tocsin/api"
import { Button, UnstyledButton } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { bodyOf, client } from "../api/Client.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { ListTable, type ListTableProps } from "../components/ListTable.tsx"
import { countText, shareText, targetText } from "../components/NumberFormat.ts"
import { Card, Page } from "../components/Page.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { Skeleton } from "../components/Skeleton.tsx"
import { labelOf, StatusBadge } from "../components/StatusBadge.tsx"
import { listText, rich, t } from "../language/Text.tsx"
import { ResultsText } from "../reviews/ReviewResults.tsx"
import { ReviewedSlos } from "../reviews/ReviewPage.tsx"
import { SloName, useShown } from "../reports/ReportedSlos.tsx"
import {
  budgetFigure,
  burnFigure,
  figureColumn,
  reliabilityFigure,
  reportedObjectives,
  shareFigure,
} from "../reports/ReportFigures.tsx"
import { SaveButton } from "../reports/ReportFiles.tsx"
import { Adjustments, Range } from "../reports/ReportParts.tsx"
import { reportTypeNames } from "./SavedReportsPage.tsx"
import css from "./SavedReportPage.module.css"

type Generated<T extends GeneratedReport["type"]> = Extract<GeneratedReport, { readonly type: T }>

const generatedText = async (name: string, format: "json" | "csv", signal?: AbortSignal): Promise<string> => {
  const request = { params: { path: { name }, query: { format } }, parseAs: "text" as const }
  const options = signal === undefined ? request : { ...request, signal }
  return (await bodyOf(client.GET("/api/saved-reports/{name}", options))) as unknown as string
}

/** A saved report as it is generated now. */
const SavedReportPage = ({ name }: { readonly name: string }) => {
  const query = useQuery({
    queryKey: ["saved-report", name],
    queryFn: async ({ signal }) => {
      const text = await generatedText(name, "json", signal)
      return { text, report: JSON.parse(text) as GeneratedReport }
    },
    staleTime: 60_000,
  })
  const back = { href: "/saved-reports", text: t("Saved reports") }
  if (query.data === undefined) {
    return (
      <Page title={t("Saved report")} back={back}>
        {query.error === null && <Skeleton />}
        <QueryError query={query} missing={t("No saved report has this name.")} />
      </Page>
    )
  }
  const { report, text } = query.data
  return (
    <Page
      title={report.displayName}
      back={back}
      subtitle={
        <>
          <span>{reportTypeNames[report.type]()}</span>
          {"period" in report && <Range range={report.period} />}
          {report.type === "systemHealthReview" && <DateTime at={report.at} />}
        </>
      }
      actions={
        <>
          <SaveButton name={name} format="json" read={() => Promise.resolve(text)}>
            {t("Download JSON")}
          </SaveButton>
          <SaveButton name={name} format="csv" read={() => generatedText(name, "csv")}>
            {t("Download CSV")}
          </SaveButton>
          <Button onClick={() => print()}>{t("Print")}</Button>
        </>
      }
    >
      {report.type === "systemHealthReview" && <HealthReview report={report} />}
      {report.type === "sloHistory" && <History report={report} />}
      {report.type === "errorBudgetStatus" && <ErrorBudgets report={report} />}
      {report.type === "reliabilityRollup" && <Rollup report={report} />}
      <p className="dim small">
        {rich(
          "Generated {time} from the data that was stored then. Create a review to keep and sign figures.",
          {
            time: <DateTime at={report.generatedAt} />,
          },
        )}
      </p>
    </Page>
  )
}
export default SavedReportPage

const History = ({ report }: { readonly report: Generated<"sloHistory"> }) => (
  <>
    <p>
      <ResultsText results={report.results} />
    </p>
    <ReviewedSlos review={report} />
    <Adjustments {...report} />
  </>
)

/** The SLOs of a report in a card, each with its name first. */
const SloTable = <T extends { readonly slo: Parameters<typeof SloName>[0]["slo"] }>({
  title,
  items,
  keyOf,
  columns,
  children,
}: Pick<ListTableProps<T>, "keyOf" | "columns"> & {
  readonly title: string
  readonly items: ReadonlyArray<T>
  readonly children?: ReactNode
}) => {
  const { shown, query } = useShown(items)
  return (
    <Card title={title}>
      {children}
      <ListTable
        query={query}
        items={shown}
        label={title}
        more={t("Show more SLOs")}
        keyOf={keyOf}
        empty={<p className="dim">{t("No SLOs match the filters of the report.")}</p>}
        isInCard
        columns={[{ name: t("SLO"), cell: ({ slo }) => <SloName slo={slo} /> }, ...columns]}
      />
    </Card>
  )
}

const ErrorBudgets = ({ report: { slos, states } }: { readonly report: Generated<"errorBudgetStatus"> }) => (
  <SloTable
    title={t("Error budgets")}
    items={slos.flatMap((slo) => reportedObjectives(slo).map((objective) => ({ slo, objective })))}
    keyOf={({ slo, objective }) => `${slo.project}/${slo.slo}/${objective.name}`}
    columns={[
      {
        name: t("Objective"),
        isLabeled: true,
        cell: ({ objective }) => (
          <>
            <bdi>{objective.displayName}</bdi> {targetText(objective.target)}
          </>
        ),
      },
      { name: t("Status"), cell: ({ slo }) => <StatusBadge status={slo.state} /> },
      {
        ...figureColumn(t("Error budget remaining")),
        cell: ({ objective: { status } }) => budgetFigure(status.errorBudgetRemainingPercentage),
      },
      {
        ...figureColumn(t("Reliability")),
        cell: ({ objective: { status } }) => reliabilityFigure(status.reliability),
      },
      {
        ...figureColumn(t("Burn rate")),
        cell: ({ objective: { status } }) => burnFigure(status.burnRate),
      },
    ]}
  >
    <p>{countsText(states)}</p>
  </SloTable>
)

type Counts = Generated<"systemHealthReview">["total"]
type Health = keyof Counts

/** How many SLOs are in each state that any is in. */
const countsText = (counts: Readonly<Partial<Record<Health | "breached", number>>>): string =>
  listText(
    (Object.entries(counts) as ReadonlyArray<[Health | "breached", number]>)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => `${countText(count)} ${labelOf(state)}`),
  )

const worstOf = (counts: Counts): Health =>
  (["exhausted", "atRisk", "healthy"] as const).find((health) => counts[health] > 0) ?? "noData"

/** SLOs without data are last. */
const budgetOf = ({
  errorBudgetRemainingPercentage: budget = Number.MAX_VALUE,
}: Generated<"systemHealthReview">["slos"][number]) => budget

/** Whether an SLO is in a row or column of the table, whose first ones are those of all. */
const isIn = (places: ReadonlyArray<number>, line: number): boolean =>
  line === 0 ? places.length > 0 : places.includes(line - 1)

const HealthReview = ({ report }: { readonly report: Generated<"systemHealthReview"> }) => {
  const { total } = report
  const [{ row, column }, setSelected] = useState({ row: 0, column: 0 })
  const all = { displayName: t("All"), total }
  const columns = [all, ...report.columns]
  const rows = [{ ...all, cells: report.columns.map((each) => each.total) }, ...report.rows]
  const outside = report.slos.filter(({ rows }) => rows.length === 0).length
  const cell = (counts: Counts, ofRow: number, ofColumn: number) => {
    const slos = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return (
      <td key={ofColumn} className={slos === 0 ? undefined : css[worstOf(counts)]}>
        {slos > 0 && (
          <UnstyledButton
            className={css.cell}
            aria-pressed={row === ofRow && column === ofColumn}
            onClick={() => setSelected({ row: ofRow, column: ofColumn })}
          >
            {t("{share} healthy", { share: shareText(counts.healthy / slos, 3) })}
            <div className="small">{countsText(counts)}</div>
          </UnstyledButton>
        )}
      </td>
    )
  }
  return (
    <>
      <Card title={t("Health of SLOs")}>
        <p className="dim">
          {t(
            "An SLO is healthy with more than {green} of its error budget, exhausted with at most {red}, and at risk in between.",
            { green: shareText(report.greenGt), red: shareText(report.redLte) },
          )}
        </p>
        <div style={{ overflowX: "auto" }}>
          <table className={css.table} aria-label={t("Health of SLOs")}>
            <thead>
              <tr>
                <th scope="col">{report.tableHeader ?? ""}</th>
                {columns.map(({ displayName }, index) => (
                  <th key={index} scope="col">
                    <bdi>{displayName}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ displayName, total, cells }, index) => (
                <tr key={index}>
                  <th scope="row">
                    <bdi>{displayName}</bdi>
                  </th>
                  {[total, ...cells].map((counts, of) => cell(counts, index, of))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {outside > 0 && (
          <p className="dim small">
            {t(
              "{count, plural, one {# SLO is} other {# SLOs are}} not in the table: no row and column select them.",
              {
                count: outside,
              },
            )}
          </p>
        )}
      </Card>
      <SloTable
        key={`${row} ${column}`}
        title={t("SLOs: {row}, {column}", {
          row: rows[row]?.displayName ?? "",
          column: columns[column]?.displayName ?? "",
        })}
        items={report.slos
          .filter((slo) => isIn(slo.rows, row) && isIn(slo.columns, column))
          .toSorted((a, b) => budgetOf(a) - budgetOf(b))
          .map((slo) => ({ slo }))}
        keyOf={({ slo }) => `${slo.project}/${slo.slo}`}
        columns={[
          { name: t("Status"), cell: ({ slo }) => <StatusBadge status={slo.health} /> },
          {
            ...figureColumn(t("Error budget remaining")),
            cell: ({ slo }) => budgetFigure(slo.errorBudgetRemainingPercentage),
          },
        ]}
      />
    </>
  )
}

const Rollup = ({ report }: { readonly report: Generated<"reliabilityRollup"> }) => {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const { shown, query } = useShown(
    report.folders.flatMap((folder, index) => [
      { folder, index, slo: undefined },
      ...(open.has(index) ? report.slos.filter((slo) => slo.folder === index) : []).map((slo) => ({
        folder,
        index,
        slo,
      })),
    ]),
  )
  const counts = new Map<number, number>()
  for (const { folder } of report.slos) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  const toggle = (index: number) =>
    setOpen(
      (before) =>
        new Set(before.has(index) ? [...before].filter((each) => each !== index) : [...before, index]),
    )
  return (
    <Card title={t("Reliability score")}>
      <p style={{ fontSize: "var(--font-xl)" }}>{shareFigure(report.score)}</p>
      <p className="dim">
        {t(
          "The score of an SLO is the share of its days with data on which its objectives met their targets. Folders have the average of what is in them.",
        )}
      </p>
      <ListTable
        query={query}
        items={shown}
        label={t("Reliability scores")}
        more={t("Show more SLOs")}
        keyOf={({ index, slo }) => `${index} ${slo === undefined ? "" : `${slo.project}/${slo.slo}`}`}
        empty={<p className="dim">{t("No SLOs match the filters of the report.")}</p>}
        isInCard
        columns={[
          {
            name: t("Name"),
            cell: ({ folder, index, slo }) => (
              <div style={{ paddingInlineStart: `${folder.depth + (slo === undefined ? 0 : 1)}rem` }}>
                {slo !== undefined ? (
                  slo.service === undefined ? (
                    <span className="dim">
                      {t("{name} does not exist", { name: `${slo.project}/${slo.slo}` })}
                    </span>
                  ) : (
                    <SloName slo={{ ...slo, service: slo.service }} />
                  )
                ) : counts.has(index) ? (
                  <UnstyledButton
                    className={css.folder}
                    aria-expanded={open.has(index)}
                    onClick={() => toggle(index)}
                  >
                    <bdi>{folder.displayName}</bdi>{" "}
                    <span className="dim small">
                      {t("{count, plural, one {# SLO} other {# SLOs}}", { count: counts.get(index) ?? 0 })}
                    </span>
                  </UnstyledButton>
                ) : (
                  <bdi>{folder.displayName}</bdi>
                )}
              </div>
            ),
          },
          {
            ...figureColumn(t("Reliability score")),
            cell: ({ folder, slo }) => shareFigure((slo ?? folder).score),
          },
          {
            ...figureColumn(t("Weight")),
            cell: ({ folder, slo }) => {
              const { weight } = slo ?? folder
              return weight !== undefined && shareText(weight, 3)
            },
          },
          {
            ...figureColumn(t("Days met")),
            cell: ({ slo }) =>
              slo !== undefined &&
              t("{good} of {total}", { good: countText(slo.daysMet), total: countText(slo.days) }),
          },
        ]}
      />
    </Card>
  )
}
