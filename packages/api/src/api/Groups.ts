import { resourceGroup } from "../openapi/ResourceGroup.ts"
import accessExamples from "../access/examples.json" with { type: "json" }
import methodExamples from "../alert-methods/examples.json" with { type: "json" }
import annotationExamples from "../annotations/examples.json" with { type: "json" }
import backtestExamples from "../backtests/examples.json" with { type: "json" }
import adjustmentExamples from "../budget-adjustments/examples.json" with { type: "json" }
import consoleExamples from "../console/examples.json" with { type: "json" }
import sourceExamples from "../data-sources/examples.json" with { type: "json" }
import credentialExamples from "../credentials/examples.json" with { type: "json" }
import definitionExamples from "../definitions/examples.json" with { type: "json" }
import deliveryExamples from "../deliveries/examples.json" with { type: "json" }
import alertExamples from "../alerts/examples.json" with { type: "json" }
import incidentExamples from "../incidents/examples.json" with { type: "json" }
import reportExamples from "../reports/examples.json" with { type: "json" }
import reviewExamples from "../reports/review-examples.json" with { type: "json" }
import resendExamples from "../resends/examples.json" with { type: "json" }
import sessionExamples from "../session/examples.json" with { type: "json" }
import silenceExamples from "../silences/examples.json" with { type: "json" }
import subscriptionExamples from "../status-pages/examples.json" with { type: "json" }
import keyExamples from "../signing-keys/examples.json" with { type: "json" }
import historyExamples from "../history/examples.json" with { type: "json" }
import sloExamples from "../slos/examples.json" with { type: "json" }
import { resources } from "./Resources.ts"

/** What describes the resources in the OpenAPI document, with the examples that the tests send and check. */
export const groups = {
  accessTokens: resourceGroup("access", resources.accessTokens, accessExamples),
  alertMethods: resourceGroup("alertMethods", resources.alertMethods, methodExamples),
  annotations: resourceGroup("annotations", resources.annotations, annotationExamples),
  backtests: resourceGroup("backtests", resources.backtests, backtestExamples),
  budgetAdjustments: resourceGroup("budget adjustments", resources.budgetAdjustments, adjustmentExamples),
  consoleReads: resourceGroup("console", resources.consoleReads, consoleExamples),
  overviewReads: resourceGroup("overview", resources.overviewReads, consoleExamples),
  credentials: resourceGroup("credentials", resources.credentials, credentialExamples),
  dataSources: resourceGroup("dataSources", resources.dataSources, sourceExamples),
  definitions: resourceGroup("definitions", resources.definitions, definitionExamples),
  deliveries: resourceGroup("deliveries", resources.deliveries, deliveryExamples),
  alerts: resourceGroup("alerts", resources.alerts, alertExamples),
  counts: resourceGroup("counts", resources.counts, sloExamples),
  history: resourceGroup("history", resources.history, historyExamples),
  incidents: resourceGroup("incidents", resources.incidents, incidentExamples),
  indicators: resourceGroup("indicators", resources.indicators, sloExamples),
  backfills: resourceGroup("backfills", resources.backfills, sloExamples),
  sloMetrics: resourceGroup("sloMetrics", resources.sloMetrics, sloExamples),
  status: resourceGroup("status", resources.status, sloExamples),
  statusV1: resourceGroup("statusV1", resources.statusV1, sloExamples),
  organizationKeys: resourceGroup("signingKeys", resources.organizationKeys, keyExamples),
  publicKeys: resourceGroup("publicKey", resources.publicKeys, keyExamples),
  reports: resourceGroup("reports", resources.reports, reportExamples),
  resends: resourceGroup("resends", resources.resends, resendExamples),
  reviews: resourceGroup("reviews", resources.reviews, reviewExamples),
  session: resourceGroup("session", resources.session, sessionExamples),
  silences: resourceGroup("silences", resources.silences, silenceExamples),
  statusPageSubscriptions: resourceGroup(
    "statusPages",
    resources.statusPageSubscriptions,
    subscriptionExamples,
  ),
} satisfies Record<keyof typeof resources, unknown>
