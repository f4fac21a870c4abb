/** Applies documents among which are annotations, which are no definitions. Source: spec/clients §5. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { applyWithRecord, type RecordedChangeOptions } from "../budget-change/ChangeBudgets.ts"
import { IssueList, joinPaths } from "../codec/Issue.ts"
import { type AppliedDefinition, DefinitionsAreInvalid } from "../definition/ApplyDefinitions.ts"
import { checkVersion, decodeDefinitionKey, definitionsMax } from "../definition/DecodeDefinition.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import { type OrganizationId, type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import type { Slo } from "../slo/Slo.ts"
import {
  annotationDocument,
  type AnnotationDocument,
  annotationOf,
  annotationsAreEqual,
} from "./AnnotationDocument.ts"
import { annotationsPerSloMax } from "./Annotations.ts"
import type { Annotation } from "./Annotation.ts"
import { type AnnotationChange, type AnnotationOutcome, AnnotationStore } from "./AnnotationStore.ts"
import { type Entry, placedIn, splitDocuments } from "./SplitDocuments.ts"

/** What became of a document. */
export type AppliedDocument = Omit<AppliedDefinition, "key"> & {
  readonly key: Omit<AppliedDefinition["key"], "kind"> & {
    readonly kind: AppliedDefinition["key"]["kind"] | "Annotation"
  }
}

/** Applies documents, all or none, like `applyWithRecord`; annotations are written after the definitions, in one step. */
export const applyDocuments = Effect.fn("applyDocuments")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: RecordedChangeOptions,
) {
  const { annotations, others } = splitDocuments(inputs)
  if (annotations.length === 0 || inputs.length > definitionsMax) {
    const applied: ReadonlyArray<AppliedDocument> = yield* applyWithRecord(organization, inputs, options)
    return applied
  }
  const issues = new IssueList()
  const documents = decodeAnnotations(annotations, options, issues)
  const apply = (dryRun: boolean) =>
    others.length === 0
      ? Effect.succeed([])
      : applyWithRecord(
          organization,
          others.map(({ input }) => input),
          { ...options, dryRun },
        )
  const planned = yield* apply(true).pipe(
    Effect.catchTag("DefinitionsAreInvalid", (invalid) => {
      issues.addAll("", placedIn(others, invalid.issues))
      return Effect.succeed([])
    }),
  )
  const listed = new Map<string, Slo | undefined>(
    others.flatMap(({ input }) => {
      const key = Result.getOrUndefined(decodeDefinitionKey(input, options))
      return key?.kind === "SLO" ? [[projectKeyText(key), undefined]] : []
    }),
  )
  for (const { planned: { after } = {} } of planned)
    if (after?.kind === "SLO") listed.set(projectKeyText(after.metadata), after)
  yield* checkSlos(organization, documents, listed, issues)
  if (!issues.isEmpty) return yield* new DefinitionsAreInvalid({ issues: issues.sorted() })

  const now = yield* Clock.currentTimeMillis
  const changes = documents.map(({ document, path, index }) => ({
    index,
    path,
    slo: sloOf(document),
    id: document.metadata.name,
    merge: (stored: Annotation | undefined): Annotation => {
      const annotation = annotationOf(document, options.author ?? "", now, stored)
      return stored !== undefined && annotationsAreEqual(stored, annotation) ? stored : annotation
    },
  }))
  const isDryRun = options.dryRun === true
  const applied = isDryRun ? planned : yield* apply(false)
  const outcomes = yield* isDryRun
    ? Effect.map(storedAnnotations(organization, documents), (stored) =>
        changes.map(({ slo, id, merge }): AnnotationOutcome => {
          const before = stored.get(placeText({ ...slo, id }))
          return before === undefined ? "created" : merge(before) === before ? "unchanged" : "replaced"
        }),
      )
    : putAnnotations(organization, changes)
  const results = [
    ...changes.map(({ index, slo, id }, at): readonly [number, AppliedDocument] => {
      const outcome = outcomes[at]
      return [
        index,
        {
          key: { kind: "Annotation", project: slo.project, name: id },
          outcome: outcome === "created" || outcome === "unchanged" ? outcome : "updated",
          warnings: [],
        },
      ]
    }),
    ...applied.map((each, at): readonly [number, AppliedDocument] => [others[at]?.index ?? 0, each]),
  ]
  return results.toSorted(([a], [b]) => a - b).map(([, each]) => each)
})

interface DecodedAnnotation {
  readonly document: AnnotationDocument
  readonly index: number
  readonly path: string
}

const decodeAnnotations = (
  entries: ReadonlyArray<Entry>,
  options: RecordedChangeOptions,
  issues: IssueList,
): ReadonlyArray<DecodedAnnotation> => {
  const seen = new Set<string>()
  return entries.flatMap(({ input, index, path }) => {
    checkVersion(input, path, issues, options.vendorPrefix)
    const document = annotationDocument.read(input, path, issues, options)
    if (document === undefined) return []
    const text = placeText({ ...sloOf(document), id: document.metadata.name })
    if (seen.has(text)) {
      const message = "is duplicated: an earlier annotation of this request has the same name and SLO"
      issues.add(joinPaths(path, "metadata.name"), "duplicate", message)
    }
    seen.add(text)
    return [{ document, index, path }]
  })
}

const sloOf = ({ metadata, spec }: AnnotationDocument): ProjectKey => ({
  project: metadata.project,
  name: spec.slo,
})

const placeText = ({ id, ...slo }: ProjectKey & { readonly id: string }): string =>
  `${projectKeyText(slo)} ${id}`

/**
 * Reports SLOs that do not exist and are not in the request, and objectives that they do not have. `listed` are the SLOs of the
 * request as they would be stored; `undefined` if something is wrong with the request.
 */
const checkSlos = (
  organization: OrganizationId,
  documents: ReadonlyArray<DecodedAnnotation>,
  listed: ReadonlyMap<string, Slo | undefined>,
  issues: IssueList,
) =>
  Effect.gen(function* () {
    const keys = new Map(documents.map(({ document }) => [projectKeyText(sloOf(document)), sloOf(document)]))
    const found = yield* (yield* DefinitionStore).findAll(organization, "SLO", [...keys.values()])
    const slos = new Map(found.map(({ definition }) => [projectKeyText(definition.metadata), definition]))
    for (const { document, path } of documents) {
      const { project, name } = sloOf(document)
      const text = projectKeyText({ project, name })
      if (listed.has(text) && listed.get(text) === undefined) continue
      const slo = listed.get(text) ?? slos.get(text)
      const { objectiveName } = document.spec
      if (slo === undefined) {
        const message = `names an SLO that does not exist: ${name} in project ${project}`
        issues.add(joinPaths(path, "spec.slo"), "not_found", message)
      } else if (
        objectiveName !== undefined &&
        !objectivesOf(slo).some((each) => each.name === objectiveName)
      ) {
        const message = `names an objective that the SLO does not have: ${objectiveName}`
        issues.add(joinPaths(path, "spec.objectiveName"), "not_found", message)
      }
    }
  })

const storedAnnotations = (organization: OrganizationId, documents: ReadonlyArray<DecodedAnnotation>) =>
  Effect.gen(function* () {
    const store = yield* AnnotationStore
    const bySlo = new Map<string, { readonly slo: ProjectKey; readonly ids: Array<string> }>()
    for (const { document } of documents) {
      const slo = sloOf(document)
      const entry = bySlo.get(projectKeyText(slo)) ?? { slo, ids: [] }
      entry.ids.push(document.metadata.name)
      bySlo.set(projectKeyText(slo), entry)
    }
    const pages = yield* Effect.forEach(bySlo.values(), ({ slo, ids }) =>
      store.find(organization, { project: slo.project, slo: slo.name, ids }, { limit: ids.length }),
    )
    return new Map(
      pages
        .flatMap(({ items }) => items)
        .map(({ slo, annotation }) => [placeText({ ...slo, id: annotation.id }), annotation]),
    )
  })

const putAnnotations = (
  organization: OrganizationId,
  changes: ReadonlyArray<AnnotationChange & { readonly path: string }>,
) =>
  Effect.gen(function* () {
    const outcomes = yield* (yield* AnnotationStore).putAll(organization, changes, annotationsPerSloMax)
    const issues = new IssueList()
    for (const [index, { path, slo }] of changes.entries()) {
      const at = joinPaths(path, "spec.slo")
      const outcome = outcomes[index]
      if (outcome === "slo_not_found")
        issues.add(at, "not_found", `names an SLO that does not exist: ${slo.name} in project ${slo.project}`)
      if (outcome === "too_many")
        issues.add(at, "too_many", `names an SLO that already has ${annotationsPerSloMax} annotations`)
    }
    return issues.isEmpty ? outcomes : yield* new DefinitionsAreInvalid({ issues: issues.sorted() })
  })
