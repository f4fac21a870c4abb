import { consoleReads, type listedSilence } from "@tocsin/api"
import {
  countActiveAlerts,
  definitionToJson,
  listAlertMethods,
  listSilences,
  searchSlos,
  showRequest,
} from "@tocsin/domain"
import type { ListedSilence } from "@tocsin/domain/alerting"
import { listMetricNames } from "@tocsin/domain/features/data-source"
import { costly, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { healthOf } from "../alert-methods/AlertMethodsHandlers.ts"
import { ConsoleOptions, documentPath } from "../console-files/ConsoleFiles.ts"
import { deliveryOf } from "../deliveries/DeliveriesHandlers.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { filteredLinks, projectKeyOf } from "../frame/RequestParameters.ts"
import { serve } from "../serve/Serve.ts"
import { SloEncoder } from "../slos/SloJson.ts"

/** Units of costly requests for which a list of silences with their state counts: it expands recurrences. */
const silenceListUnits = 10

/** Units of costly requests for which the silences of one SLO count. */
const sloSilencesUnits = 2

export const consoleRoutes = serve(consoleReads, {
  searchSlos: Effect.fnUntraced(function* ({ organization, page, project, service, search }, request) {
    const { items, ...listed } = yield* searchSlos(organization, { ...page, project, service, search })
    const links = filteredLinks(request, "/api/console/slos", ["project", "service", "search"], listed)
    return jsonResponse(200, (yield* SloEncoder).page(organization, items, "v2", links))
  }),
  listConsoleAlertMethods: Effect.fnUntraced(function* ({ organization, page, project }) {
    const { alertMethods, ...listed } = yield* listAlertMethods(organization, { ...page, project })
    const { vendorPrefix } = yield* DefinitionOptions
    const items = alertMethods.map(({ definition, state, health, latestDelivery }) => ({
      definition: definitionToJson(definition, vendorPrefix),
      state,
      health: healthOf(health),
      ...(latestDelivery !== undefined && { latestDelivery: deliveryOf(latestDelivery) }),
    }))
    return { ...listed, items }
  }),
  listConsoleSilences: ({ organization, page, project, name, slo }) =>
    listSilences(organization, { ...page, project, name, slo }).pipe(
      costly(organization, costlyReadsPolicy, slo ? sloSilencesUnits : silenceListUnits),
      Effect.map(({ items, ...listed }) => ({ ...listed, items: items.map(silenceOf) })),
    ),
  findConsoleStatus: Effect.fnUntraced(function* ({ organization }) {
    const version = (yield* ConsoleOptions).files?.get(documentPath)?.hash
    const activeAlerts = yield* countActiveAlerts(organization)
    return { activeAlerts, ...(version !== undefined && { version }) }
  }),
  showDeliveryRequest: ({ organization, id }) =>
    Effect.flatMap(ApiOptions, (options) => showRequest(organization, id, options)),
  listMetricNames: ({ organization, project, name, label, metric, search }) =>
    listMetricNames(organization, projectKeyOf({ project, name }), { label, metric, search }),
})

const silenceOf = ({
  definition: { metadata, spec },
  state: { status, startsAt, endsAt },
}: ListedSilence): typeof listedSilence.Type => ({
  project: metadata.project,
  name: metadata.name,
  ...(metadata.displayName !== undefined && { displayName: metadata.displayName }),
  ...(spec.alertPolicy !== undefined && { alertPolicy: spec.alertPolicy }),
  isRecurring: spec.recurrence !== undefined,
  state: status,
  ...(startsAt !== undefined && { startTime: startsAt }),
  ...(endsAt !== undefined && { endTime: endsAt }),
})
