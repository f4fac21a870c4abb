import { useDocuments } from "../api/Definitions.ts"
import { CreateLink } from "../components/CreateLink.tsx"
import { Page } from "../components/Page.tsx"
import { DefinitionList } from "../editor/DefinitionList.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { AdjustedSlos, AdjustedTime, adjustmentText } from "./AdjustmentText.tsx"

/** Every budget adjustment. */
const BudgetAdjustmentsPage = () => {
  const isEditor = useIsEditor()
  const query = useDocuments("budgetadjustments")
  return (
    <Page
      title={t("Budget adjustments")}
      subtitle={t("Minutes that are left out of error budgets, or counted differently.")}
      actions={
        isEditor &&
        (query.data?.length ?? 0) > 0 && (
          <CreateLink href="/budget-adjustments/new" label={t("Create budget adjustment")} />
        )
      }
    >
      <DefinitionList
        query={query}
        items={query.data}
        label={t("Budget adjustments")}
        kind="budgetadjustments"
        columns={[
          { name: t("SLOs"), isLabeled: true, cell: (each) => <AdjustedSlos adjustment={each} /> },
          { name: t("Time"), isLabeled: true, cell: (each) => <AdjustedTime adjustment={each} /> },
          { name: t("Minutes"), isLabeled: true, cell: ({ spec }) => adjustmentText(spec) },
          { name: t("Reason"), isLabeled: true, cell: ({ spec }) => spec.reason ?? spec.description },
        ]}
        emptyTitle={t("No budget adjustments yet")}
        emptyText={t(
          "Budget adjustments appear here. An adjustment excludes minutes, such as planned maintenance, from the error budgets of SLOs, or sets what was counted in them.",
        )}
        createHref="/budget-adjustments/new"
        createLabel={t("Create budget adjustment")}
        deleteText={t("Every figure becomes what it was without them. The changes stay in their history.")}
      />
    </Page>
  )
}
export default BudgetAdjustmentsPage
