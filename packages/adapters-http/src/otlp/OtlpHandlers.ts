import { MetricsAreInvalid, recordMetrics, workFor } from "@tocsin/domain"
import { inParts } from "@tocsin/domain/adapter"
import { enforceCountsQuota } from "@tocsin/domain/limits"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { type ApiResponse, jsonResponse } from "../frame/ApiResponse.ts"
import { serve } from "../serve/Serve.ts"
import { asLargeBody, readBytes, readJson } from "../frame/RequestBody.ts"
import { otlp } from "./Otlp.ts"
import { readMetrics, readProtobufMetrics, writeProtobufResponse } from "@tocsin/formats/otlp"

const metricsCodings = ["gzip", "deflate"] as const

/** Largest request with metrics, in bytes, before and after decompression. */
const metricsRequestMaxBytes = 2 * 1024 * 1024

export const otlpRoutes = serve(otlp, {
  exportMetrics: Effect.fnUntraced(function* ({ organization }, request) {
    // Before anything is decoded, so that requests that are rejected count too.
    yield* enforceCountsQuota(organization)
    const isProtobuf = request.header("content-type")?.split(";")[0]?.trim().toLowerCase() === protobuf
    const decoded = yield* isProtobuf
      ? readProtobuf(request)
      : Effect.flatMap(readJson(request, metricsRequestMaxBytes, metricsCodings), (body) =>
          inParts(() => readMetrics(body)),
        ).pipe(workFor(organization))
    if (Result.isFailure(decoded)) return yield* new MetricsAreInvalid({ issues: decoded.failure })
    const { rejectedPoints, message } = yield* recordMetrics(organization, decoded.success).pipe(
      workFor(organization),
    )
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

const readProtobuf = Effect.fnUntraced(function* (request: ApiRequest) {
  const { bytes } = yield* readBytes(request, [protobuf], metricsRequestMaxBytes, metricsCodings)
  return yield* inParts(() => readProtobufMetrics(bytes)).pipe(asLargeBody(request, bytes.length))
})
