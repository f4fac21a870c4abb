/** Annotations, which are no definitions, in changes of definitions. Source: spec/clients §5. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { decode } from "../codec/Codec.ts"
import { always, object, optional } from "../codec/Containers.ts"
import { type Issue, IssueList, joinPaths } from "../codec/Issue.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { checkVersion } from "../definition/DecodeDefinition.ts"
import { askingPart, partChange } from "../definition/Part.ts"
import type {
  AppliedDefinition,
  ApplyRequest,
  ApplyShare,
  DefinitionAfter,
  Participant,
  RemoveRequest,
} from "../definition/Participant.ts"
import { ownedProject, sloName } from "../metadata/Metadata.ts"
import { type ProjectKey, projectKeyText } from "../metadata/ObjectKey.ts"
import {
  annotationId,
  type AnnotationPlace,
  type AnnotationsChange,
  type SloAnnotation,
} from "../slo/Annotation.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import { sloKind } from "../slo/SloKind.ts"
import {
  annotationDocument,
  type AnnotationDocument,
  annotationKind,
  annotationOf,
  annotationsAreEqual,
  isAnnotation,
} from "./AnnotationDocument.ts"
import { annotationsPerSloMax } from "./Annotations.ts"
import { type AnnotationsRead, AnnotationStore } from "./AnnotationStore.ts"

/** Annotations to write and to delete with a change. Those of SLOs that do not exist then are passed over. */
export const annotationPart = askingPart<
  AnnotationsChange,
  { readonly slo: ProjectKey; readonly ids: ReadonlyArray<string> },
  AnnotationsRead
>({
  name: "annotations",
  unread: { byId: new Map(), count: 0 },
  textOf: ({ slo, ids }) => `${projectKeyText(slo)} ${ids.join(" ")}`,
})

/** Applies and deletes annotations with definitions. */
export const annotations = Effect.map(AnnotationStore, (store): Participant => ({
  name: "annotations",
  kinds: [{ kind: annotationKind, home: "project" }],
  apply: {
    takes: isAnnotation,
    share: (request) =>
      request.documents.length === 0
        ? Effect.succeed(undefined)
        : Effect.map(Clock.currentTimeMillis, (now) => applyShare(request, now)),
  },
  remove: {
    takes: isAnnotation,
    share: (request) =>
      request.documents.length + request.objects.length === 0
        ? Effect.succeed(undefined)
        : removeShare(store, request),
  },
}))

/** The annotations of a request, created or replaced at `now` (Unix milliseconds). */
const applyShare = (request: ApplyRequest, now: number): ApplyShare => {
  const unreadable = new IssueList()
  const decoded = decodeAnnotations(request, unreadable)
  const bySlo = groupBy(decoded, ({ slo }) => projectKeyText(slo))
  const keyOf = (slo: ProjectKey) => ({ kind: sloKind.kind, ...slo })
  return {
    issues: unreadable.sorted(),
    reads: decoded.map(({ slo }) => keyOf(slo)),
    decide: (found, after) => {
      const issues = new IssueList()
      const put: Array<SloAnnotation> = []
      const applied: Array<AppliedDefinition & { readonly index: number }> = []
      for (const [, ofSlo] of bySlo) {
        const [first] = ofSlo
        if (first === undefined) continue
        const { slo } = first
        const ids = ofSlo.map(({ document }) => document.metadata.name)
        const stored = found.ask(annotationPart, { slo, ids })
        let { count } = stored
        for (const { document, index, path } of ofSlo) {
          checkSlo(document, path, after(keyOf(slo)), issues)
          const before = stored.byId.get(document.metadata.name)
          const annotation = annotationOf(document, request.options.author ?? "", now, before)
          const isUnchanged = before !== undefined && annotationsAreEqual(before, annotation)
          if (!isUnchanged) put.push({ slo, annotation })
          if (before === undefined && ++count > annotationsPerSloMax) {
            const message = `references an SLO that already has ${annotationsPerSloMax} annotations`
            issues.add(joinPaths(path, "spec.slo"), "too_many", message)
          }
          applied.push({
            index,
            key: { kind: annotationKind, project: slo.project, name: annotation.id },
            outcome: before === undefined ? "created" : isUnchanged ? "unchanged" : "updated",
            warnings: [],
          })
        }
      }
      return {
        issues: issues.sorted(),
        applied,
        parts: () => [partChange(annotationPart, { put, remove: [] })],
      }
    },
  }
}

interface DecodedAnnotation {
  readonly slo: ProjectKey
  readonly document: AnnotationDocument
  readonly index: number
  readonly path: string
}

const decodeAnnotations = (
  { documents, options }: ApplyRequest,
  issues: IssueList,
): ReadonlyArray<DecodedAnnotation> => {
  const seen = new Set<string>()
  return documents.flatMap(({ input, index, path }) => {
    checkVersion(input, path, issues, options.vendorPrefix)
    const document = annotationDocument.read(input, path, issues, options)
    if (document === undefined) return []
    const slo = { project: document.metadata.project, name: document.spec.slo }
    const text = `${projectKeyText(slo)} ${document.metadata.name}`
    if (seen.has(text)) {
      const message = "is duplicated: an earlier annotation of this request has the same name and SLO"
      issues.add(joinPaths(path, "metadata.name"), "duplicate", message)
    }
    seen.add(text)
    return [{ slo, document, index, path }]
  })
}

/** Reports an SLO that does not exist after the change, and an objective that it does not have. */
const checkSlo = (
  { metadata: { project }, spec: { slo: name, objectiveName } }: AnnotationDocument,
  path: string,
  slo: ReturnType<DefinitionAfter>,
  issues: IssueList,
): void => {
  if (slo === "invalid") return
  if (slo?.kind !== sloKind.kind) {
    const message = `references an SLO that does not exist: ${name} in project ${project}`
    issues.add(joinPaths(path, "spec.slo"), "not_found", message)
  } else if (objectiveName !== undefined && !objectivesOf(slo).some((each) => each.name === objectiveName)) {
    const message = `references an objective that the SLO does not have: ${objectiveName}`
    issues.add(joinPaths(path, "spec.objectiveName"), "not_found", message)
  }
}

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
  readonly slo?: string | undefined
}

/** An annotation whose SLO is not named is found by its ID, which only one SLO may have. */
const removeShare = Effect.fnUntraced(function* (
  store: AnnotationStore["Service"],
  { organization, documents, objects, options }: RemoveRequest,
) {
  const invalid = new IssueList()
  const named = [
    ...objects.map(({ path, key: { project, name } }): NamedAnnotation => ({ path, project, id: name })),
    ...documents.flatMap(({ input, path }): ReadonlyArray<NamedAnnotation> => {
      const found = decode(annotationKey, input, options)
      if (Result.isFailure(found)) {
        invalid.addAll(path, found.failure)
        return []
      }
      const { metadata, spec } = found.success
      const at = joinPaths(path, "metadata.name")
      return [{ path: at, project: metadata.project, id: metadata.name, slo: spec?.slo }]
    }),
  ]
  if (!invalid.isEmpty) return { issues: invalid.sorted() }
  const absent: Array<Issue> = []
  const ambiguous: Array<Issue> = []
  const places = yield* Effect.forEach(named, ({ path, project, id, slo }) =>
    Effect.gen(function* () {
      const query = { project, ids: [id], ...(slo !== undefined && { slo }) }
      const { items } = yield* store.find(organization, query, { limit: 2 })
      const [one, another] = items
      if (one === undefined) {
        const message = `the annotation ${id} of project ${project} does not exist`
        absent.push({ path, code: "not_found", message })
      } else if (another !== undefined) {
        const message = `several SLOs have an annotation ${id}: name the SLO in spec.slo`
        ambiguous.push({ path, code: "duplicate", message })
      }
      return items.map(({ slo, annotation }): AnnotationPlace => ({
        project: slo.project,
        slo: slo.name,
        id: annotation.id,
      }))
    }),
  )
  return {
    absent: () => (options.passesOverAbsent === true ? [] : absent),
    kept: ambiguous,
    parts: () => [partChange(annotationPart, { put: [], remove: places.flat() })],
  }
})
