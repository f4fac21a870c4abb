import { requireRole } from "@tocsin/domain/internal/access/Access"
import { recordMetrics } from "@tocsin/domain/internal/otlp/RecordMetrics"
import * as Data from "effect/Data"
import type { Issue } from "@tocsin/domain/internal/codec/Issue"
import * as Effect from "effect/Effect"
import { clientAccessOf } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { type ApiResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { readBytes, readJson } from "../frame/RequestBody.ts"
import { OtlpApi } from "./OtlpApi.ts"
import { readProtobufRequest, writeProtobufResponse } from "./OtlpProtobuf.ts"
import { readMetrics } from "./ReadMetrics.ts"

/** Largest request with metrics, in bytes, before and after decompression. */
export const metricsRequestMaxBytes = 2 * 1024 * 1024

/** The request has not the form of an `ExportMetricsServiceRequest`. */
export class MetricsAreInvalid extends Data.TaggedError("MetricsAreInvalid")<{
  readonly issues: ReadonlyArray<Issue>
}> {}

export const otlpRoutes = routesOf(OtlpApi, {
  exportMetrics: Effect.fnUntraced(function* (request: ApiRequest) {
    const access = yield* clientAccessOf(request)
    yield* requireRole(access, "editor")
    const isProtobuf = request.header("content-type")?.split(";")[0]?.trim().toLowerCase() === protobuf
    const body = yield* isProtobuf
      ? readProtobuf(request)
      : readJson(request, metricsRequestMaxBytes, ["gzip"])
    const metrics = yield* Effect.mapError(
      Effect.fromResult(readMetrics(body)),
      (issues) => new MetricsAreInvalid({ issues }),
    )
    const { rejectedPoints, message } = yield* recordMetrics(access.organization, metrics)
    if (!isProtobuf) {
      const partialSuccess = { rejectedDataPoints: String(rejectedPoints), errorMessage: message }
      return jsonResponse(200, JSON.stringify(message === undefined ? {} : { partialSuccess }))
    }
    const response: ApiResponse = {
      status: 200,
      headers: { "content-type": protobuf },
      body: writeProtobufResponse(rejectedPoints, message),
    }
    return response
  }),
})

const protobuf = "application/x-protobuf"

const readProtobuf = (request: ApiRequest) =>
  Effect.flatMap(readBytes(request, [protobuf], metricsRequestMaxBytes, ["gzip"]), ({ bytes }) =>
    Effect.try({
      try: () => readProtobufRequest(bytes),
      catch: () =>
        new MetricsAreInvalid({
          issues: [
            {
              path: "",
              code: "document_invalid",
              message: "is not an ExportMetricsServiceRequest in protobuf",
            },
          ],
        }),
    }),
  )
