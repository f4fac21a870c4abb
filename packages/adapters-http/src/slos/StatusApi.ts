import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { withContent } from "../frame/OpenApiDocument.ts"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { organizationErrors, Gone, NotFound, TooManyRequests } from "../frame/ErrorSchema.ts"
import {
  FindSloParams,
  ListSlosParams,
  SloNameParam,
  sloPageSchema,
  SloRecordSchema,
  SloRecordV1Schema,
} from "./StatusSchema.ts"
import { listSlosPerSecond } from "@tocsin/domain/rate-limit/RateLimitPolicy"

/** The header that names the project of one SLO. */
export const ProjectHeader = Schema.Struct({
  ...OrganizationHeader.fields,
  project: Schema.String.annotate({ description: "The project that the SLO is of" }),
})

export const StatusApi = HttpApiGroup.make("status")
  .add(
    HttpApiEndpoint.get("listSlos", "/api/v2/slos", {
      headers: OrganizationHeader,
      query: ListSlosParams,
      success: sloPageSchema(SloRecordSchema, "SloPage"),
      error: [...organizationErrors, TooManyRequests],
    })
      .annotateMerge(withContent({ headers: ["RateLimit", "RateLimit-Policy"] }))
      .annotate(OpenApi.Summary, "List SLOs")
      .annotate(
        OpenApi.Description,
        `By project, then name. While links.next is there, more exist. At most ${listSlosPerSecond} requests a second per organization.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("findSlo", "/api/v2/slos/:sloName", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      query: FindSloParams,
      success: SloRecordSchema,
      error: [...organizationErrors, NotFound, TooManyRequests],
    })
      .annotateMerge(withContent({ headers: ["RateLimit", "RateLimit-Policy"] }))
      .annotate(OpenApi.Summary, "Find an SLO by name"),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "SLO status")

export const StatusV1Api = HttpApiGroup.make("statusV1")
  .add(
    HttpApiEndpoint.get("listSlosV1", "/api/v1/slos", {
      headers: OrganizationHeader,
      query: ListSlosParams,
      success: sloPageSchema(SloRecordV1Schema, "SloPageV1"),
      error: [...organizationErrors, Gone, TooManyRequests],
    })
      .annotate(OpenApi.Deprecated, true)
      .annotateMerge(withContent({ headers: ["RateLimit", "RateLimit-Policy"] }))
      .annotate(OpenApi.Summary, "List SLOs; use /api/v2/slos"),
  )
  .add(
    HttpApiEndpoint.get("findSloV1", "/api/v1/slos/:sloName", {
      params: Schema.Struct({ sloName: SloNameParam }),
      headers: ProjectHeader,
      query: FindSloParams,
      success: SloRecordV1Schema,
      error: [...organizationErrors, NotFound, Gone, TooManyRequests],
    })
      .annotate(OpenApi.Deprecated, true)
      .annotateMerge(withContent({ headers: ["RateLimit", "RateLimit-Policy"] }))
      .annotate(OpenApi.Summary, "Find an SLO by name; use /api/v2/slos/{sloName}"),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "SLO status, version 1 (deprecated)")
