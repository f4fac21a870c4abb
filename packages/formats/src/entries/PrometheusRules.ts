/** SLOs and alert policies as rules of Prometheus. */
export { type PrometheusRules, prometheusRulesOf } from "../prometheus-rules/PrometheusRules.ts"
