import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { operation, rateLimited } from "../frame/OpenApiDocument.ts"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { organizationErrors, Gone, NotFound, TooManyRequests } from "../frame/ErrorSchema.ts"
import {
  FindSloParams,
  SloNameParam,
  sloPageSchema,
  SloRecordSchema,
  SloRecordV1Schema,
} from "./StatusSchema.ts"
import { PageParams } from "../frame/ParameterSchema.ts"
import * as examples from "./SloExamples.ts"
import { listSlosPerSecond } from "@tocsin/domain/rate-limit/RateLimitPolicy"

/** The header that names the project of one SLO. */
export const ProjectHeader = Schema.Struct({
  ...OrganizationHeader.fields,
  project: Schema.String.annotate({ description: "Project of the SLO" }),
})

export const StatusApi = HttpApiGroup.make("status")
  .add(
    HttpApiEndpoint.get("listSlos", "/api/v2/slos", {
      headers: OrganizationHeader,
      query: PageParams,
      success: sloPageSchema(SloRecordSchema, "SloPage"),
      error: [...organizationErrors, TooManyRequests],
    }).annotateMerge(
      operation({
        summary: "List SLOs",
        description: `Returns SLOs with their status, sorted by project and name. At most ${listSlosPerSecond} requests per second and organization.`,
        headers: rateLimited,
        example: examples.listSlos,
      }),
    ),
  )
  .add(
    HttpApiEndpoint.get("findSlo", "/api/v2/slos/:sloName", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      query: FindSloParams,
      success: SloRecordSchema,
      error: [...organizationErrors, NotFound, TooManyRequests],
    }).annotateMerge(
      operation({
        summary: "Retrieve an SLO",
        description: "Returns an SLO with its status.",
        headers: rateLimited,
        example: examples.findSlo,
      }),
    ),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "SLOs")

export const StatusV1Api = HttpApiGroup.make("statusV1")
  .add(
    HttpApiEndpoint.get("listSlosV1", "/api/v1/slos", {
      headers: OrganizationHeader,
      query: PageParams,
      success: sloPageSchema(SloRecordV1Schema, "SloPageV1"),
      error: [...organizationErrors, Gone, TooManyRequests],
    }).annotateMerge(
      operation({
        summary: "List SLOs (deprecated)",
        description: "Use GET /api/v2/slos.",
        deprecated: true,
        headers: rateLimited,
        example: examples.listSlosV1,
      }),
    ),
  )
  .add(
    HttpApiEndpoint.get("findSloV1", "/api/v1/slos/:sloName", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      query: FindSloParams,
      success: SloRecordV1Schema,
      error: [...organizationErrors, NotFound, Gone, TooManyRequests],
    }).annotateMerge(
      operation({
        summary: "Retrieve an SLO (deprecated)",
        description: "Use GET /api/v2/slos/{sloName}.",
        deprecated: true,
        headers: rateLimited,
        example: examples.findSloV1,
      }),
    ),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "SLOs, version 1 (deprecated)")
