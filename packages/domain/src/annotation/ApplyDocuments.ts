/** Applies documents among which are some that are no definitions: annotations, and what has no effect. Source: spec/clients §5, §12. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { applyWithRecord, type RecordedChangeOptions } from "../budget-change/ChangeBudgets.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { entryPath, IssueList, joinPaths } from "../codec/Issue.ts"
import { checkVersion, definitionsMax } from "../definition/DecodeDefinition.ts"
import type { AppliedDocument, DefinitionAfter, Participant } from "../definition/Participant.ts"
import { definitionKeyText, type OrganizationId } from "../metadata/ObjectKey.ts"
import { objectivesOf } from "../slo/ObjectiveGroups.ts"
import {
  annotationDocument,
  type AnnotationDocument,
  annotationOf,
  annotationsAreEqual,
  isAnnotation,
} from "./AnnotationDocument.ts"
import { annotationsPerSloMax } from "./Annotations.ts"
import { isUnsupported } from "../definition/UnsupportedDocument.ts"
import { unsupportedOf } from "../definition/ApplyUnsupported.ts"
import type { SloAnnotation } from "../slo/Annotation.ts"
import type { DefinitionKey } from "../definition/Kinds.ts"

/** Applies documents like `applyWithRecord`, in one transaction, all or none. */
export const applyDocuments = Effect.fn("applyDocuments")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: RecordedChangeOptions,
) {
  const hasAnnotations = inputs.length <= definitionsMax && inputs.some(isAnnotation)
  const hasUnsupported =
    options.allowUnsupported === true && inputs.length <= definitionsMax && inputs.some(isUnsupported)
  return yield* applyWithRecord(organization, inputs, options, [
    ...(hasAnnotations ? [annotationsOf(inputs, options, yield* Clock.currentTimeMillis)] : []),
    ...(hasUnsupported ? [unsupportedOf(inputs, options)] : []),
  ])
})

/** The annotations of a request, created or replaced at `now` (Unix milliseconds). */
const annotationsOf = (
  inputs: ReadonlyArray<unknown>,
  options: RecordedChangeOptions,
  now: number,
): Participant => {
  const unreadable = new IssueList()
  const documents = decodeAnnotations(inputs, options, unreadable)
  const slos = new Map(documents.map(({ slo }) => [definitionKeyText(slo), slo]))
  const bySlo = groupBy(documents, ({ slo }) => definitionKeyText(slo))
  return {
    takes: isAnnotation,
    reads: [...slos.values()],
    decide: (found, after) => {
      const issues = new IssueList()
      issues.addAll("", unreadable.sorted())
      const put: Array<SloAnnotation> = []
      const applied: Array<AppliedDocument> = []
      for (const [text, key] of slos) {
        const slo = { project: key.project, name: key.name }
        const ofSlo = bySlo.get(text) ?? []
        const ids = ofSlo.map(({ document }) => document.metadata.name)
        const stored = found.annotations(slo, ids)
        let { count } = stored
        for (const { document, index, path } of ofSlo) {
          checkSlo(document, path, after(key), issues)
          const before = stored.byId.get(document.metadata.name)
          const annotation = annotationOf(document, options.author ?? "", now, before)
          const isUnchanged = before !== undefined && annotationsAreEqual(before, annotation)
          if (!isUnchanged) put.push({ slo, annotation })
          if (before === undefined && ++count > annotationsPerSloMax) {
            const message = `references an SLO that already has ${annotationsPerSloMax} annotations`
            issues.add(joinPaths(path, "spec.slo"), "too_many", message)
          }
          const outcome = before === undefined ? "created" : isUnchanged ? "unchanged" : "updated"
          applied.push({
            index,
            key: { kind: "Annotation", project: slo.project, name: annotation.id },
            outcome,
            warnings: [],
          })
        }
      }
      return { issues: issues.sorted(), annotations: { put, remove: [] }, applied }
    },
  }
}

interface DecodedAnnotation {
  readonly slo: DefinitionKey
  readonly document: AnnotationDocument
  readonly index: number
  readonly path: string
}

const decodeAnnotations = (
  inputs: ReadonlyArray<unknown>,
  options: RecordedChangeOptions,
  issues: IssueList,
): ReadonlyArray<DecodedAnnotation> => {
  const seen = new Set<string>()
  return inputs.flatMap((input, index) => {
    if (!isAnnotation(input)) return []
    const path = inputs.length > 1 ? entryPath("", index) : ""
    checkVersion(input, path, issues, options.vendorPrefix)
    const document = annotationDocument.read(input, path, issues, options)
    if (document === undefined) return []
    const slo: DefinitionKey = { kind: "SLO", project: document.metadata.project, name: document.spec.slo }
    const text = `${definitionKeyText(slo)} ${document.metadata.name}`
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
  if (slo?.kind !== "SLO") {
    const message = `references an SLO that does not exist: ${name} in project ${project}`
    issues.add(joinPaths(path, "spec.slo"), "not_found", message)
  } else if (objectiveName !== undefined && !objectivesOf(slo).some((each) => each.name === objectiveName)) {
    const message = `references an objective that the SLO does not have: ${objectiveName}`
    issues.add(joinPaths(path, "spec.objectiveName"), "not_found", message)
  }
}
