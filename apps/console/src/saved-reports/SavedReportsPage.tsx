import type { GeneratedReport } from "@tocsin/api"
import { useDocuments } from "../api/Definitions.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { readQuery, RowLink } from "../components/ListTable.tsx"
import { rich, t } from "../language/Text.tsx"
import { ListPage } from "../lists/ListPage.tsx"

/** What each type of saved report is called. */
export const reportTypeNames: Readonly<Record<GeneratedReport["type"], () => string>> = {
  systemHealthReview: () => t("System health review"),
  sloHistory: () => t("SLO history"),
  errorBudgetStatus: () => t("Error budget status"),
  reliabilityRollup: () => t("Reliability roll-up"),
}

const typeNameOf = (spec: object): string =>
  Object.entries(reportTypeNames).find(([type]) => type in spec)?.[1]() ?? ""

/** The definitions of the kind Report. */
const SavedReportsPage = () => {
  const query = useDocuments("reports")
  return (
    <ListPage
      title={t("Saved reports")}
      subtitle={t("Definitions of the kind Report. Each is generated from the data that is stored now.")}
      query={{ ...readQuery, ...query }}
      items={query.data}
      keyOf={({ metadata }) => metadata.name}
      empty={
        <EmptyState title={t("No saved reports yet")}>
          <p>
            {rich(
              "Apply a definition of the kind Report with {command} to see the health, the history, the error budgets or the reliability of many SLOs here.",
              {
                command: <code>tocsin apply -f</code>,
              },
            )}
          </p>
        </EmptyState>
      }
      columns={[
        {
          name: t("Name"),
          cell: ({ metadata: { name, displayName = name } }) => (
            <RowLink href={`/saved-reports/${name}`}>
              <bdi>{displayName}</bdi>
            </RowLink>
          ),
        },
        { name: t("Type"), isLabeled: true, cell: ({ spec }) => typeNameOf(spec) },
      ]}
    />
  )
}
export default SavedReportsPage
