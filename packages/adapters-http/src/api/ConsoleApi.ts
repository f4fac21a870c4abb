import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Limits } from "@tocsin/domain/Limits"
import { methodStates } from "@tocsin/domain/notification/MethodHealth"
import { Schema } from "effect"
import { BearerAccess, OrganizationHeader } from "./BearerAccess.ts"
import { AlertMethodSchema } from "./DefinitionSchema.ts"
import { DeliverySchema, HealthSchema } from "./DeliverySchema.ts"
import { BadRequest, Forbidden, NotAcceptable, TooManyRequests, Unauthorized } from "./ErrorAnswer.ts"
import { ListSlosParams, PageLinksSchema, sloPageSchema, SloRecordSchema } from "./StatusSchema.ts"

const ListedAlertMethod = Schema.Struct({
  definition: AlertMethodSchema,
  state: Schema.Literal(...methodStates).annotations({
    description: "What to know of it first; unused: nothing was sent to its receiver yet",
  }),
  health: HealthSchema,
  latestDelivery: Schema.optional(DeliverySchema),
}).annotations({ identifier: "ListedAlertMethod" })

/** Describes the lists of the web console. Source: decision 0707. */
export const ConsoleApi = HttpApiGroup.make("console")
  .add(
    HttpApiEndpoint.get("searchSlos", "/api/console/slos")
      .setHeaders(OrganizationHeader)
      .setUrlParams(
        Schema.Struct({
          ...ListSlosParams.fields,
          search: Schema.optional(
            Schema.String.annotations({
              description: "A part of the name or the display name, in any letter case",
              jsonSchema: { type: "string", maxLength: Limits.displayNameMaxCharacters },
            }),
          ),
          project: Schema.optional(Schema.String.annotations({ description: "Absent: all projects" })),
          service: Schema.optional(Schema.String.annotations({ description: "Absent: all services" })),
        }),
      )
      .addSuccess(sloPageSchema(SloRecordSchema, "SloPage"))
      .addError(TooManyRequests)
      .annotate(OpenApi.Summary, "Find SLOs")
      .annotate(
        OpenApi.Description,
        `In the order of project, then name. At most ${Limits.searchSlosPerSecond} per second and organization.`,
      ),
  )
  .add(
    HttpApiEndpoint.get("listConsoleAlertMethods", "/api/console/alertmethods")
      .setHeaders(OrganizationHeader)
      .setUrlParams(
        Schema.Struct({
          ...ListSlosParams.fields,
          project: Schema.optional(Schema.String.annotations({ description: "Absent: all projects" })),
        }),
      )
      .addSuccess(
        Schema.Struct({ data: Schema.Array(ListedAlertMethod), links: PageLinksSchema }).annotations({
          identifier: "AlertMethodPage",
        }),
      )
      .annotate(OpenApi.Summary, "List alert methods with how they are")
      .annotate(OpenApi.Description, "In the order of project, then name."),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Console")
  .annotate(OpenApi.Description, "What the web console shows; it may change with any release.")
