import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { DefinitionYaml } from "../history/DefinitionYaml.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DefinitionActions } from "../editor/DefinitionActions.tsx"
import { kindPages } from "../editor/KindPages.ts"
import { t } from "../language/Text.tsx"
import { AdjustedSlos, AdjustedTime, adjustmentText } from "./AdjustmentText.tsx"
import { reasonOf } from "./AdjustmentValues.ts"
import { BudgetChanges } from "./BudgetChanges.tsx"

/** A budget adjustment: what it changes, and who changed it with which effect. */
const BudgetAdjustmentPage = ({ project, name }: DefinitionKey) => {
  const { list, missing } = kindPages("budgetadjustments")
  const query = useDocuments("budgetadjustments", { project, name })
  const adjustment = query.data?.[0]
  return (
    <Page
      title={adjustment?.metadata.displayName ?? name}
      back={list}
      subtitle={`${project} / ${name}`}
      actions={
        adjustment !== undefined && (
          <DefinitionActions
            kind="budgetadjustments"
            project={project}
            name={name}
            deleteText={t("Every figure becomes what it was without it. The changes stay in its history.")}
          />
        )
      }
    >
      <QueryError query={query} missing={missing({ project, name })} />
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
      {adjustment !== undefined && <DefinitionYaml kind="budgetadjustments" project={project} name={name} />}
    </Page>
  )
}
export default BudgetAdjustmentPage
