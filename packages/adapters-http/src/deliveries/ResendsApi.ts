import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { resendRequest } from "@tocsin/domain/resend/DecodeResendRequest"
import { Limits } from "@tocsin/domain/Limits"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import {
  BulkResendPageSchema,
  BulkResendSchema,
  IdParam,
  PageParams,
  ResendCountSchema,
} from "./DeliverySchema.ts"
import {
  accessErrors,
  Conflict,
  ContentTooLarge,
  NotFound,
  UnsupportedMediaType,
} from "../frame/ErrorResponse.ts"

/** Describes how many deliveries are sent again. Source: decision 0311. */
export const ResendsApi = HttpApiGroup.make("resends")
  .add(
    HttpApiEndpoint.post("resendDeliveries", "/api/deliveries/resend", {
      headers: OrganizationHeader,
      payload: resendRequest.schema(),
      success: [
        BulkResendSchema.annotate({ description: "Stored; it is running" }).pipe(HttpApiSchema.status(202)),
        ResendCountSchema.annotate({ description: "With dryRun; nothing is resent" }).pipe(
          HttpApiSchema.status(200),
        ),
      ],
      error: [...accessErrors, Conflict, ContentTooLarge, UnsupportedMediaType],
    })
      .annotate(OpenApi.Summary, "Send many deliveries again")
      .annotate(
        OpenApi.Description,
        `Those of the organization that are settled and that the filter lets through, each once and as when it is resent by itself, batch by batch. At most ${Limits.bulkResendsRunningMax} run at once. Needs the role editor.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("listResends", "/api/resends", {
      headers: OrganizationHeader,
      query: PageParams,
      success: BulkResendPageSchema,
      error: [...accessErrors],
    })
      .annotate(OpenApi.Summary, "List bulk resends")
      .annotate(OpenApi.Description, "The newest first. While links.next is there, more exist."),
  )
  .add(
    HttpApiEndpoint.get("findResend", "/api/resends/:id", {
      params: IdParam,
      headers: OrganizationHeader,
      success: BulkResendSchema,
      error: [...accessErrors, NotFound],
    }).annotate(OpenApi.Summary, "Read how far a bulk resend is"),
  )
  .add(
    HttpApiEndpoint.post("cancelResend", "/api/resends/:id/cancel", {
      params: IdParam,
      headers: OrganizationHeader,
      success: BulkResendSchema,
      error: [...accessErrors, NotFound],
    })
      .annotate(OpenApi.Summary, "Cancel a bulk resend")
      .annotate(
        OpenApi.Description,
        "What it made due stays due; one that has ended is left as it is. Needs the role editor.",
      ),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Resends")
