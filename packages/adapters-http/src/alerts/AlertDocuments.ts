import type { Alert } from "@tocsin/domain/internal/alerting/Alert"
import { listAlerts } from "@tocsin/domain/internal/alerting/ListAlerts"
import { DefinitionsAreInvalid } from "@tocsin/domain/internal/definition/ApplyDefinitions"
import { apiVersionOf } from "@tocsin/domain/internal/metadata/Envelope"
import type { OrganizationId } from "@tocsin/domain/internal/metadata/ObjectKey"
import { labelsMatch } from "@tocsin/domain/internal/metadata/LabelFilter"
import * as Effect from "effect/Effect"
import { listResponse, streamedListResponse } from "../documents/ListResponse.ts"
import { acceptedFormat, type DocumentFormat, yamlFormat } from "../documents/WriteDocuments.ts"
import { costly, costlyListUnits, costlyReadsPolicy } from "../frame/CostlyRequests.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { timeText } from "../frame/TimeText.ts"
import {
  everyProject,
  filteredLinks,
  labelsOf,
  onlyKnownQuery,
  projectOf,
  queryOf,
} from "../frame/RequestParameters.ts"

export const isAlertKind = (kind: string): boolean => /^alerts?$/i.test(kind)

/** Lists alerts as JSON or YAML: one page with `limit` or `cursor`, otherwise all. Alerts have no labels. */
export const listAlertDocuments = (organization: OrganizationId, request: ApiRequest) => {
  const format = acceptedFormat(request.header("accept"))
  const response = listIn(format, organization, request)
  return format === yamlFormat ? costly(organization, costlyReadsPolicy, costlyListUnits)(response) : response
}

const listIn = Effect.fnUntraced(function* (
  format: DocumentFormat,
  organization: OrganizationId,
  request: ApiRequest,
) {
  yield* onlyKnownQuery(request, [...filterNames, "labels", "limit", "cursor"])
  const { vendorPrefix } = yield* DefinitionOptions
  const apiVersion = apiVersionOf(vendorPrefix)
  const labels = yield* labelsOf(request)
  const { query } = request
  const project = projectOf(request)
  const filter = {
    project: project === everyProject ? undefined : project,
    names: query.getAll("name"),
    slos: query.getAll("slo"),
    objectives: query.getAll("objective"),
    alertPolicies: [...query.getAll("alertPolicy"), ...query.getAll("alert_policy")],
    states: [...query.getAll("state"), ...(yield* statesOf(request))],
    ...queryOf(request, ["from", "to", "order"]),
  }
  const readPage = (page: { readonly limit?: string; readonly cursor: string }) =>
    Effect.map(listAlerts(organization, filter, page), ({ items, ...position }) => ({
      ...position,
      documents: items.map((alert) => alertToDocument(alert, apiVersion)),
    }))
  const limit = query.get("limit") ?? ""
  const cursor = query.get("cursor") ?? ""
  const first = yield* readPage({ limit, cursor })
  if (!labelsMatch(undefined, labels)) return yield* listResponse(format, [])
  if (limit === "" && cursor === "") {
    return yield* streamedListResponse(format, first, (next) => readPage({ cursor: next }), request.traceId)
  }
  const response = yield* listResponse(format, first.documents)
  const { next } = filteredLinks(request, "/api/get/alert", filterNames, first)
  return next === undefined
    ? response
    : { ...response, headers: { ...response.headers, link: `<${next}>; rel="next"` } }
})

/** `alert_policy`, `resolved` and `triggered` are the spelling of the service's public clients. */
const filterNames = [
  "name",
  "slo",
  "objective",
  "alertPolicy",
  "alert_policy",
  "state",
  "resolved",
  "triggered",
  "from",
  "to",
  "order",
]

/** The states that `triggered` and `resolved` stand for, each `true` or `false`; both false are no filter. */
const statesOf = Effect.fnUntraced(function* (request: ApiRequest) {
  const states: Array<string> = []
  for (const [name, wanted] of [
    ["triggered", ["triggered"]],
    ["resolved", ["resolved", "canceled"]],
  ] as const) {
    const value = request.query.get(name) ?? ""
    if (value === "true") states.push(...wanted)
    else if (value !== "false" && value !== "") {
      const issue = { path: name, code: "not_allowed_value", message: "must be true or false" } as const
      return yield* new DefinitionsAreInvalid({ issues: [issue] })
    }
  }
  return states
})

/** The alert as the API and the command line show it. */
export const alertToDocument = (alert: Alert, apiVersion: string): object => {
  const { slo, objective, alertPolicy } = alert.subject
  return {
    apiVersion,
    kind: "Alert",
    metadata: { name: alert.id, project: slo.project },
    spec: {
      status: alert.status,
      ...(alert.reason !== undefined && { reason: alert.reason }),
      slo,
      ...(objective !== undefined && { objective: { name: objective } }),
      ...(alertPolicy !== undefined && { alertPolicy }),
      ...(alert.anomaly !== undefined && { anomaly: alert.anomaly }),
      ...(alert.severity !== undefined && { severity: alert.severity }),
      conditions: alert.conditions,
      alertMethods: alert.alertMethods,
      ...(alert.acknowledgement !== undefined && {
        acknowledgement: { by: alert.acknowledgement.by, at: timeText(alert.acknowledgement.at) },
      }),
      ...(alert.isSilenced === true && { isSilenced: true }),
      triggeredAt: timeText(alert.triggeredAt),
      ...(alert.triggeredMetricAt !== undefined && { triggeredMetricAt: timeText(alert.triggeredMetricAt) }),
      ...(alert.resolvedAt !== undefined && { resolvedAt: timeText(alert.resolvedAt) }),
      ...(alert.resolvedMetricAt !== undefined && { resolvedMetricAt: timeText(alert.resolvedMetricAt) }),
    },
  }
}
