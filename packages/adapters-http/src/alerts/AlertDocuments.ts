import { type AlertDocument, alertStatusNames, resolutionReasons } from "@tocsin/api"
import { DefinitionsAreInvalid, listAlerts } from "@tocsin/domain"
import type { Alert, AlertEvidence } from "@tocsin/domain/alerting"
import { apiVersionOf, labelsMatch, type OrganizationId, type ProjectKey } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { listResponse } from "../documents/ListResponse.ts"
import { type DocumentFormat, yamlFormat } from "@tocsin/formats/documents"
import { acceptedFormat } from "../documents/AcceptedFormat.ts"
import { costly, costlyListUnits, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { addHeaders } from "../frame/ApiResponse.ts"
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

/** Says how many alerts there are in a list that has not all of them. */
const truncatedHeader = "truncated-limit-max"

/**
 * Lists alerts as JSON or YAML, those that triggered last first: one page with `limit` or `cursor`, otherwise at most
 * `alertsPerListMax`. Alerts have no labels.
 */
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
  const { vendorPrefix, clientForm } = yield* DefinitionOptions
  const others = clientForm?.alertFilters
  const known = [...filterNames, ...(others?.names ?? [])]
  yield* onlyKnownQuery(request, [...known, "labels", "limit", "cursor"])
  const apiVersion = apiVersionOf(vendorPrefix)
  const labels = yield* labelsOf(request)
  const { query } = request
  const selected = others?.read(query)
  if (selected !== undefined && Result.isFailure(selected))
    return yield* new DefinitionsAreInvalid({ issues: [selected.failure] })
  const { alertPolicies, statuses } = selected?.success ?? { alertPolicies: [], statuses: [] }
  const project = projectOf(request)
  const filter = {
    project: project === everyProject ? undefined : project,
    names: query.getAll("name"),
    slos: query.getAll("slo"),
    objectives: query.getAll("objective"),
    objectiveValues: query.getAll("objective_value"),
    services: query.getAll("service_name"),
    alertPolicies: [...query.getAll("alertPolicy"), ...alertPolicies],
    statuses: [...query.getAll("status"), ...statuses],
    severities: query.getAll("severity"),
    ...queryOf(request, ["from", "to"]),
  }
  const limit = query.get("limit") ?? ""
  const cursor = query.get("cursor") ?? ""
  const first = yield* listAlerts(organization, filter, { limit, cursor })
  if (!labelsMatch(undefined, labels)) return yield* listResponse(format, [])
  const isWhole = limit === "" && cursor === ""
  const rest =
    isWhole && first.next !== undefined
      ? yield* listAlerts(organization, filter, { cursor: first.next })
      : { items: [], next: first.next }
  const alerts = [...first.items, ...rest.items]
  const response = yield* listResponse(
    format,
    alerts.map((alert) => alertToDocument(alert, apiVersion)),
  )
  const { next } = filteredLinks(request, "/api/get/alert", known, { ...first, next: rest.next })
  if (next === undefined) return response
  return addHeaders(response, {
    link: `<${next}>; rel="next"`,
    ...(isWhole && { [truncatedHeader]: `${alerts.length}` }),
  })
})

const filterNames = [
  "name",
  "slo",
  "objective",
  "objective_value",
  "service_name",
  "alertPolicy",
  "severity",
  "status",
  "from",
  "to",
]

/** The alert as the API and the command line show it. */
export const alertToDocument = (alert: Alert, apiVersion: string): AlertDocument => {
  const { subject, displayNames = {}, service } = alert
  const { slo, objective, alertPolicy } = subject
  return {
    apiVersion,
    kind: "Alert",
    metadata: { name: alert.id, project: slo.project },
    spec: {
      ...(alertPolicy !== undefined && {
        alertPolicy: withDisplayName(alertPolicy, displayNames.alertPolicy),
      }),
      slo: withDisplayName(slo, displayNames.slo),
      ...(service !== undefined && {
        service: withDisplayName({ name: service, project: slo.project }, displayNames.service),
      }),
      ...(objective !== undefined && {
        objective: {
          name: objective,
          ...(displayNames.objective !== undefined && { displayName: displayNames.objective }),
          ...(alert.objectiveValue !== undefined && { value: alert.objectiveValue }),
        },
      }),
      ...(alert.severity !== undefined && { severity: alert.severity }),
      status: alertStatusNames[alert.status],
      ...(alert.triggeredMetricAt !== undefined && {
        triggeredMetricTime: timeText(alert.triggeredMetricAt),
      }),
      triggeredClockTime: timeText(alert.triggeredAt),
      ...(alert.resolvedMetricAt !== undefined && { resolvedMetricTime: timeText(alert.resolvedMetricAt) }),
      ...(alert.resolvedAt !== undefined && { resolvedClockTime: timeText(alert.resolvedAt) }),
      ...(alert.status !== "triggered" && {
        resolutionReason: resolutionReasons[alert.reason ?? "resolved"],
      }),
      ...(alert.coolDown !== undefined && { coolDown: alert.coolDown }),
      conditions: conditionsOf(alert),
      conditionTexts: alert.conditions,
      ...(alert.evidence !== undefined && { evidence: evidenceToDocument(alert.evidence) }),
      ...(alert.anomaly !== undefined && { anomaly: alert.anomaly }),
      alertMethods: alert.alertMethods,
      ...(alert.acknowledgement !== undefined && {
        acknowledgement: { ...alert.acknowledgement, at: timeText(alert.acknowledgement.at) },
      }),
      ...(alert.isSilenced === true && { isSilenced: true }),
    },
  }
}

const evidenceToDocument = ({ target, groups }: AlertEvidence) => ({
  target,
  conditionGroups: groups.map((group) =>
    measuredGroup(group, ({ range: { from, to }, events, ...condition }) => ({
      ...condition,
      ...events,
      from: timeText(from),
      to: timeText(to),
    })),
  ),
})

/** A group of conditions: all of them must be met. */
export const measuredGroup = <C extends { readonly isMet: boolean }, D>(
  conditions: ReadonlyArray<C>,
  toDocument: (condition: C, index: number) => D,
) => ({ isMet: conditions.every(({ isMet }) => isMet), conditions: conditions.map(toDocument) })

const withDisplayName = ({ name, project }: ProjectKey, displayName: string | undefined) => ({
  name,
  ...(displayName !== undefined && { displayName }),
  project,
})

/** A condition that has lasted has its times: since when it was met, and when it had lasted. */
const conditionsOf = ({ policyConditions = [], triggeredMetricAt, triggeredAt }: Alert) =>
  policyConditions.map(({ metSince, ...condition }) => ({
    ...condition,
    ...(metSince !== undefined && {
      status: {
        firstMetMetricTime: timeText(metSince),
        lastsForMetMetricTime: timeText(triggeredMetricAt ?? triggeredAt),
      },
    }),
  }))
