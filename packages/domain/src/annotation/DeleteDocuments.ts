/** Deletes documents among which are annotations, which are no definitions. Source: spec/clients §5. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { deleteByKeyWithRecord } from "../budget-change/ChangeBudgets.ts"
import { decode } from "../codec/Codec.ts"
import { always, object, optional } from "../codec/Containers.ts"
import { entryPath, IssueList, joinPaths } from "../codec/Issue.ts"
import { type ChangeOptions, DefinitionsAreInvalid } from "../definition/ApplyDefinitions.ts"
import { isOfForeignKind, readUnsupportedKey } from "../definition/UnsupportedDocument.ts"
import { checkVersion, type DecodeOptions, decodeDefinitionKeys } from "../definition/DecodeDefinition.ts"
import { deleteDefinitionsByKey, DefinitionsNotFound } from "../definition/DeleteDefinitions.ts"
import { ownedProject, sloName } from "../metadata/Metadata.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { annotationId, type AnnotationPlace } from "../slo/Annotation.ts"
import { isAnnotation } from "./AnnotationDocument.ts"
import { AnnotationStore } from "./AnnotationStore.ts"

/** Deletes the objects that documents name in one transaction, all or none, like `deleteDefinitions`. */
export const deleteDocuments = Effect.fn("deleteDocuments")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: Pick<DecodeOptions, "vendorPrefix" | "defaultProject"> &
    Pick<ChangeOptions, "dryRun" | "author" | "passesOverAbsent">,
) {
  // What has been stored can be deleted whatever the setting is now. Alert methods of all types are deleted by their names.
  const { keys, issues } = decodeDefinitionKeys(
    inputs,
    options,
    (input) => isAnnotation(input) || isOfForeignKind(input),
  )
  const removedUnsupported = issues.isFull
    ? []
    : inputs.flatMap((input, index) => {
        if (!isOfForeignKind(input)) return []
        const path = inputs.length > 1 ? entryPath("", index) : ""
        checkVersion(input, path, issues, options.vendorPrefix)
        const key = readUnsupportedKey(input, path, issues, options)
        return key === undefined ? [] : [{ path: joinPaths(path, "metadata.name"), key }]
      })
  const annotations = issues.isFull
    ? []
    : inputs.flatMap((input, index) => {
        if (!isAnnotation(input)) return []
        const path = inputs.length > 1 ? entryPath("", index) : ""
        const found = decode(annotationKey, input, options)
        if (Result.isFailure(found)) {
          issues.addAll(path, found.failure)
          return []
        }
        const { metadata, spec } = found.success
        return [
          {
            path: joinPaths(path, "metadata.name"),
            project: metadata.project,
            id: metadata.name,
            slo: spec?.slo,
          },
        ]
      })
  if (!issues.isEmpty) return yield* new DefinitionsAreInvalid({ issues: issues.sorted() })
  const named = keys.map((each) => ({ ...each, path: joinPaths(each.path, "metadata.name") }))
  const removedAnnotations = yield* findPlaces(organization, annotations, options)
  yield* deleteByKeyWithRecord(organization, named, { ...options, removedAnnotations, removedUnsupported })
})

/** Deletes annotations of a project by their IDs, all or none; fails as `deleteDocuments` does. */
export const deleteAnnotations = Effect.fn("deleteAnnotations")(function* (
  organization: OrganizationId,
  project: string,
  ids: ReadonlySet<string>,
  options: Pick<ChangeOptions, "dryRun" | "passesOverAbsent">,
) {
  const named = Array.from(ids, (id) => ({ path: "name", project, id, slo: undefined }))
  const removedAnnotations = yield* findPlaces(organization, named, options)
  yield* deleteDefinitionsByKey(organization, [], { ...options, removedAnnotations })
})

/** An annotation as far as it is named. */
const annotationKey = object(
  {
    metadata: object({ name: annotationId, project: always(ownedProject) }, { isOpen: true }),
    spec: optional(object({ slo: optional(sloName) }, { isOpen: true })),
  },
  { isOpen: true },
)

interface NamedAnnotation {
  readonly path: string
  readonly project: string
  readonly id: string
  readonly slo: string | undefined
}

/**
 * Where annotations are; fails if one does not exist, unless it is passed over, or if its SLO is not named and several
 * have one of its ID.
 */
const findPlaces = (
  organization: OrganizationId,
  named: ReadonlyArray<NamedAnnotation>,
  { passesOverAbsent = false }: Pick<ChangeOptions, "passesOverAbsent">,
) =>
  Effect.gen(function* () {
    const store = yield* AnnotationStore
    const absent = new IssueList()
    const ambiguous = new IssueList()
    const places = yield* Effect.forEach(named, ({ path, project, id, slo }) =>
      Effect.gen(function* () {
        const query = { project, ids: [id], ...(slo !== undefined && { slo }) }
        const { items } = yield* store.find(organization, query, { limit: 2 })
        const [one, another] = items
        if (one === undefined)
          absent.add(path, "not_found", `the annotation ${id} of project ${project} does not exist`)
        else if (another !== undefined)
          ambiguous.add(path, "duplicate", `several SLOs have an annotation ${id}: name the SLO in spec.slo`)
        return items.map(({ slo, annotation }): AnnotationPlace => ({
          project: slo.project,
          slo: slo.name,
          id: annotation.id,
        }))
      }),
    )
    if (!absent.isEmpty && !passesOverAbsent)
      return yield* new DefinitionsNotFound({ issues: absent.sorted() })
    if (!ambiguous.isEmpty) return yield* new DefinitionsAreInvalid({ issues: ambiguous.sorted() })
    return places.flat()
  })
