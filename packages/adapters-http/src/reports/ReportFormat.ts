import type { reportFormats } from "@tocsin/api"
import { parseChoices } from "@tocsin/domain/pagination"
import * as Result from "effect/Result"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { acceptedMediaType } from "../documents/AcceptedFormat.ts"

export type ReportFormat = (typeof reportFormats)[number]

/** The format that a request asks for: with `format`, or else the header `Accept`; JSON by default. */
export const requestedFormat = <F extends ReportFormat>(
  request: ApiRequest,
  formats: ReadonlyArray<F | "json">,
) =>
  Result.map(parseChoices("format", [request.query.get("format") ?? ""], formats), (chosen): F | "json" => {
    const types = formats.map((format) => mediaTypes[format])
    const accepted = acceptedMediaType(request.header("accept"), types)
    return chosen?.[0] ?? formats.find((format) => mediaTypes[format] === accepted) ?? "json"
  })

const mediaTypes: Readonly<Record<ReportFormat, string>> = {
  json: "application/json",
  csv: "text/csv",
  html: "text/html",
}
