import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { Card, DescriptionList } from "../components/Page.tsx"
import { DefinitionPage } from "../history/DefinitionPage.tsx"
import { t } from "../language/Text.tsx"
import { AdjustedSlos, AdjustedTime, adjustmentText } from "./AdjustmentText.tsx"
import { reasonOf } from "./AdjustmentValues.ts"
import { BudgetChanges } from "./BudgetChanges.tsx"

/** A budget adjustment: what it changes, and who changed it with which effect. */
const BudgetAdjustmentPage = ({ project, name }: DefinitionKey) => {
  const query = useDocuments("budgetadjustments", { project, name })
  const adjustment = query.data?.[0]
  return (
    <DefinitionPage
      kind="budgetadjustments"
      project={project}
      name={name}
      query={query}
      definition={adjustment}
      deleteText={t("All figures return to their values without the adjustment. Its change history remains.")}
    >
      {adjustment !== undefined && (
        <Card title={t("Configuration")}>
          <DescriptionList
            properties={[
              [t("SLOs"), <AdjustedSlos adjustment={adjustment} />],
              [t("Time"), <AdjustedTime adjustment={adjustment} />],
              [t("Minutes"), adjustmentText(adjustment.spec)],
              [t("Reason"), reasonOf(adjustment)],
            ]}
          />
        </Card>
      )}
      <Card title={t("Changes and their effects")}>
        <BudgetChanges adjustment={{ project, name }} />
      </Card>
    </DefinitionPage>
  )
}
export default BudgetAdjustmentPage
