/** The kinds of definitions, and the shapes of SLOs, data sources and budget adjustments with what follows from them alone. */
export { isOrganizationKind, kindFromText, kindList, kindNames, kinds } from "../definition/Kinds.ts"
export {
  type Annotation,
  annotationId,
  annotationKinds,
  annotationRequest,
  storedAnnotation,
} from "../slo/Annotation.ts"
export {
  adjustsSlo,
  budgetAdjustment,
  type BudgetAdjustment,
  type ChangedEvent,
} from "../slo/BudgetAdjustment.ts"
export { budgetingMethods } from "../slo/BudgetingMethod.ts"
export { dataSource, type PrometheusServer } from "../slo/DataSource.ts"
export { groupKey } from "../slo/GroupValues.ts"
export { type MetricAgent, typeOfAgent } from "../slo/MetricAgent.ts"
export { objectivesOf } from "../slo/ObjectiveGroups.ts"
export { isOwnIndicator } from "../slo/PolledIndicator.ts"
export { defaultProjectName, isStatusPageSlug } from "../slo/Project.ts"
export type { PromQlAdvice, PromQlAdvisor, QueryUse } from "../slo/PromQlAdvice.ts"
export type { PromQlCheck } from "../slo/PromQlCheck.ts"
export { targetsOf } from "../slo/SliceRules.ts"
export { isCompositeObjective, type Objective, plainOf, type Slo } from "../slo/Slo.ts"
export { sourceKinds } from "../slo/SourceMetrics.ts"
export { isCalendarWindow } from "../slo/WindowLength.ts"
