import { recordCountBatch } from "@tocsin/domain/slo/RecordCountBatch"
import { recordCounts } from "@tocsin/domain/slo/RecordCounts"
import { Effect } from "effect"
import { emptyAnswer } from "./ApiAnswer.ts"
import type { ApiRequest } from "./ApiRequest.ts"
import { routesOf } from "./ApiRouter.ts"
import { CountsApi } from "./CountsApi.ts"
import { accessWithRole } from "./RequestAccess.ts"
import { readJson } from "./RequestBody.ts"

/** Answers `POST /api/slos/{name}/counts` and `POST /api/counts`. Source: decisions 0603 and 0608. */
export const countsRoutes = routesOf(CountsApi, {
  recordCounts: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    const body = yield* readJson(request)
    const project = request.header("project")
    const name = request.pathParams["sloName"] ?? ""
    yield* recordCounts(organization, { name, body, ...(project !== undefined && { project }) })
    return emptyAnswer(204)
  }),
  recordCountBatch: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessWithRole(request, "editor")
    yield* recordCountBatch(organization, yield* readJson(request))
    return emptyAnswer(204)
  }),
})
