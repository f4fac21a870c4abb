import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  endpoint,
  rateLimited,
  BearerAccess,
  OrganizationHeader,
  organizationErrors,
  Gone,
  NotFound,
  TooManyRequests,
  PageParams,
  pageSchema,
} from "@tocsin/api/openapi"
import * as Schema from "effect/Schema"
import { FindSloParams, SloNameParam, SloRecordSchema, SloRecordV1Schema } from "./StatusSchema.ts"
import * as examples from "./SloExamples.ts"
import { listSlosPerSecond } from "@tocsin/domain/rate-limit"

export const ProjectHeader = Schema.Struct({
  ...OrganizationHeader.fields,
  project: Schema.String.annotate({ description: "Project of the SLO" }),
})

export const StatusApi = HttpApiGroup.make("status")
  .add(
    endpoint.get("listSlos", "/api/v2/slos", {
      headers: OrganizationHeader,
      query: PageParams,
      success: pageSchema(SloRecordSchema, "SloPage"),
      error: [...organizationErrors, TooManyRequests],
      summary: "List SLOs",
      description: `Returns SLOs with their status, sorted by project and name. At most ${listSlosPerSecond} requests per second and organization.`,
      responseHeaders: rateLimited,
      isQueryOpen: true,
      example: examples.listSlos,
    }),
    endpoint.get("findSlo", "/api/v2/slos/:sloName", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      query: FindSloParams,
      success: SloRecordSchema,
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "Retrieve an SLO",
      description: "Returns an SLO with its status.",
      responseHeaders: rateLimited,
      isQueryOpen: true,
      example: examples.findSlo,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "SLOs")

export const StatusV1Api = HttpApiGroup.make("statusV1")
  .add(
    endpoint.get("listSlosV1", "/api/v1/slos", {
      headers: OrganizationHeader,
      query: PageParams,
      success: pageSchema(SloRecordV1Schema, "SloPageV1"),
      error: [...organizationErrors, Gone, TooManyRequests],
      summary: "List SLOs (deprecated)",
      description: "Use GET /api/v2/slos.",
      deprecated: true,
      responseHeaders: rateLimited,
      isQueryOpen: true,
      example: examples.listSlosV1,
    }),
    endpoint.get("findSloV1", "/api/v1/slos/:sloName", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      query: FindSloParams,
      success: SloRecordV1Schema,
      error: [...organizationErrors, NotFound, Gone, TooManyRequests],
      summary: "Retrieve an SLO (deprecated)",
      description: "Use GET /api/v2/slos/{sloName}.",
      deprecated: true,
      responseHeaders: rateLimited,
      isQueryOpen: true,
      example: examples.findSloV1,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "SLOs, version 1 (deprecated)")
