import { definition, type DefinitionDocument, moveRequest } from "@tocsin/domain"
import { type JsonOf, plain } from "@tocsin/domain/codec"
import { annotationId, isOrganizationKind, kindList } from "@tocsin/domain/definitions"
import { annotationDocument } from "@tocsin/domain/features/annotation"
import { type Kind, objectName, sloName } from "@tocsin/domain/kernel"
import { definitionsMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import { kindParam } from "../history/History.ts"
import {
  count,
  definitionJson,
  noContent,
  oneOrMore,
  optionalText,
  repeatable,
  written,
} from "../operation/Fields.ts"
import { resource } from "../operation/Operation.ts"
import { warnings } from "../operation/Warnings.ts"

/** What can be applied: a definition, or an annotation, which is none. */
export type AppliedDocument = DefinitionDocument | JsonOf<typeof annotationDocument>

/** What applying definitions changed. */
export const applied = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      kind: Schema.String,
      project: Schema.optionalKey(Schema.String),
      name: Schema.String,
      outcome: Schema.Literals(["created", "updated", "unchanged"]),
      before: Schema.optionalKey(definitionJson(definition)).annotate({
        description:
          "Only with dry_run=true: the stored definition, with secrets hidden; absent if there is none",
      }),
      revision: Schema.optionalKey(Schema.String).annotate({
        description:
          "Only with dry_run=true: the revision of the stored definition; 0 if there is none. A definition with this revision is applied only if nobody has changed it since",
      }),
      after: Schema.optionalKey(definitionJson(definition)).annotate({
        description: "Only with dry_run=true: the definition that would be stored, with secrets hidden",
      }),
    }),
  ),
  warnings,
}).annotate({ identifier: "Applied" })

/** The JSON of `applied`. */
export type Applied = (typeof applied)["Encoded"]

const converted = Schema.Struct({
  definitions: Schema.Array(
    written<object, Readonly<Record<string, unknown>>>(Schema.Record(Schema.String, Schema.Unknown)),
  ).annotate({
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

const unsupported = Schema.Struct({
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
}).annotate({ identifier: "Unsupported" })

const anythingElse = [Schema.Record(Schema.String, Schema.Unknown)] as const

const referenceTo = <M extends Schema.Struct.Fields>(kinds: ReadonlyArray<Kind>, metadata: M) =>
  Schema.StructWithRest(
    Schema.Struct({
      apiVersion: Schema.String,
      kind: Schema.Literals(kinds),
      metadata: Schema.StructWithRest(Schema.Struct(metadata), anythingElse),
    }),
    anythingElse,
  )

const project = objectName.schema()
const inProject = { name: objectName.schema(), project }

const definitionReference = Schema.Union([
  referenceTo(kindList.filter(isOrganizationKind), { name: objectName.schema() }),
  referenceTo(["SLO"], { name: sloName.schema(), project }),
  referenceTo(
    kindList.filter((kind) => !isOrganizationKind(kind) && kind !== "SLO" && kind !== "BudgetAdjustment"),
    inProject,
  ),
  Schema.StructWithRest(
    Schema.Struct({
      apiVersion: Schema.String,
      kind: Schema.Literal("Annotation"),
      metadata: Schema.StructWithRest(Schema.Struct({ name: annotationId.schema(), project }), anythingElse),
      spec: Schema.optionalKey(
        Schema.StructWithRest(Schema.Struct({ slo: Schema.optionalKey(sloName.schema()) }), anythingElse),
      ),
    }),
    anythingElse,
  ),
  referenceTo(["BudgetAdjustment"], { name: objectName.schema(), project: Schema.optionalKey(project) }),
]).annotate({ identifier: "DefinitionReference", description: "Other properties are ignored" })

/** A document that names an object; its other properties are ignored. */
export interface ObjectReference {
  /** As in the definition. */
  readonly apiVersion: string
  /** Its kind, such as `SLO`. */
  readonly kind: string
  /** Its name and, unless it belongs to the organization, its project. */
  readonly metadata: { readonly name: string; readonly project?: string | undefined }
}

const dryRun = {
  dry_run: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "true validates the request without changing anything",
    }),
  ),
}

/** The preconditions of applying one definition. */
const preconditions = {
  "if-match": optionalText(
    "For one definition: the ETag of the definition that must be stored, or * if any must be. Otherwise, nothing is applied",
  ),
  "if-none-match": optionalText("For one definition: * if it must not exist yet"),
}

/** The precondition of deleting one definition. */
const deletePrecondition = {
  "if-match": optionalText(
    "For one definition: the ETag of the definition that must be stored. Otherwise, nothing is deleted",
  ),
}

const names = Schema.Array(Schema.String).annotate({ description: "Can be repeated" })

/** Definitions: what services, SLOs, alert policies and others are declared by. */
export const definitions = resource("Definitions", {
  applyDefinitions: {
    method: "PUT",
    path: "/api/apply",
    role: "editor",
    query: dryRun,
    headers: preconditions,
    body: oneOrMore<AppliedDocument>(() => Schema.Union([definition.schema(), annotationDocument.schema()])),
    bodyAs: "unread",
    isYaml: true,
    success: applied,
    errors: [412],
    summary: "Create or update definitions",
    description: `Takes one definition or a list of at most ${definitionsMax}, as JSON or YAML. Applies all of them or none. With dry_run=true, nothing is stored, and the response has the definitions before and after. A definition with a revision is applied only if that revision is stored; otherwise, the request fails with status 412, and the errors have the current definitions.`,
  },
  deleteDefinitions: {
    method: "DELETE",
    path: "/api/delete",
    role: "editor",
    query: dryRun,
    headers: deletePrecondition,
    body: oneOrMore<ObjectReference>(() => definitionReference),
    bodyAs: "unread",
    isYaml: true,
    success: noContent,
    errors: [404, 412],
    summary: "Delete definitions",
    description:
      "Takes definitions; only kind, name and project are used. Deletes all of them or none. A definition that others refer to cannot be deleted.",
  },
  convertDefinitions: {
    method: "POST",
    path: "/api/definitions/convert",
    query: {
      project: optionalText("Project of the definitions. Default: default"),
      prometheus_url: optionalText("Prometheus URL of indicators whose document has none"),
      data_source: optionalText(
        "Name of the data source of these indicators, in the same project. Instead of prometheus_url",
      ),
      service: optionalText("Service of SLOs whose document has none, as with Pyrra"),
    },
    body: plain<unknown>(
      () =>
        Schema.Unknown.annotate({
          description:
            "Documents of OpenSLO (v1, v1alpha), Sloth and Pyrra, and the Prometheus rules that Sloth and Pyrra generate, as YAML or JSON",
        }),
      (value) => value,
    ),
    bodyAs: "unread",
    isYaml: true,
    success: converted,
    summary: "Convert documents of other formats",
    description: `Converts documents of OpenSLO, Sloth and Pyrra to definitions, as tocsin convert does: at most ${definitionsMax} objects, with those of lists, and the SLOs of Sloth documents and of generated rules. Nothing is stored.`,
  },
  listDefinitions: {
    method: "GET",
    path: "/api/get/:kind",
    params: kindParam,
    headers: { project: optionalText("Name of the project, or * for all projects. Default: default") },
    query: {
      name: Schema.optionalKey(names),
      labels: optionalText("Comma-separated key=value pairs"),
      service_name: repeatable(Schema.String, "Service of the SLOs; for SLOs alone. Can be repeated"),
      slo: optionalText("SLO that budget adjustments name; for budget adjustments alone, with slo_project"),
      slo_project: optionalText("Project of the SLO that budget adjustments name"),
      revisions: Schema.optionalKey(
        Schema.Literals(["true", "false"]).annotate({
          description:
            "true adds the revision of each definition, which PUT /api/apply takes. Default: false",
        }),
      ),
    },
    isQueryOpen: true,
    success: Schema.Array(definitionJson(definition)),
    isRaw: true,
    isYaml: true,
    responseHeaders: ["ETag"],
    errors: [404, 429],
    summary: "List definitions",
    description:
      "Returns all definitions of a kind, sorted by project and name, with secrets hidden. Set Accept to application/yaml for YAML. To list alerts, see GET /api/get/alert. A response with exactly one definition has an ETag, for If-Match of requests that apply or delete it.",
  },
  deleteDefinitionsByName: {
    method: "DELETE",
    path: "/api/delete/:kind",
    role: "editor",
    params: kindParam,
    headers: { project: optionalText("Name of the project. Default: default"), ...deletePrecondition },
    query: { ...dryRun, name: names },
    success: noContent,
    errors: [404, 412],
    summary: "Delete definitions by name",
    description:
      "Deletes all of them or none. A definition that others refer to cannot be deleted. With If-Match, one definition is deleted only if that revision is stored; otherwise, the request fails with status 412, and the error has the current definition.",
  },
  listUnsupported: {
    method: "GET",
    path: "/api/unsupported",
    headers: {
      project: optionalText(
        "Name of the project, or * for all projects and the organization. Default: default",
      ),
    },
    success: unsupported,
    summary: "List what is stored without effect",
    description:
      "Returns the objects that have been stored with TOCSIN_ALLOW_UNSUPPORTED, sorted by kind, project and name. GET /api/get/{kind} returns their documents.",
  },
  listWarnings: {
    method: "GET",
    path: "/api/definitions/:kind/:name/warnings",
    params: kindParam,
    headers: { project: optionalText("Project of the definition. Default: default") },
    success: Schema.Struct({ warnings }).annotate({ identifier: "Warnings" }),
    errors: [404, 429],
    summary: "List the warnings of a definition",
    description:
      "Returns the warnings that applying the stored definition again would return. A warning rejects nothing.",
  },
  moveSlos: {
    method: "POST",
    path: "/api/objects/v1/slos/move",
    role: "editor",
    body: moveRequest,
    bodyAs: "json",
    success: noContent,
    errors: [404],
    summary: "Move SLOs to another project or service",
    description:
      "Moves SLOs of oldProject to newProject, or with service alone to another service of oldProject, with their counts, statuses, alerts, annotations, backfills and reports. Moves all of them or none. Creates the project and the service if they do not exist; without service, each SLO keeps the name of its own. Components and budget adjustments that name the SLOs follow them. SLOs with alert policies are moved only with detachAlertPolicies.",
  },
})
