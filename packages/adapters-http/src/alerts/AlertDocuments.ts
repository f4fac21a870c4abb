import type { Alert } from "@tocsin/domain/alerting/Alert"
import { listAlerts } from "@tocsin/domain/alerting/ListAlerts"
import { apiVersionOf } from "@tocsin/domain/metadata/Envelope"
import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import { labelsMatch } from "@tocsin/domain/metadata/LabelFilter"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { acceptedFormat } from "../documents/WriteDocuments.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { timeText } from "../frame/TimeText.ts"
import { everyProject, filteredLinks, labelsOf, projectOf, queryOf } from "../frame/RequestParameters.ts"

export const isAlertKind = (kind: string): boolean => /^alerts?$/i.test(kind)

/** Lists alerts as JSON or YAML: one page with `limit` or `cursor`, otherwise all. Alerts have no labels. */
export const answerAlerts = (organization: OrganizationId, request: ApiRequest) =>
  Effect.gen(function* () {
    const { vendorPrefix } = yield* DefinitionOptions
    const format = acceptedFormat(request.header("accept"))
    const apiVersion = apiVersionOf(vendorPrefix)
    const partOf = (alerts: ReadonlyArray<Alert>, isFirst: boolean): string =>
      format.part(
        alerts.map((alert) => alertToDocument(alert, apiVersion)),
        isFirst,
      )
    const labels = yield* labelsOf(request)
    const { query } = request
    const project = projectOf(request)
    const wanted = {
      project: project === everyProject ? undefined : project,
      names: query.getAll("name"),
      slos: query.getAll("slo"),
      objectives: query.getAll("objective"),
      alertPolicies: query.getAll("alertPolicy"),
      states: query.getAll("state"),
      ...queryOf(request, ["from", "to", "order"]),
    }
    const asked = { limit: query.get("limit") ?? "", cursor: query.get("cursor") ?? "" }
    const headers = { "content-type": format.contentType, vary: "accept" }
    const { items: alerts, limit, next } = yield* listAlerts(organization, wanted, asked)
    if (!labelsMatch(undefined, labels))
      return { status: 200, headers, body: partOf([], true) + format.end(true) }
    const body = partOf(alerts, true)
    if (next === undefined) return { status: 200, headers, body: body + format.end(alerts.length === 0) }
    if (asked.limit !== "" || asked.cursor !== "") {
      const { next: link = "" } = filteredLinks(request, "/api/get/alert", filterNames, { limit, next })
      return {
        status: 200,
        headers: { ...headers, link: `<${link}>; rel="next"` },
        body: body + format.end(false),
      }
    }

    const rest = Stream.paginate(next, (cursor: string) =>
      Effect.map(
        listAlerts(organization, wanted, { cursor }),
        (page) => [[partOf(page.items, false)], Option.fromNullishOr(page.next)] as const,
      ),
    ).pipe(
      Stream.concat(Stream.sync(() => format.end(false))),
      Stream.tapCause((cause) =>
        Effect.annotateLogs(Effect.logWarning("Response aborted while streaming a list", cause), {
          traceId: request.traceId,
        }),
      ),
    )
    return { status: 200, headers, body, rest: yield* Stream.toAsyncIterableEffect(rest) }
  })

const filterNames = ["name", "slo", "objective", "alertPolicy", "state", "from", "to", "order"]

const alertToDocument = (alert: Alert, apiVersion: string): object => {
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
      ...(alert.isSilenced === true && { isSilenced: true }),
      triggeredAt: timeText(alert.triggeredAt),
      ...(alert.triggeredMetricAt !== undefined && { triggeredMetricAt: timeText(alert.triggeredMetricAt) }),
      ...(alert.resolvedAt !== undefined && { resolvedAt: timeText(alert.resolvedAt) }),
      ...(alert.resolvedMetricAt !== undefined && { resolvedMetricAt: timeText(alert.resolvedMetricAt) }),
    },
  }
}
