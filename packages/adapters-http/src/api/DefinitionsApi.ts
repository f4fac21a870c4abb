import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { alertStatuses } from "@tocsin/domain/alerting/Alert"
import { alertOrders } from "@tocsin/domain/alerting/ListAlerts"
import { Limits } from "@tocsin/domain/Limits"
import { Schema } from "effect"
import { BearerAccess, OrganizationHeader } from "./BearerAccess.ts"
import { AppliedSchema, DefinitionSchema } from "./DefinitionSchema.ts"
import {
  BadRequest,
  ContentTooLarge,
  Forbidden,
  NotAcceptable,
  NotFound,
  Unauthorized,
  UnsupportedMediaType,
} from "./ErrorAnswer.ts"

const DryRunParam = Schema.Struct({
  dry_run: Schema.optional(
    Schema.Literal("true", "false").annotations({ description: "true checks everything and writes nothing" }),
  ),
})

const KindParam = Schema.Struct({
  kind: Schema.String.annotations({ description: "In any letter case, singular or plural, as alertmethod" }),
})

const ProjectHeader = Schema.Struct({
  ...OrganizationHeader.fields,
  project: Schema.optional(Schema.String),
})

const names = Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({
  description: "May be repeated",
})

const ofAlerts = { description: "Of alerts only; may be repeated" }

const alertNames = Schema.optional(
  Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations(ofAlerts),
)

const AlertStatus = Schema.Literal(...alertStatuses)

const definitions = Schema.Union(DefinitionSchema, Schema.Array(DefinitionSchema))

/** Describes how definitions are managed. Source: decision 0600. */
export const DefinitionsApi = HttpApiGroup.make("definitions")
  .add(
    HttpApiEndpoint.put("applyDefinitions", "/api/apply")
      .setHeaders(OrganizationHeader)
      .setUrlParams(DryRunParam)
      .setPayload(definitions)
      .addSuccess(AppliedSchema)
      .addError(ContentTooLarge)
      .addError(UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Create or replace definitions")
      .annotate(
        OpenApi.Description,
        `All or nothing; JSON or YAML documents, at most ${Limits.definitionsMax} definitions. Needs the role editor.`,
      ),
  )
  .add(
    HttpApiEndpoint.del("deleteDefinitions", "/api/delete")
      .setHeaders(OrganizationHeader)
      .setUrlParams(DryRunParam)
      .setPayload(definitions)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .addError(ContentTooLarge)
      .addError(UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Delete the objects listed")
      .annotate(
        OpenApi.Description,
        "All or nothing; an object that another one names stays. Needs the role editor.",
      ),
  )
  .add(
    HttpApiEndpoint.get("listDefinitions", "/api/get/:kind")
      .setPath(KindParam)
      .setHeaders(
        Schema.Struct({
          ...OrganizationHeader.fields,
          project: Schema.optional(
            Schema.String.annotations({ description: "The project, or * for all; default: default" }),
          ),
        }),
      )
      .setUrlParams(
        Schema.Struct({
          name: Schema.optional(names),
          labels: Schema.optional(
            Schema.String.annotations({ description: "key:value pairs joined with commas" }),
          ),
          slo: alertNames,
          objective: alertNames,
          alertPolicy: alertNames,
          state: Schema.optional(Schema.Union(AlertStatus, Schema.Array(AlertStatus)).annotations(ofAlerts)),
          from: Schema.optional(
            Schema.String.annotations({ description: "Of alerts only: triggered at from ≤ t < to, in UTC" }),
          ),
          to: Schema.optional(Schema.String),
          order: Schema.optional(
            Schema.Literal(...alertOrders).annotations({
              description: "Of alerts only: those that triggered last first, instead of by ID",
            }),
          ),
          limit: Schema.optional(
            Schema.String.annotations({
              description: `Of alerts only: a page of at most ${Limits.pageSizeMax}, with the next one in the header Link`,
            }),
          ),
          cursor: Schema.optional(Schema.String),
        }),
      )
      .addSuccess(Schema.Array(DefinitionSchema))
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Read the definitions of a kind")
      .annotate(
        OpenApi.Description,
        "By project, then name. JSON, or YAML by Accept. Secrets are hidden. Alerts, which are read only, are described at /api/get/alert.",
      ),
  )
  .add(
    HttpApiEndpoint.del("deleteDefinitionsByName", "/api/delete/:kind")
      .setPath(KindParam)
      .setHeaders(ProjectHeader)
      .setUrlParams(Schema.Struct({ ...DryRunParam.fields, name: names }))
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .annotate(OpenApi.Summary, "Delete objects by name")
      .annotate(OpenApi.Description, "As the deletion of a list. Needs the role editor."),
  )
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(NotAcceptable)
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Definitions")
