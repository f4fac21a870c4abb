/** Documents that are stored without effect, in changes of definitions. Source: spec/clients §12. */
import * as Effect from "effect/Effect"
import { alertMethodKind } from "../alert-method/AlertMethodKind.ts"
import { type Issue, IssueList, joinPaths, propertyPath } from "../codec/Issue.ts"
import { definitionKeyText } from "../metadata/ObjectKey.ts"
import { isDefaultProject, keyOfProject, projectKind } from "../slo/Project.ts"
import { checkVersion } from "./DecodeDefinition.ts"
import { definitionKey } from "./Definition.ts"
import { asText } from "./DeleteDefinitions.ts"
import type { DefinitionsRead } from "./DefinitionStore.ts"
import { foreignKinds } from "./ForeignKinds.ts"
import type { DefinitionKey } from "./Kinds.ts"
import { askingPart, type ObjectKey, partChange } from "./Part.ts"
import type {
  AppliedDefinition,
  ApplyRequest,
  ApplyShare,
  Participant,
  RemoveRequest,
  RemoveShare,
} from "./Participant.ts"
import {
  isOfForeignKind,
  isUnsupported,
  readUnsupported,
  readUnsupportedKey,
  type UnsupportedChange,
  type UnsupportedDocument,
  type UnsupportedKey,
  whyUnsupported,
} from "./UnsupportedDocument.ts"

/** Documents to store without effect, and to delete. Asks for the document of a key. */
export const unsupportedPart = askingPart<UnsupportedChange, UnsupportedKey, UnsupportedDocument | undefined>(
  {
    name: "unsupported documents",
    unread: undefined,
    textOf: definitionKeyText,
  },
)

/** Asks for the first `referrersReadMax` documents that are stored without effect in a project. */
export const unsupportedInProjectPart = askingPart<never, string, ReadonlyArray<UnsupportedKey>>({
  name: "unsupported documents of a project",
  unread: [],
  textOf: (project) => project,
})

/** Stores documents that have no effect, where the options of a request allow it, and deletes them whatever the options are. */
export const unsupportedDocuments: Effect.Effect<Participant> = Effect.succeed({
  name: "unsupported documents",
  apply: {
    takes: (document, { allowUnsupported }) => allowUnsupported === true && isUnsupported(document),
    share: (request) => Effect.succeed(applyShare(request)),
  },
  remove: {
    // Alert methods of all types are deleted by their names.
    takes: isOfForeignKind,
    takesKind: (kind) => foreignKinds.has(kind),
    share: (request) => Effect.succeed(removeShare(request)),
  },
})

const isStored = (key: DefinitionKey, found: DefinitionsRead): boolean =>
  key.kind === alertMethodKind.kind && found.ask(unsupportedPart, key) !== undefined

const applyShare = ({ documents: taken, options, drafts }: ApplyRequest): ApplyShare => {
  const unreadable = new IssueList()
  const names = new Set<string>()
  const documents = taken.flatMap(({ input, index, path }) => {
    checkVersion(input, path, unreadable, options.vendorPrefix)
    const document = readUnsupported(input, path, unreadable, options)
    if (document === undefined) return []
    const text = definitionKeyText(document)
    if (names.has(text)) {
      const message = `is duplicated: an earlier document of this request describes the same ${document.kind}`
      unreadable.add(joinPaths(path, "metadata.name"), "duplicate", message)
    }
    names.add(text)
    return [{ document, index, path, why: whyUnsupported(input) }]
  })
  const methodKeys = ({ kind, project, name }: UnsupportedDocument): ReadonlyArray<DefinitionKey> =>
    kind === alertMethodKind.kind ? [{ kind, project, name }] : []
  return {
    issues: unreadable.sorted(),
    reads: documents.flatMap(({ document }) => [
      ...methodKeys(document),
      ...(document.project === "" ? [] : [keyOfProject(document.project)]),
    ]),
    exists: (key, found) => names.has(definitionKeyText(key)) || isStored(key, found),
    decide: (found, after) => {
      const issues = new IssueList()
      const put: Array<UnsupportedDocument> = []
      let created = 0
      const applied = documents.map(({ document, index, path, why }) => {
        const { kind, project, name } = document
        if (methodKeys(document).some((key) => after(key) !== undefined)) {
          const message = `is the name of a webhook of project ${project}; delete it first, or choose another name`
          issues.add(joinPaths(path, "metadata.name"), "duplicate", message)
        }
        if (
          project !== "" &&
          !isDefaultProject(keyOfProject(project)) &&
          after(keyOfProject(project)) === undefined
        ) {
          const message = `names a project that does not exist: ${project}`
          issues.add(joinPaths(path, "metadata.project"), "not_found", message)
        }
        const before = found.ask(unsupportedPart, document)
        const outcome: AppliedDefinition["outcome"] =
          before === undefined ? "created" : before.text === document.text ? "unchanged" : "updated"
        if (outcome === "created") created++
        if (outcome !== "unchanged") put.push(document)
        const warning = {
          path: propertyPath("", kind === alertMethodKind.kind ? "spec" : "kind"),
          code: "unsupported" as const,
          message: `is stored, but has no effect. ${why}`,
        }
        return { index, key: { kind, project, name }, outcome, warnings: [warning] }
      })
      // A definition replaces the document of its kind and name.
      const remove = drafts
        .map(({ draft }) => definitionKey(draft))
        .filter((key) => key.kind === alertMethodKind.kind && found.find(key) === undefined)
        .filter((key) => isStored(key, found))
      return {
        issues: issues.sorted(),
        created,
        applied,
        parts: () => (put.length + remove.length === 0 ? [] : [partChange(unsupportedPart, { put, remove })]),
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
      const key = readUnsupportedKey(input, path, invalid, options)
      return key === undefined ? [] : [{ path: joinPaths(path, "metadata.name"), key }]
    }),
  ]
  const has = (key: DefinitionKey, found: DefinitionsRead): boolean =>
    found.find(key) === undefined && isStored(key, found)
  const isThere = (key: ObjectKey, found: DefinitionsRead): boolean =>
    found.ask(unsupportedPart, key) !== undefined
  return {
    issues: invalid.sorted(),
    removes: named.map(({ key }) => key),
    has,
    referrers: (key, found) =>
      key.kind === projectKind.kind ? found.ask(unsupportedInProjectPart, key.name) : [],
    absent: (found) =>
      options.passesOverAbsent === true
        ? []
        : named
            .filter(({ key }) => !isThere(key, found))
            .map(({ path, key }): Issue => ({
              path,
              code: "not_found",
              message: `${asText(key)} does not exist`,
            })),
    parts: (found) => {
      const remove = [
        ...named.map(({ key }) => key).filter((key) => isThere(key, found)),
        ...definitions.filter((key) => has(key, found)),
      ]
      return remove.length === 0 ? [] : [partChange(unsupportedPart, { put: [], remove })]
    },
  }
}
