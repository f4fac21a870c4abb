/** Foreign formats: OpenSLO, Sloth, Pyrra, Prometheus rules, Alertmanager and OTLP, to and from definitions. */
export {
  type Conversion,
  convertDocuments,
  convertInParts,
  countObjects,
} from "../conversion/ConvertDocuments.ts"
export { readOpenSloDuration, toRollingWindow } from "../conversion/OpenSloDuration.ts"
export { expressionNodes, type PromQlParser } from "../conversion/PromQlNode.ts"
export { alertmanagerGroup, AlertmanagerGroupIsInvalid } from "../intake/AlertmanagerGroup.ts"
export { defaultExternalSeverity, receiveAlertmanager } from "../intake/ReceiveAlertmanager.ts"
export {
  type MetricPoint,
  MetricsAreInvalid,
  type PushedMetrics,
  type ReadPoints,
  type RejectedPoints,
} from "../otlp/MetricPoint.ts"
export { prometheusRulesOf } from "../prometheus-rules/PrometheusRules.ts"
