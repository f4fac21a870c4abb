import { alerts } from "@tocsin/api"
import { acknowledgeAlert, listHeldAlerts, readEvidence, receiveAlert } from "@tocsin/domain"
import * as Effect from "effect/Effect"
import { everyProject, projectOf } from "../frame/RequestParameters.ts"
import { serve } from "../serve/Serve.ts"
import { alertToDocument, listAlertDocuments, measuredGroup } from "./AlertDocuments.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { apiVersionOf } from "@tocsin/domain/kernel"

export const alertsRoutes = serve(alerts, {
  receiveAlert: ({ organization, "idempotency-key": idempotencyKey, body }) =>
    Effect.map(
      receiveAlert(organization, { idempotencyKey, body }),
      ({ isChanged, ...receipt }) => ({ status: isChanged ? 202 : 200, value: receipt }) as const,
    ),
  acknowledgeAlert: Effect.fnUntraced(function* ({ organization, caller, id, body }) {
    const alert = yield* acknowledgeAlert(organization, id, caller.clientId, body.note)
    const { vendorPrefix } = yield* DefinitionOptions
    return alertToDocument(alert, apiVersionOf(vendorPrefix))
  }),
  listAlerts: ({ organization }, request) => listAlertDocuments(organization, request),
  readEvidence: ({ organization, id }) =>
    Effect.map(readEvidence(organization, id), ({ alert, remeasured, isChanged, adjustments }) => ({
      triggeredAt: alert.triggeredAt,
      ...(alert.evidence !== undefined && { target: alert.evidence.target }),
      isChanged,
      adjustments: adjustments.map(({ metadata: { project, name }, spec: { reason } }) => ({
        project,
        name,
        ...(reason !== undefined && { reason }),
      })),
      conditionGroups: (alert.evidence?.groups ?? []).map((group, at) =>
        measuredGroup(group, ({ range, events, ...condition }, index) => {
          const now = remeasured?.[at]?.[index]
          return {
            ...condition,
            ...range,
            ...events,
            ...(now !== undefined && {
              now: { ...now.events, ...(now.value !== undefined && { value: now.value }) },
            }),
          }
        }),
      ),
    })),
  listHeldAlerts: ({ organization, slo }, request) => {
    const project = projectOf(request)
    return Effect.map(
      listHeldAlerts(organization, {
        ...(project !== everyProject && { project }),
        ...(slo && { name: slo }),
      }),
      ({ items: data, hasMore }) => ({ data, hasMore }),
    )
  },
})
