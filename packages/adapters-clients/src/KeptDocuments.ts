/** Documents that have no effect here, in changes of definitions. Source: spec/clients §12. */
import {
  type AppliedDefinition,
  type ApplyRequest,
  type ApplyShare,
  checkVersion,
  type KeptDocument,
  keptInProjectPart,
  keptPart,
  type ObjectKey,
  objectText,
  type Participant,
  partChange,
  type RemoveRequest,
  type RemoveShare,
} from "@tocsin/domain"
import { definitionKey } from "@tocsin/domain/adapter"
import { type Issue, IssueList, joinPaths, propertyPath } from "@tocsin/domain/codec"
import { defaultProjectName } from "@tocsin/domain/definitions"
import { type DefinitionKey, definitionKeyText } from "@tocsin/domain/kernel"
import type { DefinitionsRead } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import {
  isForeignMethod,
  isOfForeignKind,
  keptKinds,
  readForeign,
  readForeignKey,
  rejectForeignKind,
  whyForeign,
} from "./ForeignDocument.ts"

/** Which documents of the public clients are stored. */
export interface ClientOptions {
  /** Whether documents that have no effect are kept, instead of rejected. Documents that are kept can be deleted in any case. */
  readonly allowUnsupported: boolean
}

/** Keeps documents that have no effect, if the options allow it, and deletes them whatever the options are. */
export const keptDocuments = (options: ClientOptions): Effect.Effect<Participant> =>
  Effect.succeed({
    name: "kept documents",
    kinds: keptKinds,
    apply: {
      takes: (document) =>
        isOfForeignKind(document) || (options.allowUnsupported && isForeignMethod(document)),
      share: (request) => Effect.succeed(applyShare(request, options)),
    },
    remove: {
      // Alert methods of all types are deleted by their names.
      takes: isOfForeignKind,
      share: (request) => Effect.succeed(removeShare(request)),
    },
  })

/** The kind of documents and definitions that share their names. */
const alertMethod = "AlertMethod"

const keyOfProject = (name: string) => ({ kind: "Project", project: "", name }) as const

const isStored = (key: DefinitionKey, found: DefinitionsRead): boolean =>
  key.kind === alertMethod && found.ask(keptPart, key) !== undefined

const applyShare = (
  { documents: taken, options, drafts }: ApplyRequest,
  { allowUnsupported }: ClientOptions,
): ApplyShare => {
  const unreadable = new IssueList()
  const names = new Set<string>()
  const documents = taken.flatMap(({ input, index, path }) => {
    checkVersion(input, path, unreadable, options.vendorPrefix)
    if (!allowUnsupported) {
      rejectForeignKind(input, path, unreadable)
      return []
    }
    const document = readForeign(input, path, unreadable, options)
    if (document === undefined) return []
    const text = definitionKeyText(document)
    if (names.has(text)) {
      const message = `is duplicated: an earlier document of this request describes the same ${document.kind}`
      unreadable.add(joinPaths(path, "metadata.name"), "duplicate", message)
    }
    names.add(text)
    return [{ document, index, path, why: whyForeign(input) }]
  })
  const methodKeys = ({ kind, project, name }: KeptDocument): ReadonlyArray<DefinitionKey> =>
    kind === alertMethod ? [{ kind, project, name }] : []
  return {
    issues: unreadable.sorted(),
    reads: documents.flatMap(({ document }) => [
      ...methodKeys(document),
      ...(document.project === "" ? [] : [keyOfProject(document.project)]),
    ]),
    exists: (key, found) => names.has(definitionKeyText(key)) || isStored(key, found),
    decide: (found, after) => {
      const issues = new IssueList()
      const put: Array<KeptDocument> = []
      let created = 0
      const applied = documents.map(({ document, index, path, why }) => {
        const { kind, project, name } = document
        if (methodKeys(document).some((key) => after(key) !== undefined)) {
          const message = `is the name of a webhook of project ${project}; delete it first, or choose another name`
          issues.add(joinPaths(path, "metadata.name"), "duplicate", message)
        }
        if (project !== "" && project !== defaultProjectName && after(keyOfProject(project)) === undefined) {
          const message = `references a project that does not exist: ${project}`
          issues.add(joinPaths(path, "metadata.project"), "not_found", message)
        }
        const before = found.ask(keptPart, document)
        const outcome: AppliedDefinition["outcome"] =
          before === undefined ? "created" : before.text === document.text ? "unchanged" : "updated"
        if (outcome === "created") created++
        if (outcome !== "unchanged") put.push(document)
        const warning = {
          path: propertyPath("", kind === alertMethod ? "spec" : "kind"),
          code: "unsupported" as const,
          message: `is stored, but has no effect. ${why}`,
        }
        return { index, key: { kind, project, name }, outcome, warnings: [warning] }
      })
      // A definition replaces the document of its kind and name.
      const remove = drafts
        .map(({ draft }) => definitionKey(draft))
        .filter((key) => key.kind === alertMethod && found.find(key) === undefined)
        .filter((key) => isStored(key, found))
      return {
        issues: issues.sorted(),
        created,
        applied,
        parts: () => (put.length + remove.length === 0 ? [] : [partChange(keptPart, { put, remove })]),
      }
    },
  }
}

const removeShare = ({ documents, objects, definitions, options }: RemoveRequest): RemoveShare => {
  const invalid = new IssueList()
  const named = [
    ...objects,
    ...documents.flatMap(({ input, path }) => {
      checkVersion(input, path, invalid, options.vendorPrefix)
      const key = readForeignKey(input, path, invalid, options)
      return key === undefined ? [] : [{ path: joinPaths(path, "metadata.name"), key }]
    }),
  ]
  const has = (key: DefinitionKey, found: DefinitionsRead): boolean =>
    found.find(key) === undefined && isStored(key, found)
  const isThere = (key: ObjectKey, found: DefinitionsRead): boolean => found.ask(keptPart, key) !== undefined
  return {
    issues: invalid.sorted(),
    removes: named.map(({ key }) => key),
    has,
    referrers: (key, found) => (key.kind === "Project" ? found.ask(keptInProjectPart, key.name) : []),
    absent: (found) =>
      options.passesOverAbsent === true
        ? []
        : named
            .filter(({ key }) => !isThere(key, found))
            .map(({ path, key }): Issue => ({
              path,
              code: "not_found",
              message: `${objectText(key)} does not exist`,
            })),
    parts: (found) => {
      const remove = [
        ...named.map(({ key }) => key).filter((key) => isThere(key, found)),
        ...definitions.filter((key) => has(key, found)),
      ]
      return remove.length === 0 ? [] : [partChange(keptPart, { put: [], remove })]
    },
  }
}
