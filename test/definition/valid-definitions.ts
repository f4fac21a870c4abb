import * as Result from "effect/Result"
import { decodeDefinition, type DecodeOptions, definition } from "@tocsin/domain"
import { encode, type Issue } from "@tocsin/domain/codec"
import { publicAddressesOnly } from "@tocsin/domain/delivery"

/** Plain data, as JSON and YAML give it. */
export type Plain = { [key: string]: unknown }

/** How a server decodes that nothing is configured for. */
export const decodeOptions: DecodeOptions = {
  vendorPrefix: "tocsin",
  addressPolicy: publicAddressesOnly,
}

export const aProject = (name = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "Project",
  metadata: { name, displayName: "The Shop", labels: { team: ["payments"] } },
  spec: { description: "Everything that sells." },
})

export const aService = (name = "web", project = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "Service",
  metadata: { name, project },
  spec: {},
})

export const anSlo = (name = "checkout", project = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "SLO",
  metadata: { name, displayName: "Checkout", project },
  spec: {
    service: "web",
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [
      { name: "good", displayName: "Good", target: 0.99 },
      { name: "great", target: 0.999 },
    ],
    alertPolicies: ["fast-burn"],
  },
})

export const anAlertPolicy = (name = "fast-burn", project = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "AlertPolicy",
  metadata: { name, project },
  spec: {
    severity: "High",
    coolDown: "5m",
    conditions: [{ measurement: "averageBurnRate", value: 20, op: "gte", alertingWindow: "5m" }],
    alertMethods: [{ metadata: { name: "ops", project } }],
  },
})

export const anAlertMethod = (name = "ops", project = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "AlertMethod",
  metadata: { name, displayName: "Ops – On Call #1", project, annotations: { "example.com/team": "ops" } },
  spec: {
    description: "Notifies the people on call.",
    webhook: {
      url: "https://hooks.example.com/ops?key=url-secret",
      templateFields: ["slo_name", "alert_policy_conditions[]"],
      headers: [
        { name: "X-Team", value: "ops", isSecret: false },
        { name: "Authorization", value: "Bearer header-secret", isSecret: true },
      ],
    },
  },
})

export const aDataSource = (name = "mimir", project = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "DataSource",
  metadata: { name, project, displayName: "Mimir" },
  spec: {
    description: "Metrics of the shop.",
    prometheus: {
      url: "https://mimir.example.com/prometheus",
      oauth2: {
        tokenUrl: "https://login.example.com/token",
        clientId: "tocsin",
        clientSecret: "client-s3cret",
        scopes: ["metrics:read"],
        audience: "mimir",
      },
      tls: {
        ca: aCertificate,
        certificate: aCertificate,
        key: "-----BEGIN PRIVATE KEY-----\nS0VZLXMzY3JldA==\n-----END PRIVATE KEY-----\n",
      },
      tenant: "shop",
      headers: [
        { name: "X-Team", value: "payments", isSecret: false },
        { name: "X-Key", value: "header-s3cret", isSecret: true },
      ],
      queryDelay: "2m",
    },
  },
})

const aCertificate = "-----BEGIN CERTIFICATE-----\nQ0VSVA==\n-----END CERTIFICATE-----\n"

export const anAlertSilence = (name = "night-work", project = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "AlertSilence",
  metadata: { name, project },
  spec: {
    description: "The database moves.",
    slo: "checkout",
    alertPolicy: { name: "fast-burn", project },
    period: { startTime: "2026-01-30T22:00:00+01:00", duration: "1h30m" },
  },
})

export const aBudgetAdjustment = (name = "data-center-move", project = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "BudgetAdjustment",
  metadata: { name, project },
  spec: {
    reason: "The data center moved.",
    slos: [{ name: "checkout", project }],
    period: { startTime: "2026-01-30T22:00:00+01:00", duration: "1h30m" },
    set: { good: 9, total: 10 },
  },
})

export const anAgent = (name = "scraper", project = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "Agent",
  metadata: { name, project, displayName: "Scraper", annotations: { "example.com/team": "ops" } },
  spec: {
    description: "Scrapes the shop.",
    releaseChannel: "stable",
    prometheus: { url: "https://prometheus.example.com", step: 15 },
    queryDelay: { value: 2, unit: "Minute" },
    historicalDataRetrieval: {
      maxDuration: { value: 30, unit: "Day" },
      defaultDuration: { value: 12, unit: "Hour" },
    },
    logCollectionEnabled: false,
  },
})

/** A query as the documents of the service write it. */
export const promql = (text: string): Plain => ({ prometheus: { promql: text } })

/** An SLO as the documents of the service write it: objectives have queries of their own. */
export const aSourceSlo = (name = "payment", project = "shop"): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "SLO",
  metadata: { name, project, displayName: "Payment", labels: { team: ["payments"] } },
  spec: {
    service: "web",
    indicator: { metricSource: { kind: "Agent", project, name: "scraper" } },
    budgetingMethod: "Timeslices",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [
      {
        name: "answered",
        displayName: "Answered",
        value: 1,
        target: 0.99,
        timeSliceTarget: 0.9,
        primary: true,
        countMetrics: {
          incremental: true,
          good: promql('sum(payments_total{code!="500"})'),
          total: promql("sum(payments_total)"),
        },
      },
      {
        name: "fast",
        value: 0.3,
        op: "lte",
        target: 0.9,
        timeSliceTarget: 0.5,
        primary: false,
        rawMetric: { query: promql("payment_latency_seconds") },
      },
    ],
    attachments: [
      { url: "https://runbooks.example.com/payment?tab=1", displayName: "Runbook" },
      { url: "http://wiki.example.com" },
    ],
    anomalyConfig: {
      noData: {
        alertMethods: [{ name: "ops", project }],
        alertAfter: "1h0m0s",
        treatZeroAsNoData: false,
      },
    },
  },
})

/** A saved view with every property. */
export const aSavedView = (): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "SavedView",
  metadata: { name: "payments", displayName: "Payments, burning" },
  spec: {
    search: "check",
    projects: ["shop"],
    services: [{ name: "web", project: "shop" }],
    labels: { team: ["payments", "web"] },
    statuses: ["breached", "atRisk"],
    groupBy: "label:team",
    sortBy: "-burn",
    columns: ["reliability7d", "reliability90d"],
  },
})

/** A copy with one place changed, named as issues name it; `undefined` takes the property away. */
export const changed = (definition: Plain, path: string, value: unknown): Plain => {
  const copy = structuredClone(definition)
  const steps = path.match(/[^.[\]]+/g) ?? []
  let at: Plain = copy
  for (const step of steps.slice(0, -1)) at = at[step] as Plain
  const last = steps.at(-1) ?? ""
  if (value === undefined) delete at[last]
  else at[last] = value
  return copy
}

/** What is wrong with a definition: `[]` for a valid one. */
export const issuesOf = (input: unknown, options = decodeOptions): ReadonlyArray<Issue> => {
  const decoded = decodeDefinition(input, options)
  return Result.isSuccess(decoded) ? [] : decoded.failure
}

/** Path and code of each issue, in order. */
export const codesOf = (input: unknown, options = decodeOptions): ReadonlyArray<readonly [string, string]> =>
  issuesOf(input, options).map(({ path, code }) => [path, code])

/** What a valid definition reads back as, but for its `apiVersion`. */
export const writtenOf = (input: unknown, options = decodeOptions): Plain =>
  encode(definition, Result.getOrThrow(decodeDefinition(input, options))) as Plain
