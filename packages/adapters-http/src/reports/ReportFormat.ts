import { reportFormats } from "@tocsin/api"
import { parseChoices } from "@tocsin/domain/pagination"
import * as Result from "effect/Result"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { acceptedMediaType } from "../documents/AcceptedFormat.ts"

export type ReportFormat = (typeof reportFormats)[number]

/** The format that a request asks for: with `format`, or else the header `Accept`; JSON by default. */
export const requestedFormat = (request: ApiRequest) =>
  Result.map(
    parseChoices("format", [request.query.get("format") ?? ""], reportFormats),
    (chosen): ReportFormat =>
      chosen?.[0] ??
      formatByType[acceptedMediaType(request.header("accept"), mediaTypes) ?? "application/json"],
  )

const mediaTypes = ["application/json", "text/csv", "text/html"] as const

const formatByType: Readonly<Record<(typeof mediaTypes)[number], ReportFormat>> = {
  "application/json": "json",
  "text/csv": "csv",
  "text/html": "html",
}
