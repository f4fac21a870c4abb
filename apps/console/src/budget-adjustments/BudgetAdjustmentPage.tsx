import { Button } from "@mantine/core"
import { Link } from "wouter"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { DefinitionYaml } from "../history/DefinitionYaml.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card, DescriptionList, Page } from "../components/Page.tsx"
import { DeleteButton } from "../editor/DeleteButton.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { AdjustedSlos, AdjustedTime, adjustmentText } from "./AdjustmentText.tsx"
import { reasonOf } from "./AdjustmentValues.ts"
import { BudgetChanges } from "./BudgetChanges.tsx"

/** A budget adjustment: what it changes, and who changed it with which effect. */
const BudgetAdjustmentPage = ({ project, name }: DefinitionKey) => {
  const isEditor = useIsEditor()
  const query = useDocuments("budgetadjustments", { project, name })
  const adjustment = query.data?.[0]
  return (
    <Page
      title={adjustment?.metadata.displayName ?? name}
      back={{ href: "/budget-adjustments", text: t("Budget adjustments") }}
      subtitle={`${project} / ${name}`}
      actions={
        isEditor &&
        adjustment !== undefined && (
          <>
            <Button component={Link} href={`/budget-adjustments/${project}/${name}/edit`}>
              {t("Edit budget adjustment")}
            </Button>
            <DeleteButton
              kind="budgetadjustments"
              definition={{ project, name }}
              label={t("Delete budget adjustment")}
              listHref="/budget-adjustments"
            >
              <p>{t("Every figure becomes what it was without it. The changes stay in its history.")}</p>
            </DeleteButton>
          </>
        )
      }
    >
      <QueryError
        query={query}
        missing={t("Budget adjustment {name} was not found in project {project}.", { name, project })}
      />
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
