/** SLOs and alert policies as rules of Prometheus. */
export { prometheusRulesOf } from "../prometheus-rules/PrometheusRules.ts"
