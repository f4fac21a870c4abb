import { kindParam } from "@tocsin/api"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  endpoint,
  BearerAccess,
  OrganizationHeader,
  projectHeader,
  organizationErrors,
  bodyErrors,
  NotFound,
  TooManyRequests,
  count,
  optionalText,
  repeatable,
  warnings,
} from "@tocsin/api/openapi"
import { definition, moveRequest } from "@tocsin/domain"
import { annotationId, isOrganizationKind, kindList } from "@tocsin/domain/definitions"
import { annotationDocument } from "@tocsin/domain/features/annotation"
import { type Kind, objectName, sloName } from "@tocsin/domain/kernel"
import { definitionsMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import * as examples from "./DefinitionExamples.ts"
import * as moveExamples from "./MoveExamples.ts"

const DryRunParam = Schema.Struct({
  dry_run: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "true validates the request without changing anything",
    }),
  ),
})

const KindParam = Schema.Struct(kindParam)

const names = Schema.Array(Schema.String).annotate({ description: "Can be repeated" })

const listOf = <S extends Schema.Top>(entry: S) =>
  Schema.Union([entry, Schema.Array(entry).check(Schema.isMinLength(1), Schema.isMaxLength(definitionsMax))])

/** What can be applied: definitions, and annotations, which are none. */
const document = Schema.Union([definition.schema(), annotationDocument.schema()])

const AppliedSchema = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      kind: Schema.String,
      project: Schema.optionalKey(Schema.String),
      name: Schema.String,
      outcome: Schema.Literals(["created", "updated", "unchanged"]),
      before: Schema.optionalKey(definition.schema()).annotate({
        description:
          "Only with dry_run=true: the stored definition, with secrets hidden; absent if there is none",
      }),
      after: Schema.optionalKey(definition.schema()).annotate({
        description: "Only with dry_run=true: the definition that would be stored, with secrets hidden",
      }),
    }),
  ),
  warnings,
}).annotate({ identifier: "Applied" })

const ConvertedSchema = Schema.Struct({
  definitions: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)).annotate({
    description:
      "Services, alert methods, alert policies, then SLOs. They are valid, except for missing URLs of alert methods",
  }),
  notes: Schema.Array(
    Schema.Struct({
      document: count.annotate({ description: "Index of the document, from 0" }),
      path: Schema.String.annotate({ description: "Property of the document; empty for the whole document" }),
      message: Schema.String,
    }),
  ).annotate({ description: "Everything that was changed or omitted, in the order of documents" }),
  isComplete: Schema.Boolean.annotate({ description: "Whether every object was converted" }),
  warnings,
}).annotate({ identifier: "Converted" })

const open = [Schema.Record(Schema.String, Schema.Unknown)] as const

const referenceTo = (kind: ReadonlyArray<Kind>, metadata: Schema.Struct.Fields) =>
  Schema.StructWithRest(
    Schema.Struct({
      apiVersion: Schema.String,
      kind: Schema.Literals(kind),
      metadata: Schema.StructWithRest(Schema.Struct(metadata), open),
    }),
    open,
  )

const DefinitionReference = Schema.Union([
  referenceTo(kindList.filter(isOrganizationKind), { name: objectName.schema() }),
  referenceTo(["SLO"], { name: sloName.schema(), project: objectName.schema() }),
  referenceTo(
    kindList.filter((kind) => !isOrganizationKind(kind) && kind !== "SLO" && kind !== "BudgetAdjustment"),
    { name: objectName.schema(), project: objectName.schema() },
  ),
  Schema.StructWithRest(
    Schema.Struct({
      apiVersion: Schema.String,
      kind: Schema.Literal("Annotation"),
      metadata: Schema.StructWithRest(
        Schema.Struct({ name: annotationId.schema(), project: objectName.schema() }),
        open,
      ),
      spec: Schema.optionalKey(
        Schema.StructWithRest(Schema.Struct({ slo: Schema.optionalKey(sloName.schema()) }), open),
      ),
    }),
    open,
  ),
  referenceTo(["BudgetAdjustment"], {
    name: objectName.schema(),
    project: Schema.optionalKey(objectName.schema()),
  }),
]).annotate({ identifier: "DefinitionReference", description: "Other properties are ignored" })

export const DefinitionsApi = HttpApiGroup.make("definitions")
  .add(
    endpoint.put("applyDefinitions", "/api/apply", {
      headers: OrganizationHeader,
      query: DryRunParam,
      payload: listOf(document),
      success: AppliedSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Create or update definitions",
      description: `Takes one definition or a list of at most ${definitionsMax}, as JSON or YAML. Applies all of them or none. With dry_run=true, nothing is stored, and the response has the definitions before and after. Requires the role editor.`,
      isYaml: true,
      example: examples.applyDefinitions,
    }),
    endpoint.delete("deleteDefinitions", "/api/delete", {
      headers: OrganizationHeader,
      query: DryRunParam,
      payload: listOf(DefinitionReference),
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound, ...bodyErrors],
      summary: "Delete definitions",
      description:
        "Takes definitions; only kind, name and project are used. Deletes all of them or none. A definition that others refer to cannot be deleted. Requires the role editor.",
      isYaml: true,
      example: examples.deleteDefinitions,
    }),
    endpoint.post("convertDefinitions", "/api/definitions/convert", {
      headers: OrganizationHeader,
      query: Schema.Struct({
        project: optionalText("Project of the definitions. Default: default"),
        prometheus_url: optionalText("Prometheus URL of indicators whose document has none"),
        data_source: optionalText(
          "Name of the data source of these indicators, in the same project. Instead of prometheus_url",
        ),
        service: optionalText("Service of SLOs whose document has none, as with Pyrra"),
      }),
      payload: Schema.Unknown.annotate({
        description:
          "Documents of OpenSLO (v1, v1alpha), Sloth and Pyrra, and the Prometheus rules that Sloth and Pyrra generate, as YAML or JSON",
      }),
      success: ConvertedSchema,
      error: [...organizationErrors, ...bodyErrors],
      summary: "Convert documents of other formats",
      description: `Converts documents of OpenSLO, Sloth and Pyrra to definitions, as tocsin convert does: at most ${definitionsMax} objects, with those of lists, and the SLOs of Sloth documents and of generated rules. Nothing is stored.`,
      isYaml: true,
      example: examples.convertDefinitions,
    }),
    endpoint.get("listDefinitions", "/api/get/:kind", {
      params: KindParam,
      headers: projectHeader("Name of the project, or * for all projects. Default: default"),
      query: Schema.Struct({
        name: Schema.optionalKey(names),
        labels: optionalText("Comma-separated key:value pairs"),
        service_name: repeatable(Schema.String, "Service of the SLOs; for SLOs alone. Can be repeated"),
        slo: optionalText("SLO that budget adjustments name; for budget adjustments alone, with slo_project"),
        slo_project: optionalText("Project of the SLO that budget adjustments name"),
      }),
      success: Schema.Array(definition.schema()),
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "List definitions",
      description:
        "Returns all definitions of a kind, sorted by project and name, with secrets hidden. Set Accept to application/yaml for YAML. To list alerts, see GET /api/get/alert.",
      isYaml: true,
      isQueryOpen: true,
      example: examples.listDefinitions,
    }),
    endpoint.delete("deleteDefinitionsByName", "/api/delete/:kind", {
      params: KindParam,
      headers: projectHeader("Name of the project. Default: default"),
      query: Schema.Struct({ ...DryRunParam.fields, name: names }),
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound],
      summary: "Delete definitions by name",
      description:
        "Deletes all of them or none. A definition that others refer to cannot be deleted. Requires the role editor.",
      example: examples.deleteDefinitionsByName,
    }),
  )
  .add(
    endpoint.get("listUnsupported", "/api/unsupported", {
      headers: projectHeader(
        "Name of the project, or * for all projects and the organization. Default: default",
      ),
      success: Schema.Struct({
        data: Schema.Array(
          Schema.Struct({
            kind: Schema.String,
            project: Schema.optionalKey(Schema.String),
            name: Schema.String,
            reason: Schema.String.annotate({ description: "Why it has no effect, as a sentence" }),
          }),
        ),
        hasMore: Schema.Boolean.annotate({
          description: "Whether there are more than the 100 that are returned",
        }),
      }).annotate({ identifier: "Unsupported" }),
      error: organizationErrors,
      summary: "List what is stored without effect",
      description:
        "Returns the objects that have been stored with TOCSIN_ALLOW_UNSUPPORTED, sorted by kind, project and name. GET /api/get/{kind} returns their documents.",
      example: examples.listUnsupported,
    }),
  )
  .add(
    endpoint.get("listWarnings", "/api/definitions/:kind/:name/warnings", {
      params: Schema.Struct({ ...KindParam.fields, name: Schema.String }),
      headers: projectHeader("Project of the definition. Default: default"),
      success: Schema.Struct({ warnings }).annotate({ identifier: "Warnings" }),
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "List the warnings of a definition",
      description:
        "Returns the warnings that applying the stored definition again would return. A warning rejects nothing.",
      example: examples.listWarnings,
    }),
  )
  .add(
    endpoint.post("moveSlos", "/api/objects/v1/slos/move", {
      headers: OrganizationHeader,
      payload: moveRequest.schema(),
      success: HttpApiSchema.NoContent,
      error: [...organizationErrors, NotFound, ...bodyErrors],
      summary: "Move SLOs to another project or service",
      description:
        "Moves SLOs of oldProject to newProject, or with service alone to another service of oldProject, with their counts, statuses, alerts, annotations, replays and reports. Moves all of them or none. Creates the project and the service if they do not exist; without service, each SLO keeps the name of its own. Components and budget adjustments that name the SLOs follow them. SLOs with alert policies are moved only with detachAlertPolicies. Requires the role editor.",
      example: moveExamples.moveSlos,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Definitions")
