import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { withContent } from "../frame/OpenApiDocument.ts"
import { alertStatuses } from "@tocsin/domain/alerting/Alert"
import { alertOrders } from "@tocsin/domain/alerting/ListAlerts"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader } from "../access/BearerAccess.ts"
import { definition } from "@tocsin/domain/definition/Definition"
import { kinds } from "@tocsin/domain/metadata/ObjectKey"
import { organizationErrors, bodyErrors, NotFound } from "../frame/ErrorSchema.ts"
import { definitionsMax } from "@tocsin/domain/definition/DecodeDefinitions"
import { pageSizeMax } from "@tocsin/domain/pagination/Page"

const DryRunParam = Schema.Struct({
  dry_run: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ description: "true checks everything and writes nothing" }),
  ),
})

const KindParam = Schema.Struct({
  kind: Schema.String.annotate({ description: "In any letter case, singular or plural, as alertmethod" }),
})

const ProjectHeader = Schema.Struct({
  ...OrganizationHeader.fields,
  project: Schema.optionalKey(Schema.String),
})

const names = Schema.Array(Schema.String).annotate({
  description: "May be repeated",
})

const ofAlerts = { description: "Of alerts only; may be repeated" }

const alertNames = Schema.optionalKey(Schema.Array(Schema.String).annotate(ofAlerts))

const AlertStatus = Schema.Literals(alertStatuses)

/** Describes what applying did to each definition. */
const AppliedSchema = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(kinds),
      project: Schema.optionalKey(Schema.String),
      name: Schema.String,
      outcome: Schema.Literals(["created", "updated", "unchanged"]),
    }),
  ),
}).annotate({ identifier: "Applied" })

const definitions = Schema.Union([definition.schema(), Schema.Array(definition.schema())])

export const DefinitionsApi = HttpApiGroup.make("definitions")
  .add(
    HttpApiEndpoint.put("applyDefinitions", "/api/apply", {
      headers: OrganizationHeader,
      query: DryRunParam,
      payload: definitions,
      success: AppliedSchema,
      error: [...organizationErrors, ...bodyErrors],
    })
      .annotateMerge(withContent({ isYaml: true }))
      .annotate(OpenApi.Summary, "Create or replace definitions")
      .annotate(
        OpenApi.Description,
        `All or nothing; JSON or YAML documents, at most ${definitionsMax} definitions. Needs the role editor.`,
      ),
  )
  .add(
    HttpApiEndpoint.delete("deleteDefinitions", "/api/delete", {
      headers: OrganizationHeader,
      query: DryRunParam,
      payload: definitions,
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound, ...bodyErrors],
    })
      .annotateMerge(withContent({ isYaml: true }))
      .annotate(OpenApi.Summary, "Delete the objects listed")
      .annotate(
        OpenApi.Description,
        "All or nothing; an object that another one names stays. Needs the role editor.",
      ),
  )
  .add(
    HttpApiEndpoint.get("listDefinitions", "/api/get/:kind", {
      params: KindParam,
      headers: Schema.Struct({
        ...OrganizationHeader.fields,
        project: Schema.optionalKey(
          Schema.String.annotate({ description: "The project, or * for all; default: default" }),
        ),
      }),
      query: Schema.Struct({
        name: Schema.optionalKey(names),
        labels: Schema.optionalKey(
          Schema.String.annotate({ description: "key:value pairs joined with commas" }),
        ),
        slo: alertNames,
        objective: alertNames,
        alertPolicy: alertNames,
        state: Schema.optionalKey(Schema.Array(AlertStatus).annotate(ofAlerts)),
        from: Schema.optionalKey(
          Schema.String.annotate({ description: "Of alerts only: triggered at from ≤ t < to, in UTC" }),
        ),
        to: Schema.optionalKey(Schema.String),
        order: Schema.optionalKey(
          Schema.Literals(alertOrders).annotate({
            description: "Of alerts only: those that triggered last first, instead of by ID",
          }),
        ),
        limit: Schema.optionalKey(
          Schema.String.annotate({
            description: `Of alerts only: a page of at most ${pageSizeMax}, with the next one in the header Link`,
          }),
        ),
        cursor: Schema.optionalKey(Schema.String),
      }),
      success: Schema.Array(definition.schema()),
      error: [...organizationErrors, NotFound],
    })
      .annotateMerge(withContent({ isYaml: true }))
      .annotate(OpenApi.Summary, "Read the definitions of a kind")
      .annotate(
        OpenApi.Description,
        "By project, then name. JSON, or YAML by Accept. Secrets are hidden. Alerts, which are read only, are described at /api/get/alert.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("deleteDefinitionsByName", "/api/delete/:kind", {
      params: KindParam,
      headers: ProjectHeader,
      query: Schema.Struct({ ...DryRunParam.fields, name: names }),
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound],
    })
      .annotate(OpenApi.Summary, "Delete objects by name")
      .annotate(OpenApi.Description, "As the deletion of a list. Needs the role editor."),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Definitions")
