import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { withContent } from "../frame/OpenApiDocument.ts"
import { methodStates } from "@tocsin/domain/delivery/AlertMethodHealth"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { alertMethod } from "@tocsin/domain/alert-method/AlertMethod"
import { DeliverySchema } from "../deliveries/DeliverySchema.ts"
import { HealthSchema } from "../alert-methods/AlertMethodSchema.ts"
import { organizationErrors, TooManyRequests } from "../frame/ErrorSchema.ts"
import { ListSlosParams, PageLinksSchema, sloPageSchema, SloRecordSchema } from "../slos/StatusSchema.ts"
import { displayNameMaxCharacters } from "@tocsin/domain/metadata/MetadataLimits"
import { searchSlosPerSecond } from "@tocsin/domain/rate-limit/RateLimitPolicy"

const ListedAlertMethod = Schema.Struct({
  definition: alertMethod.schema(),
  state: Schema.Literals(methodStates).annotate({
    description: "What to know of it first; unused: nothing was sent to its receiver yet",
  }),
  health: HealthSchema,
  latestDelivery: Schema.optionalKey(DeliverySchema),
}).annotate({ identifier: "ListedAlertMethod" })

export const ConsoleApi = HttpApiGroup.make("console")
  .add(
    HttpApiEndpoint.get("searchSlos", "/api/console/slos", {
      headers: OrganizationHeader,
      query: Schema.Struct({
        ...ListSlosParams.fields,
        search: Schema.optionalKey(
          Schema.String.annotate({
            description: "A part of the name or the display name, in any letter case",
          }).check(Schema.isMaxLength(displayNameMaxCharacters)),
        ),
        project: Schema.optionalKey(Schema.String.annotate({ description: "Absent: all projects" })),
        service: Schema.optionalKey(Schema.String.annotate({ description: "Absent: all services" })),
      }),
      success: sloPageSchema(SloRecordSchema, "SloPage"),
      error: [...organizationErrors, TooManyRequests],
    })
      .annotateMerge(withContent({ headers: ["RateLimit", "RateLimit-Policy"] }))
      .annotate(OpenApi.Summary, "Find SLOs")
      .annotate(
        OpenApi.Description,
        `In the order of project, then name. At most ${searchSlosPerSecond} per second and organization.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("listConsoleAlertMethods", "/api/console/alertmethods", {
      headers: OrganizationHeader,
      query: Schema.Struct({
        ...ListSlosParams.fields,
        project: Schema.optionalKey(Schema.String.annotate({ description: "Absent: all projects" })),
      }),
      success: Schema.Struct({ data: Schema.Array(ListedAlertMethod), links: PageLinksSchema }).annotate({
        identifier: "AlertMethodPage",
      }),
      error: [...organizationErrors],
    })
      .annotate(OpenApi.Summary, "List alert methods with how they are")
      .annotate(OpenApi.Description, "In the order of project, then name."),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Console")
  .annotate(OpenApi.Description, "What the web console shows; it may change with any release.")
