import type { Alert } from "@tocsin/domain/alerting/Alert"
import { AlertStore } from "@tocsin/domain/alerting/AlertStore"
import { apiVersionOf } from "@tocsin/domain/definition/DecodeDefinition"
import type { Labels, OrganizationId } from "@tocsin/domain/definition/Definition"
import { labelsMatch } from "@tocsin/domain/definition/LabelFilter"
import { Limits } from "@tocsin/domain/Limits"
import { Effect } from "effect"
import { acceptedFormat, writeDocuments } from "../definition-documents/WriteDocuments.ts"
import type { ApiRequest } from "./ApiRequest.ts"
import { DefinitionOptions } from "./DefinitionOptions.ts"
import { timeText } from "./DeliveryJson.ts"

/** Whether a kind in a path means alerts, which are read only: in any letter case, singular or plural. */
export const isAlertKind = (kind: string): boolean => /^alerts?$/i.test(kind)

/**
 * Answers the alerts of a project (absent: of all), as documents in JSON or YAML; by ID. Alerts have no labels, so that
 * a filter lets none through.
 *
 * Source: decision 0600.
 */
export const answerAlerts = (
  organization: OrganizationId,
  request: ApiRequest,
  query: { readonly project?: string; readonly names?: ReadonlyArray<string>; readonly labels: Labels },
) =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const { vendorPrefix } = yield* DefinitionOptions
    const wanted = {
      ...(query.project !== undefined && { project: query.project }),
      ...(query.names !== undefined && { ids: query.names }),
    }
    const alerts: Array<Alert> = []
    for (let hasMore = labelsMatch(undefined, query.labels); hasMore;) {
      const after = alerts.at(-1)?.id
      const page = yield* store.list(organization, wanted, {
        limit: Limits.pageSizeMax,
        ...(after !== undefined && { after }),
      })
      alerts.push(...page.items)
      hasMore = page.hasMore
    }
    const format = acceptedFormat(request.header("accept"))
    const apiVersion = apiVersionOf(vendorPrefix)
    return {
      status: 200,
      headers: { "content-type": format.contentType, vary: "accept" },
      body: writeDocuments(
        format,
        alerts.map((alert) => alertToDocument(alert, apiVersion)),
      ),
    }
  })

const alertToDocument = (alert: Alert, apiVersion: string): object => {
  const { slo, objective, alertPolicy } = alert.subject
  return {
    apiVersion,
    kind: "Alert",
    metadata: { name: alert.id, project: slo.project },
    spec: {
      status: alert.status,
      slo,
      ...(objective !== undefined && { objective: { name: objective } }),
      ...(alertPolicy !== undefined && { alertPolicy }),
      ...(alert.severity !== undefined && { severity: alert.severity }),
      conditions: alert.conditions,
      alertMethods: alert.alertMethods,
      triggeredAt: timeText(alert.triggeredAt),
      ...(alert.resolvedAt !== undefined && { resolvedAt: timeText(alert.resolvedAt) }),
    },
  }
}
