import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Limits } from "@tocsin/domain/Limits"
import { BearerAccess, OrganizationHeader } from "./BearerAccess.ts"
import {
  BulkResendPageSchema,
  BulkResendSchema,
  IdParam,
  PageParams,
  ResendCountSchema,
  ResendRequestSchema,
} from "./DeliverySchema.ts"
import {
  BadRequest,
  Conflict,
  ContentTooLarge,
  Forbidden,
  NotAcceptable,
  NotFound,
  Unauthorized,
  UnsupportedMediaType,
} from "./ErrorAnswer.ts"

/** Describes how many deliveries are sent again. Source: decision 0311. */
export const ResendsApi = HttpApiGroup.make("resends")
  .add(
    HttpApiEndpoint.post("resendDeliveries", "/api/deliveries/resend")
      .setHeaders(OrganizationHeader)
      .setPayload(ResendRequestSchema)
      .addSuccess(
        BulkResendSchema.annotations(
          HttpApiSchema.annotations({ status: 202, description: "Stored; it is running" }),
        ),
      )
      .addSuccess(
        ResendCountSchema.annotations(
          HttpApiSchema.annotations({ status: 200, description: "With dryRun; nothing is resent" }),
        ),
      )
      .addError(Conflict)
      .addError(ContentTooLarge)
      .addError(UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Send many deliveries again")
      .annotate(
        OpenApi.Description,
        `Those of the organization that are settled and that the filter lets through, each once and as when it is resent by itself, batch by batch. At most ${Limits.bulkResendsRunningMax} run at once. Needs the role editor.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("listResends", "/api/resends")
      .setHeaders(OrganizationHeader)
      .setUrlParams(PageParams)
      .addSuccess(BulkResendPageSchema)
      .annotate(OpenApi.Summary, "List bulk resends")
      .annotate(OpenApi.Description, "The newest first. While links.next is there, more exist."),
  )
  .add(
    HttpApiEndpoint.get("findResend", "/api/resends/:id")
      .setPath(IdParam)
      .setHeaders(OrganizationHeader)
      .addSuccess(BulkResendSchema)
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Read how far a bulk resend is"),
  )
  .add(
    HttpApiEndpoint.post("cancelResend", "/api/resends/:id/cancel")
      .setPath(IdParam)
      .setHeaders(OrganizationHeader)
      .addSuccess(BulkResendSchema)
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Cancel a bulk resend")
      .annotate(
        OpenApi.Description,
        "What it made due stays due; one that has ended is left as it is. Needs the role editor.",
      ),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Resends")
