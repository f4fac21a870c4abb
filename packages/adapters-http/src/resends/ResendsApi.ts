import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import {
  bulkResendReadMax,
  bulkResendsRunningMax,
  bulkResendStates,
  resendableStates,
} from "@tocsin/domain/resend/BulkResend"
import { resendRequest } from "@tocsin/domain/resend/BulkResends"
import * as Schema from "effect/Schema"
import { dateTime, IdParam, KeySchema, PageLinksSchema, PageParams } from "../frame/ParameterSchema.ts"
import { organizationErrors, Conflict, bodyErrors, NotFound } from "../frame/ErrorSchema.ts"

const filter = {
  alertMethod: Schema.optionalKey(KeySchema),
  from: Schema.optionalKey(dateTime("Created from then on, in UTC")),
  to: Schema.optionalKey(dateTime("Created before then, in UTC")),
}

const states = Schema.Array(Schema.Literals(resendableStates))

const count = {
  matched: Schema.Finite.annotate({ description: "How many settled deliveries it was about" }),
  mayMatchMore: Schema.Boolean.annotate({
    description: `At least matched: counting ended after ${bulkResendReadMax} deliveries`,
  }),
}

/** The answer to a dry run of `POST /api/deliveries/resend`. */
const ResendCountSchema = Schema.Struct(count).annotate({ identifier: "ResendCount" })

/** The resending of many deliveries. */
const BulkResendSchema = Schema.Struct({
  id: Schema.String,
  state: Schema.Literals(bulkResendStates),
  filter: Schema.Struct({ ...filter, states }),
  ...count,
  resent: Schema.Finite.annotate({ description: "How many it has made due so far" }),
  createdAt: dateTime("When it was asked for: it takes what was settled then"),
  endedAt: Schema.optionalKey(dateTime("When it was done or canceled")),
}).annotate({ identifier: "BulkResend" })

/** A page of bulk resends. */
const BulkResendPageSchema = Schema.Struct({
  data: Schema.Array(BulkResendSchema),
  links: PageLinksSchema,
}).annotate({ identifier: "BulkResendPage" })

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
      error: [...organizationErrors, Conflict, ...bodyErrors],
    })
      .annotate(OpenApi.Summary, "Send many deliveries again")
      .annotate(
        OpenApi.Description,
        `Those of the organization that are settled and that the filter lets through, each once and as when it is resent by itself, batch by batch. At most ${bulkResendsRunningMax} run at once. Needs the role editor.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("listResends", "/api/resends", {
      headers: OrganizationHeader,
      query: PageParams,
      success: BulkResendPageSchema,
      error: [...organizationErrors],
    })
      .annotate(OpenApi.Summary, "List bulk resends")
      .annotate(OpenApi.Description, "Newest first. links.next is present while there are more."),
  )
  .add(
    HttpApiEndpoint.get("findResend", "/api/resends/:id", {
      params: IdParam,
      headers: OrganizationHeader,
      success: BulkResendSchema,
      error: [...organizationErrors, NotFound],
    }).annotate(OpenApi.Summary, "Read how far a bulk resend is"),
  )
  .add(
    HttpApiEndpoint.post("cancelResend", "/api/resends/:id/cancel", {
      params: IdParam,
      headers: OrganizationHeader,
      success: BulkResendSchema,
      error: [...organizationErrors, NotFound],
    })
      .annotate(OpenApi.Summary, "Cancel a bulk resend")
      .annotate(
        OpenApi.Description,
        "What it made due stays due; one that has ended is left as it is. Needs the role editor.",
      ),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Resends")
