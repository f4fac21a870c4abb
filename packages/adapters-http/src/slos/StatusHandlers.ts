import { status, statusV1 } from "@tocsin/api"
import { findSlo, listSlos } from "@tocsin/domain"
import { pageLinks, type PageQuery } from "@tocsin/domain/pagination"
import { enforceRateLimit } from "@tocsin/domain/ports"
import { consolePolicy, findSloPolicy, listSlosPolicy, listSlosV1Policy } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { ApiOptions } from "../frame/ApiOptions.ts"
import { rateLimitHeaders } from "../frame/RateLimitHeaders.ts"
import type { RequestAccess } from "../access/RequestAccess.ts"
import { type ApiVersion, SloEncoder } from "./SloJson.ts"
import { serve } from "../serve/Serve.ts"

const listSlosOf = (version: ApiVersion) => {
  const policy = version === "v2" ? listSlosPolicy : listSlosV1Policy
  const list = `${version}/slos`
  return Effect.fnUntraced(function* ({ organization, caller, page }: Asked & { readonly page: PageQuery }) {
    const rateLimit = yield* enforceRateLimit(organization, caller.isSession ? consolePolicy(policy) : policy)
    const { items, limit, next } = yield* listSlos(organization, { list, ...page })
    const links = pageLinks(`/api/${list}`, limit, page.cursor ?? "", next)
    const encoder = yield* SloEncoder
    return jsonResponse(200, encoder.page(organization, items, version, links), rateLimitHeaders(rateLimit))
  })
}

interface Asked extends Pick<RequestAccess, "organization"> {
  readonly caller: RequestAccess
}

/** What is asked for of one SLO. */
interface OneAsked extends Asked {
  readonly sloName: string
  readonly project?: string
  readonly fields?: string
  readonly from?: string
  readonly to?: string
}

/** The most frequent request: without generators. */
const findSloOf =
  (version: ApiVersion) =>
  ({ organization, caller, sloName: name, project = "", fields, from, to }: OneAsked) =>
    Effect.withFiber((fiber) => {
      const policy = findSloPolicy(fiber.getRef(ApiOptions).findSloPerSecond)
      return Effect.flatMap(
        enforceRateLimit(organization, caller.isSession ? consolePolicy(policy) : policy),
        (rateLimit) =>
          Effect.map(findSlo(organization, { name, project, fields, from, to }), (found) =>
            jsonResponse(200, fiber.getRef(SloEncoder).slo(found, version), rateLimitHeaders(rateLimit)),
          ),
      )
    })

export const statusRoutes = serve(status, { listSlos: listSlosOf("v2"), findSlo: findSloOf("v2") })

export const statusV1Routes = serve(statusV1, { listSlosV1: listSlosOf("v1"), findSloV1: findSloOf("v1") })
