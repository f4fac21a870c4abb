import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { endpoint } from "../frame/OpenApiDocument.ts"
import { objectName, sloName } from "@tocsin/domain/internal/metadata/Metadata"
import * as Schema from "effect/Schema"
import { BearerAccess, OrganizationHeader, projectHeader } from "../access/BearerAccess.ts"
import { definition } from "@tocsin/domain/internal/definition/Definition"
import { type Kind, kinds } from "@tocsin/domain/internal/metadata/ObjectKey"
import { organizationErrors, bodyErrors, NotFound, TooManyRequests } from "../frame/ErrorSchema.ts"
import { definitionsMax } from "@tocsin/domain/internal/definition/DecodeDefinition"
import * as examples from "./DefinitionExamples.ts"
import { optionalText, repeatable } from "../frame/ParameterSchema.ts"

const DryRunParam = Schema.Struct({
  dry_run: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "true validates the request without changing anything",
    }),
  ),
})

const KindParam = Schema.Struct({
  kind: Schema.String.annotate({
    description: "A kind, singular or plural, in any letter case, such as alertmethod or SLOs",
  }),
})

const names = Schema.Array(Schema.String).annotate({ description: "Can be repeated" })

const listOf = <S extends Schema.Top>(entry: S) =>
  Schema.Union([entry, Schema.Array(entry).check(Schema.isMinLength(1), Schema.isMaxLength(definitionsMax))])

const AppliedSchema = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(kinds),
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
}).annotate({ identifier: "Applied" })

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
  referenceTo(["Project"], { name: objectName.schema() }),
  referenceTo(["SLO"], { name: sloName.schema(), project: objectName.schema() }),
  referenceTo(["Service", "AlertPolicy", "AlertMethod", "AlertSilence", "DataSource", "BudgetAdjustment"], {
    name: objectName.schema(),
    project: objectName.schema(),
  }),
]).annotate({ identifier: "DefinitionReference", description: "Other properties are ignored" })

export const DefinitionsApi = HttpApiGroup.make("definitions")
  .add(
    endpoint.put("applyDefinitions", "/api/apply", {
      headers: OrganizationHeader,
      query: DryRunParam,
      payload: listOf(definition.schema()),
      success: AppliedSchema,
      error: [...organizationErrors, ...bodyErrors, TooManyRequests],
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
      error: [...organizationErrors, NotFound, ...bodyErrors, TooManyRequests],
      summary: "Delete definitions",
      description:
        "Takes definitions; only kind, name and project are used. Deletes all of them or none. A definition that others refer to cannot be deleted. Requires the role editor.",
      isYaml: true,
      example: examples.deleteDefinitions,
    }),
    endpoint.get("listDefinitions", "/api/get/:kind", {
      params: KindParam,
      headers: projectHeader("Name of the project, or * for all projects. Default: default"),
      query: Schema.Struct({
        name: Schema.optionalKey(names),
        labels: optionalText("Comma-separated key:value pairs"),
        service_name: repeatable(Schema.String, "Service of the SLOs; for SLOs alone. Can be repeated"),
      }),
      success: Schema.Array(definition.schema()),
      error: [...organizationErrors, NotFound, TooManyRequests],
      summary: "List definitions",
      description:
        "Returns all definitions of a kind, sorted by project and name, with secrets hidden. Set Accept to application/yaml for YAML. To list alerts, see GET /api/get/alert.",
      isYaml: true,
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
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "Definitions")
