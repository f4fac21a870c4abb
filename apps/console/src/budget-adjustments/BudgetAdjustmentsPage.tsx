import { useDocuments } from "../api/Definitions.ts"
import { DefinitionListPage } from "../lists/DefinitionList.tsx"
import { t } from "../language/Text.tsx"
import { AdjustedSlos, AdjustedTime, adjustmentText } from "./AdjustmentText.tsx"
import { reasonOf } from "./AdjustmentValues.ts"

/** Every budget adjustment. */
const BudgetAdjustmentsPage = () => {
  const query = useDocuments("budgetadjustments")
  return (
    <DefinitionListPage
      subtitle={t("Minutes that are left out of error budgets, or counted differently.")}
      query={query}
      kind="budgetadjustments"
      columns={[
        { name: t("SLOs"), isLabeled: true, cell: (each) => <AdjustedSlos adjustment={each} /> },
        { name: t("Time"), isLabeled: true, cell: (each) => <AdjustedTime adjustment={each} /> },
        { name: t("Minutes"), isLabeled: true, cell: ({ spec }) => adjustmentText(spec) },
        { name: t("Reason"), isLabeled: true, cell: reasonOf },
      ]}
      emptyTitle={t("No budget adjustments yet")}
      emptyText={t(
        "Budget adjustments appear here. An adjustment excludes minutes, such as planned maintenance, from the error budgets of SLOs, or sets what was counted in them.",
      )}
      deleteText={t(
        "All figures return to their values without the adjustments. Their change history remains.",
      )}
    />
  )
}
export default BudgetAdjustmentsPage
