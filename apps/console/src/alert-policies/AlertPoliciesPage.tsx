import { severityName } from "../alerts/Alert.ts"
import { useDocuments } from "../api/Definitions.ts"
import { DefinitionListPage } from "../lists/DefinitionList.tsx"
import { listText, t } from "../language/Text.tsx"
import { SilentReach, useReach } from "./AlertCoverage.tsx"
import { conditionsSummary } from "./PolicyText.ts"

/** Every alert policy. */
const AlertPoliciesPage = () => {
  const query = useDocuments("alertpolicies")
  const reachOf = useReach()
  return (
    <DefinitionListPage
      subtitle={t("When SLOs alert, and who is notified.")}
      query={query}
      kind="alertpolicies"
      columns={[
        { name: t("Severity"), isLabeled: true, cell: ({ spec }) => severityName(spec.severity) },
        { name: t("Conditions"), cell: ({ spec }) => conditionsSummary(spec) },
        {
          name: t("Alert methods"),
          isLabeled: true,
          cell: (policy) => (
            <>
              {listText((policy.spec.alertMethods ?? []).map(({ metadata }) => metadata.name))}
              <SilentReach reach={reachOf(policy)} />
            </>
          ),
        },
      ]}
      emptyTitle={t("No alert policies yet")}
      emptyText={t(
        "Alert policies appear here. A policy defines when an SLO alerts, and which alert methods are notified.",
      )}
      deleteText={t("Their open alerts are canceled. A policy that an SLO references cannot be deleted.")}
    />
  )
}
export default AlertPoliciesPage
