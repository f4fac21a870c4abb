import { definition, revisionOutcomes } from "@tocsin/domain"
import { deletedRevisionsDays, revisionsMax } from "@tocsin/domain/adapter"
import { kindList } from "@tocsin/domain/definitions"
import * as Schema from "effect/Schema"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  BearerAccess,
  projectHeader,
  NotFound,
  organizationErrors,
  endpoint,
  dateTime,
  optionalText,
  PageParams,
  pageSchema,
} from "@tocsin/api/openapi"
import { KindParam } from "./DefinitionsApi.ts"
import * as examples from "./HistoryExamples.ts"

const revision = {
  id: Schema.String.annotate({
    description:
      "Identifies the revision among those of the definition. A change of several definitions has one ID",
  }),
  at: dateTime("When the change was made"),
  author: optionalText("Client ID of the credential that made it"),
  outcome: Schema.Literals(revisionOutcomes),
  changesSecrets: Schema.Boolean.annotate({
    description: "Whether secrets changed, which are hidden in the definition",
  }),
  movedFrom: optionalText("The project that a moved SLO was of before"),
}

const RevisionSchema = Schema.Struct(revision).annotate({ identifier: "Revision" })

const FoundRevisionSchema = Schema.Struct({
  ...revision,
  definition: definition.schema().annotate({
    description: "The definition after the change, or as it was deleted, with secrets hidden",
  }),
  previous: Schema.optionalKey(definition.schema()).annotate({
    description: "The definition before the change; absent if there was none, or it is no longer kept",
  }),
}).annotate({ identifier: "FoundRevision" })

const DeletedDefinitionSchema = Schema.Struct({
  kind: Schema.Literals(kindList),
  project: optionalText("Absent for a kind that belongs to no project"),
  name: Schema.String,
  ...revision,
}).annotate({ identifier: "DeletedDefinition" })

const DefinitionParams = Schema.Struct({ ...KindParam.fields, name: Schema.String })

const ProjectHeader = projectHeader("Project of the definition. Default: default")

export const HistoryApi = HttpApiGroup.make("history")
  .add(
    endpoint.get("listRevisions", "/api/definitions/:kind/:name/history", {
      params: DefinitionParams,
      headers: ProjectHeader,
      query: PageParams,
      success: pageSchema(RevisionSchema, "RevisionPage"),
      error: [...organizationErrors, NotFound],
      summary: "List the changes of a definition",
      description: `Newest first, at most the latest ${revisionsMax}. Those of a deleted definition are kept for ${deletedRevisionsDays} days.`,
      example: examples.listRevisions,
    }),
    endpoint.get("findRevision", "/api/definitions/:kind/:name/history/:id", {
      params: Schema.Struct({ ...DefinitionParams.fields, id: Schema.String }),
      headers: ProjectHeader,
      success: FoundRevisionSchema,
      error: [...organizationErrors, NotFound],
      summary: "Retrieve a change of a definition",
      description:
        "Includes the definition before and after. Apply one of them to restore it; secrets that are hidden in it keep their stored values.",
      example: examples.findRevision,
    }),
    endpoint.get("listDeletedDefinitions", "/api/definitions/deleted", {
      headers: projectHeader("Name of the project, or * for all projects. Default: default"),
      query: Schema.Struct({
        ...PageParams.fields,
        kind: optionalText(
          "A kind, singular or plural, in any letter case, such as alertmethod or SLOs. Default: all",
        ),
      }),
      success: pageSchema(DeletedDefinitionSchema, "DeletedDefinitionPage"),
      error: [...organizationErrors, NotFound],
      summary: "List deleted definitions",
      description: `Those that were deleted in the last ${deletedRevisionsDays} days and not created again, latest first. To restore one, retrieve its latest change and apply the definition; secrets must be given again.`,
      example: examples.listDeletedDefinitions,
    }),
  )
  .middleware(BearerAccess)
  .annotate(OpenApi.Title, "History of definitions")
