/** The kinds of definitions, and the shapes of SLOs, data sources and budget adjustments with what follows from them alone. */
export {
  canBeOfNoProject,
  type DefinitionDraft,
  describesNoProject,
  isOfNoProject,
  isOrganizationKind,
  kindFromText,
  kindList,
  kindNames,
  kinds,
  selectingKinds,
} from "../definition/Kinds.ts"
export type { TemplateFieldList, TemplateText } from "../alert-method/AlertMethod.ts"
export { otherMethodTypes } from "../alert-method/AlertMethod.ts"
export type { AddressContext, WebhookUrl } from "../alert-method/WebhookUrl.ts"
export type { EnvelopeJson } from "../metadata/Envelope.ts"
export type { LabelSelector } from "../metadata/LabelFilter.ts"
export type { DefaultProjectContext, OwnerContext } from "../metadata/Metadata.ts"
export type { TimeWindow } from "../slo/TimeWindow.ts"
export { definitionsMax } from "../definition/DecodeDefinition.ts"
export { warningContext, type WarningOptions, warningsOf } from "../definition/WarningRules.ts"
export {
  type Annotation,
  annotationId,
  annotationKinds,
  annotationRequest,
  storedAnnotation,
} from "../slo/Annotation.ts"
export { adjustsSlo } from "../slo/AdjustsSlo.ts"
export {
  budgetAdjustment,
  type BudgetAdjustment,
  type ChangedEvent,
  changedEventsMax,
  ruleText,
} from "../slo/BudgetAdjustment.ts"
export { type BudgetingMethod, budgetingMethods } from "../slo/BudgetingMethod.ts"
export type { Component } from "../slo/CompositeObjective.ts"
export { dataSource, type PrometheusServer } from "../slo/DataSource.ts"
export { groupKey } from "../slo/GroupValues.ts"
export { boundPattern } from "../slo/HistogramExpressions.ts"
export { groupLabels, groupLabelsMax, indicator } from "../slo/Indicator.ts"
export { type MetricAgent, typeOfAgent } from "../slo/MetricAgent.ts"
export { objectivesOf } from "../slo/ObjectiveGroups.ts"
export { isOwnIndicator } from "../slo/PolledIndicator.ts"
export { defaultProject, defaultProjectName, isStatusPageSlug } from "../slo/Project.ts"
export type { PromQlAdvice, PromQlAdvisor, QueryUse } from "../slo/PromQlAdvice.ts"
export type { PromQlCheck } from "../slo/PromQlCheck.ts"
export { promqlMaxCharacters } from "../slo/PromQlExpression.ts"
export type { Folder } from "../slo/ReportDefinition.ts"
export { targetsOf } from "../slo/SliceRules.ts"
export { sloOutline, type SloOutline, type TrackOutline } from "../slo/SloOutline.ts"
export { countsAbsent, isCompositeObjective, plainOf, treatsZeroAsNoData } from "../slo/Objectives.ts"
export {
  noDataAlertAfterMaxMs,
  noDataAlertAfterMinMs,
  type Objective,
  type PlainObjective,
  type Slo,
} from "../slo/Slo.ts"
export { sourceKinds, storedIndicatorName } from "../slo/SourceMetrics.ts"
export { isSourceType, unsupportedText } from "../slo/SourceType.ts"
export { indicatorQueries } from "../slo/StoredIndicator.ts"
export {
  type CalendarUnit,
  calendarUnits,
  isCalendarWindow,
  rollingMs,
  type RollingUnit,
  rollingUnits,
} from "../slo/WindowLength.ts"
