/** An SLO of OpenSLO with everything that an SLO can say and that can be carried over. */
export const slo = {
  apiVersion: "openslo/v1",
  kind: "SLO",
  metadata: {
    name: "checkout",
    displayName: "Checkout",
    labels: { team: ["payments", "web"], tier: "gold" },
    annotations: { "example.com/owner": "payments" },
  },
  spec: {
    description: "Orders are taken.",
    service: "shop",
    indicatorRef: "errors",
    timeWindow: [{ duration: "28d", isRolling: true }],
    budgetingMethod: "Occurrences",
    objectives: [{ displayName: "Taken", target: 0.995 }],
    alertPolicies: [{ alertPolicyRef: "fast-burn" }],
  },
}

export const service = {
  apiVersion: "openslo/v1",
  kind: "Service",
  metadata: { name: "shop", displayName: "Shop" },
  spec: { description: "Sells." },
}

export const dataSource = {
  apiVersion: "openslo/v1",
  kind: "DataSource",
  metadata: { name: "metrics" },
  spec: { type: "Prometheus", connectionDetails: { url: "http://prometheus:9090" } },
}

const metric = (query: string) => ({ metricSource: { metricSourceRef: "metrics", spec: { query } } })

export const sli = {
  apiVersion: "openslo/v1",
  kind: "SLI",
  metadata: { name: "errors" },
  spec: {
    ratioMetric: {
      counter: true,
      bad: metric('sum(orders_total{code=~"5.."})'),
      total: metric("sum(orders_total)"),
    },
  },
}

export const condition = {
  apiVersion: "openslo/v1",
  kind: "AlertCondition",
  metadata: { name: "burns" },
  spec: {
    severity: "High",
    condition: { kind: "burnrate", op: "gte", threshold: 2, lookbackWindow: "1h", alertAfter: "0m" },
  },
}

export const policy = {
  apiVersion: "openslo/v1",
  kind: "AlertPolicy",
  metadata: { name: "fast-burn" },
  spec: {
    description: "Burns fast.",
    alertWhenBreaching: true,
    alertWhenResolved: true,
    alertWhenNoData: true,
    conditions: [{ conditionRef: "burns" }],
    notificationTargets: [{ targetRef: "on-call" }],
  },
}

export const target = {
  apiVersion: "openslo/v1",
  kind: "AlertNotificationTarget",
  metadata: { name: "on-call" },
  spec: { description: "Notifies.", target: "https://hooks.example.com/slo" },
}

/** Documents of every kind, of which everything can be carried over. */
export const documents = [service, dataSource, sli, slo, policy, condition, target]
