/** Deletes documents among which are annotations, which are no definitions. Source: spec/clients §5. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { deleteWithRecord, type DeleteWithRecordOptions } from "../budget-change/ChangeBudgets.ts"
import { decode } from "../codec/Codec.ts"
import { always, object, optional } from "../codec/Containers.ts"
import { IssueList, joinPaths } from "../codec/Issue.ts"
import { DefinitionsAreInvalid } from "../definition/ApplyDefinitions.ts"
import { definitionsMax } from "../definition/DecodeDefinition.ts"
import { DefinitionsNotFound } from "../definition/DeleteDefinitions.ts"
import { ownedProject, sloName } from "../metadata/Metadata.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { annotationId } from "./Annotation.ts"
import { type AnnotationPlace, AnnotationStore } from "./AnnotationStore.ts"
import { placedIn, splitDocuments } from "./SplitDocuments.ts"

/** Deletes the objects that documents name, all or none, like `deleteWithRecord`. */
export const deleteDocuments = Effect.fn("deleteDocuments")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: DeleteWithRecordOptions,
) {
  const { annotations, others } = splitDocuments(inputs)
  if (annotations.length === 0 || inputs.length > definitionsMax)
    return yield* deleteWithRecord(organization, inputs, options)
  const issues = new IssueList()
  const named = annotations.flatMap(({ input, path }) => {
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
  const places = yield* findPlaces(organization, named)
  const remove = (dryRun: boolean) =>
    others.length === 0
      ? Effect.void
      : deleteWithRecord(
          organization,
          others.map(({ input }) => input),
          { ...options, dryRun },
        ).pipe(
          Effect.mapError((error) =>
            "issues" in error
              ? new (error._tag === "DefinitionsNotFound" ? DefinitionsNotFound : DefinitionsAreInvalid)({
                  issues: placedIn(others, error.issues),
                })
              : error,
          ),
        )
  yield* remove(true)
  if (options.dryRun === true) return
  // First, as those of a deleted SLO are deleted with it.
  yield* (yield* AnnotationStore).removeAll(organization, places)
  yield* remove(false)
})

/** Deletes annotations of a project by their IDs, all or none; fails as `deleteDocuments` does. */
export const deleteAnnotations = Effect.fn("deleteAnnotations")(function* (
  organization: OrganizationId,
  project: string,
  ids: ReadonlySet<string>,
  dryRun: boolean,
) {
  const named = Array.from(ids, (id) => ({ path: "name", project, id, slo: undefined }))
  const places = yield* findPlaces(organization, named)
  if (!dryRun) yield* (yield* AnnotationStore).removeAll(organization, places)
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

/** Where annotations are; fails if one does not exist, or if its SLO is not named and several have one of its ID. */
const findPlaces = (organization: OrganizationId, named: ReadonlyArray<NamedAnnotation>) =>
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
    if (!absent.isEmpty) return yield* new DefinitionsNotFound({ issues: absent.sorted() })
    if (!ambiguous.isEmpty) return yield* new DefinitionsAreInvalid({ issues: ambiguous.sorted() })
    return places.flat()
  })
