import { definition, revisionOutcomes } from "@tocsin/domain"
import { deletedRevisionsDays, revisionsMax } from "@tocsin/domain/adapter"
import { kindList } from "@tocsin/domain/definitions"
import * as Schema from "effect/Schema"
import { optionalText, pageOf, time } from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"

const fields = {
  id: Schema.String.annotate({
    description:
      "Identifies the revision among those of the definition. A change of several definitions has one ID",
  }),
  at: time("When the change was made"),
  author: optionalText("Client ID of the credential that made it"),
  outcome: Schema.Literals(revisionOutcomes),
  changesSecrets: Schema.Boolean.annotate({
    description: "Whether secrets changed, which are hidden in the definition",
  }),
  movedFrom: optionalText("The project that the SLO belonged to before it was moved"),
}

/** A change of a definition. */
export const revision = Schema.Struct(fields).annotate({ identifier: "Revision" })

/** A change with the definition before and after. */
export const foundRevision = Schema.Struct({
  ...fields,
  definition: definition.schema().annotate({
    description: "The definition after the change, or as it was deleted, with secrets hidden",
  }),
  previous: Schema.optionalKey(definition.schema()).annotate({
    description: "The definition before the change; absent if there was none, or it is no longer kept",
  }),
}).annotate({ identifier: "FoundRevision" })

/** A deleted definition, with its deletion. */
export const deletedDefinition = Schema.Struct({
  kind: Schema.Literals(kindList),
  project: optionalText("Absent for a kind that belongs to no project"),
  name: Schema.String,
  ...fields,
}).annotate({ identifier: "DeletedDefinition" })

/** The JSON of `revision`. */
export type Revision = (typeof revision)["Encoded"]

/** The JSON of `foundRevision`. */
export type FoundRevision = (typeof foundRevision)["Encoded"]

/** The JSON of `deletedDefinition`. */
export type DeletedDefinition = (typeof deletedDefinition)["Encoded"]

/** The path parameter `kind`. */
export const kindParam = {
  kind: Schema.String.annotate({
    description: "A kind, singular or plural, in any letter case, such as alertmethod or SLOs",
  }),
}

const ofDefinition = {
  params: kindParam,
  headers: { project: optionalText("Project of the definition. Default: default") },
} as const

/** The changes of definitions. */
export const history = resource("History of definitions", {
  listRevisions: {
    method: "GET",
    path: "/api/definitions/:kind/:name/history",
    ...ofDefinition,
    success: pageOf(revision),
    errors: [404],
    summary: "List the changes of a definition",
    description: `Newest first, at most the latest ${revisionsMax}. Those of a deleted definition are kept for ${deletedRevisionsDays} days.`,
  },
  findRevision: {
    method: "GET",
    path: "/api/definitions/:kind/:name/history/:id",
    ...ofDefinition,
    success: foundRevision,
    // The stored texts are sent as they are.
    isRaw: true,
    errors: [404],
    summary: "Retrieve a change of a definition",
    description:
      "Includes the definition before and after. Apply one of them to restore it; secrets that are hidden in it keep their stored values.",
  },
  listDeletedDefinitions: {
    method: "GET",
    path: "/api/definitions/deleted",
    headers: { project: optionalText("Name of the project, or * for all projects. Default: default") },
    query: {
      kind: optionalText(
        "A kind, singular or plural, in any letter case, such as alertmethod or SLOs. Default: all",
      ),
    },
    success: pageOf(deletedDefinition),
    errors: [404],
    summary: "List deleted definitions",
    description: `Those that were deleted in the last ${deletedRevisionsDays} days and not created again, latest first. To restore one, retrieve its latest change and apply the definition; secrets must be given again.`,
  },
})
