import { listSilences } from "@tocsin/domain"
import type { ListedSilence } from "@tocsin/domain/alerting"
import * as Effect from "effect/Effect"
import { accessOf } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { costly, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import { filteredLinks, queryOf } from "../frame/RequestParameters.ts"
import { timeText } from "../frame/TimeText.ts"

/** Units of costly requests for which a list of silences with their state counts: it expands recurrences. */
const silenceListUnits = 10

/** Units of costly requests for which the silences of one SLO count. */
const sloSilencesUnits = 2

export const listConsoleSilences = Effect.fnUntraced(function* (request: ApiRequest) {
  const { organization } = yield* accessOf(request)
  const query = queryOf(request, ["limit", "cursor", "project", "name", "slo"])
  const { items, ...page } = yield* listSilences(organization, query).pipe(
    costly(organization, costlyReadsPolicy, query.slo ? sloSilencesUnits : silenceListUnits),
  )
  const links = filteredLinks(request, "/api/console/silences", ["project", "name", "slo"], page)
  return jsonResponse(200, JSON.stringify({ data: items.map(silenceToJson), links }))
})

const silenceToJson = ({ definition: { metadata, spec }, state }: ListedSilence): object => ({
  project: metadata.project,
  name: metadata.name,
  ...(metadata.displayName !== undefined && { displayName: metadata.displayName }),
  ...(spec.alertPolicy !== undefined && { alertPolicy: spec.alertPolicy }),
  isRecurring: spec.recurrence !== undefined,
  state: state.status,
  ...(state.startsAt !== undefined && { startTime: timeText(state.startsAt) }),
  ...(state.endsAt !== undefined && { endTime: timeText(state.endsAt) }),
})
