import type { ReportSummary } from "@tocsin/api"
import { useState } from "react"
import { Link, useLocation } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { usePages } from "../api/Queries.ts"
import { AddButton } from "../components/AddButton.tsx"
import { ListTable } from "../components/ListTable.tsx"
import { Card } from "../components/Page.tsx"
import { DateTime, RelativeTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"
import { printLink, SaveButton, signedText } from "../reports/ReportFiles.tsx"
import { useIsEditor } from "../session/Session.ts"
import { CreateReport } from "./CreateReport.tsx"

type Report = ReportSummary

/** The reports of an SLO, each as a page for printing and as files. */
const SloReports = ({ project, name }: DefinitionKey) => {
  const isEditor = useIsEditor()
  const [, navigate] = useLocation()
  const [isCreating, setIsCreating] = useState(false)
  const { query, items } = usePages(["reports", project, name], (cursor, signal) =>
    bodyOf(
      client.GET("/api/reports", {
        params: { query: { project, slo: name, limit: pageSize, cursor } },
        signal,
      }),
    ),
  )
  return (
    <Card
      title={t("Reports")}
      aside={isEditor && <AddButton onClick={() => setIsCreating(true)}>{t("Create report")}</AddButton>}
    >
      {isCreating && (
        <CreateReport
          project={project}
          name={name}
          onClose={() => setIsCreating(false)}
          onDone={(id) => navigate(`/reports/${id}`)}
        />
      )}
      <p className="dim">
        {t(
          "A signed report is created an hour after the end of each time window, or of each month if the window is rolling.",
        )}
      </p>
      <ListTable
        query={query}
        items={items}
        label={t("Reports of this SLO")}
        more={t("Load older reports")}
        keyOf={({ id }) => id}
        empty={<p className="dim">{t("No reports yet.")}</p>}
        isInCard
        columns={[
          {
            name: t("Period"),
            cell: ({ id, period }) => (
              <Link href={`/reports/${id}`}>
                {rich("{from} to {to}", {
                  from: <DateTime at={period.from} />,
                  to: <DateTime at={period.to} />,
                })}
              </Link>
            ),
          },
          {
            name: t("Created"),
            width: 140,
            isLabeled: true,
            cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
          },
          {
            name: t("Files"),
            width: 220,
            isLabeled: true,
            cell: ({ id }) => <Files id={id} />,
          },
        ]}
      />
    </Card>
  )
}
export default SloReports

const Files = ({ id }: Pick<Report, "id">) => (
  <>
    {(["json", "csv"] as const).map((format) => (
      <SaveButton
        key={format}
        variant="subtle"
        size="compact-sm"
        name={`report-${id}`}
        format={format}
        read={() => signedText("report", id, format)}
      >
        {format.toUpperCase()}
      </SaveButton>
    ))}{" "}
    <a {...printLink(id)}>{t("Print version")}</a>
  </>
)

const pageSize = 24
