import { useState } from "react"
import { Link, useLocation } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { usePages } from "../api/Queries.ts"
import { AddButton } from "../components/AddButton.tsx"
import { ListTable } from "../components/ListTable.tsx"
import { Card } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { Range, SignedFiles } from "../reports/ReportParts.tsx"
import { useIsEditor } from "../session/Session.ts"
import { CreateReport } from "./CreateReport.tsx"

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
                <Range range={period} />
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
            cell: ({ id }) => <SignedFiles of="report" id={id} isCompact />,
          },
        ]}
      />
    </Card>
  )
}
export default SloReports

const pageSize = 24
