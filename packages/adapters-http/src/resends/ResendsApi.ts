import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  BearerAccess,
  OrganizationHeader,
  endpoint,
  count,
  dateTime,
  IdParam,
  KeySchema,
  PageParams,
  pageSchema,
  organizationErrors,
  Conflict,
  bodyErrors,
  NotFound,
} from "@tocsin/api/openapi"
import { bulkResendsRunningMax } from "@tocsin/domain/adapter"
import { bulkResendStates, resendableStates, resendRequest } from "@tocsin/domain/features/resend"
import { bulkResendReadMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import * as examples from "./ResendExamples.ts"

const filter = {
  alertMethod: Schema.optionalKey(KeySchema),
  from: Schema.optionalKey(dateTime("Created at or after this time, in UTC")),
  to: Schema.optionalKey(dateTime("Created before this time, in UTC")),
}

const states = Schema.Array(Schema.Literals(resendableStates))

const counts = {
  matched: count.annotate({ description: "Number of settled deliveries that match the filter" }),
  mayMatchMore: Schema.Boolean.annotate({
    description: `Whether more deliveries can match: counting stops at ${bulkResendReadMax}`,
  }),
}

/** How many deliveries a dry run of a bulk resend would send again. */
export const ResendCountSchema = Schema.Struct(counts).annotate({ identifier: "ResendCount" })

/** A bulk resend with its filter and progress. */
export const BulkResendSchema = Schema.Struct({
  id: Schema.String,
  state: Schema.Literals(bulkResendStates),
  filter: Schema.Struct({ ...filter, states }),
  ...counts,
  resent: count.annotate({ description: "Number of deliveries resent so far" }),
  createdAt: dateTime("When the bulk resend was created. Deliveries settled later are not resent."),
  endedAt: Schema.optionalKey(dateTime("When the state became done or canceled")),
}).annotate({ identifier: "BulkResend" })

export const ResendsApi = HttpApiGroup.make("resends")
  .add(
    endpoint.post("resendDeliveries", "/api/deliveries/resend", {
      headers: OrganizationHeader,
      payload: resendRequest.schema(),
      success: [
        BulkResendSchema.annotate({ description: "The bulk resend was created and is running" }).pipe(
          HttpApiSchema.status(202),
        ),
        ResendCountSchema.annotate({ description: "With dryRun: nothing is resent" }).pipe(
          HttpApiSchema.status(200),
        ),
      ],
      error: [...organizationErrors, Conflict, ...bodyErrors],
      summary: "Create a bulk resend",
      description: `Resends all settled deliveries that match the filter, in the background. Each delivery is resent at most once per bulk resend. At most ${bulkResendsRunningMax} bulk resends can run at the same time. Requires the role editor.`,
      example: examples.resendDeliveries,
    }),
    endpoint.get("listResends", "/api/resends", {
      headers: OrganizationHeader,
      query: PageParams,
      success: pageSchema(BulkResendSchema, "BulkResendPage"),
      error: [...organizationErrors],
      summary: "List bulk resends",
      description: "Newest first.",
      example: examples.listResends,
    }),
    endpoint.get("findResend", "/api/resends/:id", {
      params: IdParam,
      headers: OrganizationHeader,
      success: BulkResendSchema,
      error: [...organizationErrors, NotFound],
      summary: "Retrieve a bulk resend",
      example: examples.findResend,
    }),
    endpoint.post("cancelResend", "/api/resends/:id/cancel", {
      params: IdParam,
      headers: OrganizationHeader,
      success: BulkResendSchema,
      error: [...organizationErrors, NotFound],
      summary: "Cancel a bulk resend",
      description:
        "Deliveries that were already resent are still sent. Has no effect on a bulk resend that has ended. Requires the role editor.",
      example: examples.cancelResend,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Bulk resends")
