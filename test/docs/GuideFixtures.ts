/** The objects and files that the guides take for granted, as someone has them who follows a guide. */

const slo = (name: string, team: string, objective: string, more = ""): string => `---
apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: ${name}, project: shop, labels: { team: [${team}], env: [prod] } }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: ${objective}, target: 0.95 }]
${more}`

/** An SLO whose counts come from Prometheus, which has 118 good of 120 events in each minute. */
const checkout = slo(
  "checkout",
  "checkout",
  "answered",
  `  indicator:
    prometheus:
      url: http://prometheus.internal:9090
      good: sum(increase(good[1m]))
      total: sum(increase(total[1m]))
`,
)

const policy = (name: string): string => `---
apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: ${name}, project: shop }
spec:
  severity: High
  conditions:
    - { measurement: averageBurnRate, value: 14.4, alertingWindow: 1h }
    - { measurement: averageBurnRate, value: 14.4, alertingWindow: 5m }
  alertMethods: [{ metadata: { name: on-call } }]
`

/** SLOs whose counts are sent. */
const latency = [
  slo("checkout-latency", "payments", "fast", "  alertPolicies: [fast-burn]\n"),
  slo("refund-latency", "payments", "fast"),
].join("")

/** The objects of the project `shop`, as definitions in YAML. */
const objects = `
apiVersion: tocsin/v1alpha
kind: Project
metadata: { name: shop }
---
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: web, project: shop }
---
apiVersion: tocsin/v1alpha
kind: Service
metadata: { name: checkout, project: shop }
---
apiVersion: tocsin/v1alpha
kind: AlertMethod
metadata: { name: on-call, project: shop }
spec:
  webhook: { url: https://hooks.example.com/alerts, templateFields: [slo_name, alert_id] }
${policy("fast-burn")}${checkout}`

const ratioOf = (range: string): string =>
  `(sum(rate(http_requests_total{code=~"5.."}[${range}]))) / (sum(rate(http_requests_total[${range}])))`

/** A recording rule as \`sloth generate\` writes it. */
const slothRatio = (window: string, expr: string): string => `
            - record: slo:sli_error:ratio_rate${window}
              expr: ${expr}
              labels: { sloth_id: web-requests, sloth_service: web, sloth_slo: requests, sloth_window: ${window} }`

/** The files that commands name, by their names. */
export const files: Readonly<Record<string, string>> = {
  "objects.yaml": objects,
  "latency.yaml": latency,
  "policy.yaml": policy("proposed"),
  "slo.yaml": checkout.slice("---\n".length),
  "prometheus.yaml": `
apiVersion: tocsin/v1alpha
kind: DataSource
metadata: { name: prometheus }
spec:
  prometheus: { url: "http://prometheus.internal:9090" }
`,
  "silence.yaml": `
apiVersion: tocsin/v1alpha
kind: AlertSilence
metadata: { name: database-move, project: shop }
spec:
  sloLabels: team=payments
  period: { startTime: "2026-02-01T01:00:00Z", duration: 2h }
`,
  "sloth.yaml": `
version: prometheus/v1
service: web
slos:
  - name: requests
    objective: 99.9
    sli: &sli
      events:
        error_query: sum(rate(http_requests_total{code=~"5.."}[{{.window}}]))
        total_query: sum(rate(http_requests_total[{{.window}}]))
    alerting: { page_alert: { disable: true }, ticket_alert: { disable: true } }
`,
  "prometheusservicelevels.yaml": `
apiVersion: v1
kind: List
items:
  - apiVersion: sloth.slok.dev/v1
    kind: PrometheusServiceLevel
    metadata: { name: web, namespace: monitoring }
    spec:
      service: web
      slos:
        - name: requests
          objective: 99.9
          sli:
            events:
              errorQuery: sum(rate(http_requests_total{code=~"5.."}[{{.window}}]))
              totalQuery: sum(rate(http_requests_total[{{.window}}]))
          alerting: { pageAlert: { disable: true }, ticketAlert: { disable: true } }
`,
  "prometheusrules.yaml": `
apiVersion: v1
kind: List
items:
  - apiVersion: monitoring.coreos.com/v1
    kind: PrometheusRule
    metadata: { name: web, namespace: monitoring }
    spec:
      groups:
        - name: sloth-slo-sli-recordings-web-requests
          rules:${slothRatio("5m", ratioOf("5m"))}${slothRatio("1h", ratioOf("1h"))}${slothRatio(
            "30d",
            "sum_over_time(slo:sli_error:ratio_rate5m[30d]) / count_over_time(slo:sli_error:ratio_rate5m[30d])",
          )}
        - name: sloth-slo-meta-recordings-web-requests
          rules:
            - record: slo:objective:ratio
              expr: vector(0.999)
              labels: { sloth_id: web-requests, sloth_service: web, sloth_slo: requests }
            - record: slo:time_period:days
              expr: vector(30)
              labels: { sloth_id: web-requests, sloth_service: web, sloth_slo: requests }
`,
  "servicelevelobjectives.yaml": `
apiVersion: v1
kind: List
items:
  - apiVersion: pyrra.dev/v1alpha1
    kind: ServiceLevelObjective
    metadata: { name: requests, namespace: monitoring }
    spec:
      target: "99.9"
      window: 4w
      indicator:
        ratio:
          errors: { metric: 'http_requests_total{code=~"5.."}' }
          total: { metric: http_requests_total }
`,
}

/**
 * Counts of the objective `fast` of `checkout-latency` in the last week of January 2026, as CSV: every ten minutes, all of 1,000
 * events are good, but on two days, all of 1,000 events are bad in each of 20 minutes.
 */
export const januaryCounts = (): string => {
  const incidents = ["2026-01-27T08:00:00Z", "2026-01-29T14:20:00Z"].map((at) => Date.parse(at))
  const rows: Array<string> = []
  for (let at = Date.parse("2026-01-24T00:00:00Z"); at < Date.parse("2026-01-31T00:00:00Z"); at += 60_000) {
    const isBad = incidents.some((incident) => at >= incident && at < incident + 20 * 60_000)
    if (isBad || at % 600_000 === 0) rows.push(`${new Date(at).toISOString()},${isBad ? 0 : 1_000},1000`)
  }
  return ["at,good,total", ...rows].join("\n")
}
