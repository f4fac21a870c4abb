import type { AlertPolicy } from "@tocsin/domain/alerting"
import { durationOf } from "@tocsin/domain/codec"
import { definitionsMax } from "@tocsin/domain/limits"
import { writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import { aBudgetAdjustment, anAlertMethod, aService } from "../definition/valid-definitions.ts"

/** A request that makes a server work as much as it can, and how much that is. */
export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, in YAML unless `headers` have another type. */
  readonly body?: unknown
  /** The fewest parts that the work must be done in, by its size in the units of the cost model. */
  readonly parts: number
}

const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/** SLOs of two objectives that the hostile organization has. */
export const slosOfHostile = 1_000

const services = times(definitionsMax, (index) => aService(`s-${index}`, "default"))
const convertPath = "/api/definitions/convert?prometheus_url=http://prometheus:9090"

/** A document of Sloth of so many SLOs. */
const slothOf = (count: number) => ({
  version: "prometheus/v1",
  service: "shop",
  slos: times(count, (index) => ({
    name: `s-${index}`,
    objective: 99,
    sli: {
      events: {
        error_query: `sum(rate(e${index}[{{.window}}]))`,
        total_query: `sum(rate(t${index}[{{.window}}]))`,
      },
    },
    alerting: { page_alert: { disable: true }, ticket_alert: { disable: true } },
  })),
})

const openSloService = (index: number) => ({
  apiVersion: "openslo/v1",
  kind: "Service",
  metadata: { name: `s-${index}` },
  spec: {},
})

/** A rule of Sloth, each of another SLO. */
const ruleOf = (index: number) => ({
  record: "slo:sli_error:ratio_rate5m",
  expr: "a / b",
  labels: { sloth_id: `s-${index}`, sloth_service: "shop", sloth_slo: `s-${index}`, sloth_window: "5m" },
})

const project = { project: "shop" }
const from = "2026-01-30T06:00:00Z"
const to = "2026-01-30T12:00:00Z"

/** The alert policy that the hostile organization has. */
export const policyOfHostile: AlertPolicy = {
  kind: "AlertPolicy",
  metadata: { project: "shop", name: "fast" },
  spec: {
    severity: "High",
    coolDown: durationOf("5m"),
    conditions: [{ measurement: "averageBurnRate", op: "gte", value: 2, alertingWindow: durationOf("5m") }],
    alertMethods: [],
  },
}

const policy = {
  apiVersion: "tocsin/v1alpha",
  kind: "AlertPolicy",
  metadata: { name: "fast", project: "shop" },
  spec: {
    severity: "High",
    conditions: [{ measurement: "averageBurnRate", value: 2, op: "gte", alertingWindow: "5m" }],
    alertMethods: [],
  },
}

/** The hostile requests of operations, by their ID or, beside the description of the API, by a name of their own. */
export const hostileRequests: Readonly<Record<string, ReadonlyArray<HostileRequest>>> = {
  applyDefinitions: [
    { method: "PUT", path: "/api/apply?dry_run=true", body: services, parts: definitionsMax },
    {
      method: "PUT",
      path: "/api/apply?dry_run=true",
      body: writeDocuments(yamlFormat, services),
      parts: definitionsMax,
    },
  ],
  deleteDefinitions: [
    {
      method: "DELETE",
      path: "/api/delete?dry_run=true",
      body: writeDocuments(yamlFormat, services),
      parts: 8,
    },
  ],
  convertDefinitions: [
    {
      method: "POST",
      path: convertPath,
      body: writeDocuments(yamlFormat, services),
      parts: 8,
    },
    { method: "POST", path: convertPath, body: [slothOf(definitionsMax)], parts: 2 * definitionsMax },
    {
      method: "POST",
      path: convertPath,
      body: times(definitionsMax, openSloService),
      parts: 2 * definitionsMax,
    },
    {
      method: "POST",
      path: convertPath,
      body: [{ groups: [{ name: "a", rules: times(definitionsMax, ruleOf) }] }],
      parts: definitionsMax,
    },
  ],
  deleteDefinitionsByName: [
    {
      method: "DELETE",
      path: `/api/delete/slo?dry_run=true&${times(slosOfHostile, (index) => `name=slo-${index}`).join("&")}`,
      headers: project,
      parts: 1,
    },
  ],
  listDefinitions: [
    { method: "GET", path: "/api/get/slos", headers: { project: "*" }, parts: (2 * slosOfHostile) / 20 - 5 },
    {
      method: "GET",
      path: "/api/get/slos",
      headers: { project: "*", accept: "application/yaml" },
      parts: (2 * slosOfHostile) / 20 - 5,
    },
  ],
  readOverview: [{ method: "GET", path: "/api/console/overview", parts: (2 * slosOfHostile) / 100 - 2 }],
  readAlertCoverage: [
    { method: "GET", path: "/api/console/alert-coverage", parts: (2 * slosOfHostile) / 500 - 2 },
  ],
  readPolicyReach: [{ method: "GET", path: "/api/console/policy-reach", parts: slosOfHostile / 500 - 2 }],
  listSloRows: [
    { method: "GET", path: "/api/console/rows", parts: slosOfHostile / 100 },
    { method: "GET", path: "/api/console/rows?part=urgent", parts: slosOfHostile / 100 },
  ],
  exportSloMetrics: [{ method: "GET", path: "/metrics/slos", parts: slosOfHostile / 50 }],
  backtestPolicy: [
    {
      method: "POST",
      path: "/api/slos/slo-0/backtest",
      headers: project,
      body: { definition: policy, from, to },
      parts: 360 / 10,
    },
  ],
  explainPolicy: [
    {
      method: "GET",
      path: `/api/slos/slo-0/explain?alertPolicy=fast&from=2026-01-30T11:00:00Z&to=${to}`,
      headers: project,
      // Each minute is evaluated, and then written.
      parts: 60 + 60,
    },
  ],
  // Of two objectives, in time windows of five lengths.
  proposeTargets: [{ method: "GET", path: "/api/slos/slo-0/proposals", headers: project, parts: 2 * 4 }],
  previewBudgetAdjustments: [
    {
      method: "POST",
      path: "/api/budget-adjustments/preview",
      body: times(definitionsMax, (index) => ({
        ...aBudgetAdjustment(`move-${index}`, "default"),
        spec: {
          reason: "Moved.",
          slos: [{ name: `slo-${index}`, project: "shop" }],
          period: { startTime: from, duration: "1h" },
          set: { good: 9, total: 10 },
        },
      })),
      parts: definitionsMax,
    },
  ],
  previewAlertMethod: [
    {
      method: "POST",
      path: "/api/alertmethods/preview",
      body: {
        ...anAlertMethod(),
        spec: {
          webhook: {
            url: "https://hooks.example.com/ops",
            template: `[${times(3_000, () => '"$alert_policy_name"').join(",")}]`,
          },
        },
      },
      parts: 1,
    },
  ],
  moveSlos: [
    {
      method: "POST",
      path: "/api/objects/v1/slos/move",
      body: {
        sloNames: times(slosOfHostile, (index) => `slo-${index}`),
        oldProject: "shop",
        newProject: "default",
      },
      parts: 1,
    },
  ],
  readReliability: [
    {
      method: "GET",
      path: `/api/console/reliability?${times(100, (index) => `slo=shop/slo-${index}`).join("&")}`,
      parts: 1,
    },
  ],
  readTrends: [
    {
      method: "GET",
      path: `/api/console/trends?${times(50, (index) => `slo=shop/slo-${index}`).join("&")}`,
      parts: 1,
    },
  ],
  recordCounts: [
    {
      method: "POST",
      path: "/api/slos/slo-0/counts",
      headers: project,
      body: times(5_000, (index) => ({
        objective: "good",
        at: new Date(Date.parse(to) - index * 60_000).toISOString(),
        good: 1,
        total: 2,
      })),
      // Parsed, and then decoded.
      parts: 80 + 49,
    },
  ],
  recordCountBatch: [
    { method: "POST", path: "/api/counts", body: times(100_000, () => 0), parts: 200 },
    {
      method: "POST",
      path: "/api/counts",
      body: times(5_000, (index) => ({
        project: "shop",
        slo: `slo-${index % 500}`,
        objective: "good",
        at: new Date(Date.parse(to) - index * 60_000).toISOString(),
        good: 1,
        total: 2,
      })),
      // Parsed, decoded, and compared with the SLOs.
      parts: 110 + 49 + 49,
    },
  ],
  exportMetrics: [
    {
      method: "POST",
      path: "/api/otlp/v1/metrics",
      body: {
        resourceMetrics: [
          { scopeMetrics: [{ metrics: times(10_000, (index) => ({ name: `m${index}`, sum: {} })) }] },
        ],
      },
      parts: 50 + 60,
    },
  ],
  receiveAlertmanager: [
    {
      method: "POST",
      path: "/api/alertmanager",
      body: {
        version: "4",
        alerts: times(100, (index) => ({
          status: "firing",
          labels: { tocsin_slo: `slo-${index}`, tocsin_project: "shop" },
          startsAt: "2026-01-30T11:00:00Z",
          fingerprint: `f${index}`,
        })),
      },
      parts: 100,
    },
  ],
  "PromQL: query_range": [
    {
      method: "GET",
      path: `/api/prometheus/api/v1/query_range?query=${encodeURIComponent("sum(tocsin_slo_objective_target)")}&start=${from}&end=${to}&step=60`,
      parts: slosOfHostile / 10,
    },
  ],
  "PromQL: query": [
    {
      method: "GET",
      path: `/api/prometheus/api/v1/query?query=${encodeURIComponent('{__name__=~"(?i)[B-\u{1E900}]"} or vector(1)')}`,
      // Rejected before the expression is compiled, which would take seconds.
      parts: 1,
    },
  ],
  "PromQL: series": [
    {
      method: "GET",
      path: `/api/prometheus/api/v1/series?match[]=${encodeURIComponent('{__name__=~".+"}')}`,
      // Of each SLO six metrics of two objectives, each of which counts as 100 of the 25,000 values of a part.
      parts: (slosOfHostile * 6 * 100) / 25_000,
    },
  ],
  "MCP: list_slos": [
    {
      method: "POST",
      path: "/api/mcp",
      headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_slos", arguments: {} } },
      parts: 2,
    },
  ],
}

const page = "a page of at most 500 entries"
const one = "one object"
const key = "the keys of an organization, of which there are few"
const sample = "one sample or query of a data source, whose response is bounded"

/** Why the work of an operation is bounded by itself, whatever is stored and sent; its body is decoded as that of every other. */
export const boundedOperations: Readonly<Record<string, string>> = {
  issueAccessToken: one,
  currentPublicKey: key,
  publicKeys: key,
  findPublicKey: key,
  publicJwks: key,
  listSlos: page,
  listSlosV1: page,
  findSlo: one,
  findSloV1: one,
  readSeries: "at most 10 in 1 s, of one SLO with at most 1,000 points",
  readForecast: one,
  backtestIndicator: "the evaluation of backtestPolicy over one day",
  listReports: page,
  createReport: "counts as 30 costly writes, with a pause after each objective",
  findReport: one,
  findReportSignature: one,
  generateReport:
    "counts by the SLOs before they are measured, at most 50 at a time, with a pause after each part",
  listReviews: page,
  createReview: "counts by the SLOs before they are measured, 20 at a time, with a pause after each",
  findReview: "counts as 10 costly reads, with a pause after 20 SLOs",
  findReviewSignature: one,
  findReviewNotes: one,
  writeReviewNotes: one,
  listReviewReminders: "counts as 10 costly reads, of at most 200 services, with a pause after each",
  listStatusPageSubscriptions: page,
  deleteStatusPageSubscription: one,
  deleteReview: one,
  listIncidents: page,
  createIncident: "at most 500 alerts, found in one read",
  findIncident: one,
  updateIncident: one,
  deleteIncident: one,
  addIncidentAlerts: "at most 500 alerts, found in one read",
  removeIncidentAlert: one,
  listIncidentEntries: page,
  addIncidentEntry: one,
  updateIncidentTask: one,
  findPostmortem: "counts as 30 costly reads, of at most 100 alerts, 25 SLOs and 100 deliveries",
  listAnnotations: page,
  createAnnotation: one,
  putAnnotation: one,
  deleteAnnotation: one,
  findIndicator: one,
  testIndicator: sample,
  startBackfill: one,
  findBackfill: one,
  cancelBackfill: one,
  resumeBackfill: one,
  listHeldAlerts: page,
  readEvidence: one,
  listRevisions: page,
  findRevision: one,
  listDeletedDefinitions: page,
  listBudgetChanges: page,
  testProposedAlertMethod: "one template of 64 KiB",
  testAlertMethod: one,
  findAlertMethodHealth: one,
  enableAlertMethod: one,
  pauseAlertMethod: one,
  resumeAlertMethod: one,
  listDataSources: page,
  findDataSource: one,
  testDataSource: sample,
  testProposedDataSource: sample,
  receiveAlert: one,
  acknowledgeAlert: one,
  listAlerts: page,
  previewSilence: one,
  listDeliveries: page,
  findDelivery: one,
  resendDelivery: one,
  listSigningKeys: key,
  createSigningKey: key,
  deleteSigningKey: key,
  rotateSigningKey: key,
  revokeSigningKey: key,
  listCredentials: key,
  createCredential: one,
  rotateCredential: one,
  disableCredential: one,
  deleteCredential: one,
  searchSlos: page,
  listConsoleAlertMethods: page,
  listConsoleSilences: page,
  findConsoleStatus: one,
  showDeliveryRequest: one,
  listMetricNames: sample,
  openSession: one,
  findSession: one,
  closeSession: one,
  openSessionByLink: one,
  resendDeliveries: "queued as one object",
  listResends: page,
  findResend: one,
  cancelResend: one,
  listWarnings: "one definition and what it refers to",
  listUnsupported: page,
}
