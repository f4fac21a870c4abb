import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import { BearerAccess, OrganizationHeader } from "./BearerAccess.ts"
import {
  BadRequest,
  Forbidden,
  Gone,
  NotAcceptable,
  NotFound,
  TooManyRequests,
  Unauthorized,
} from "./ErrorAnswer.ts"
import {
  FindSloParams,
  ListSlosParams,
  SloNameParam,
  sloPageSchema,
  SloRecordSchema,
  SloRecordV1Schema,
} from "./StatusSchema.ts"

/** The header that names the project of one SLO. Source: contract section 4.3. */
export const ProjectHeader = Schema.Struct({
  ...OrganizationHeader.fields,
  project: Schema.String.annotations({ description: "The project that the SLO is of" }),
})

/** Describes the SLO status API, version 2. Source: contract sections 4.2 and 4.3. */
export const StatusApi = HttpApiGroup.make("status")
  .add(
    HttpApiEndpoint.get("listSlos", "/api/v2/slos")
      .setHeaders(OrganizationHeader)
      .setUrlParams(ListSlosParams)
      .addSuccess(sloPageSchema(SloRecordSchema, "SloPage"))
      .addError(TooManyRequests)
      .annotate(OpenApi.Summary, "List SLOs")
      .annotate(
        OpenApi.Description,
        `By project, then name. While links.next is there, more exist. At most ${Limits.listSlosPerSecond} requests a second per organization.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("findSlo", "/api/v2/slos/:sloName")
      .setPath(Schema.Struct({ sloName: SloNameParam }))
      .setHeaders(ProjectHeader)
      .setUrlParams(FindSloParams)
      .addSuccess(SloRecordSchema)
      .addError(NotFound)
      .addError(TooManyRequests)
      .annotate(OpenApi.Summary, "Find an SLO by name"),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "SLO status")

/** Describes the deprecated version 1. Source: contract section 4.4; decision 0514. */
export const StatusV1Api = HttpApiGroup.make("statusV1")
  .add(
    HttpApiEndpoint.get("listSlosV1", "/api/v1/slos")
      .setHeaders(OrganizationHeader)
      .setUrlParams(ListSlosParams)
      .addSuccess(sloPageSchema(SloRecordV1Schema, "SloPageV1"))
      .addError(Gone)
      .addError(TooManyRequests)
      .annotate(OpenApi.Deprecated, true)
      .annotate(OpenApi.Summary, "List SLOs; use /api/v2/slos"),
  )
  .add(
    HttpApiEndpoint.get("findSloV1", "/api/v1/slos/:sloName")
      .setPath(Schema.Struct({ sloName: SloNameParam }))
      .setHeaders(ProjectHeader)
      .setUrlParams(FindSloParams)
      .addSuccess(SloRecordV1Schema)
      .addError(NotFound)
      .addError(Gone)
      .addError(TooManyRequests)
      .annotate(OpenApi.Deprecated, true)
      .annotate(OpenApi.Summary, "Find an SLO by name; use /api/v2/slos/{sloName}"),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "SLO status, version 1 (deprecated)")
