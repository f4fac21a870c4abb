import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Issue, IssueList, joinPaths } from "../codec/Issue.ts"
import { definitionKeyText, type OrganizationId } from "../metadata/ObjectKey.ts"
import { isDefaultProject, projectKind } from "../slo/Project.ts"
import { changeDefinitions } from "./ChangeDefinitions.ts"
import {
  type DecodeOptions,
  decodeDefinitionKeys,
  type NamedDefinition,
  type RemovedObject,
  takenDocuments,
} from "./DecodeDefinition.ts"
import { DefinitionsAreInvalid, DefinitionsHaveChanged, DefinitionsNotFound } from "./DefinitionErrors.ts"
import type { DefinitionChange } from "./DefinitionStore.ts"
import { type DefinitionKey, isKind, isOfNoProject } from "./Kinds.ts"
import type { ObjectKey } from "./Part.ts"
import { type ChangeOptions, Participants, type RemoveRequest, type RemoveShare } from "./Participant.ts"
import { onlyOneExpected, revisionConflicts } from "./RevisionConflicts.ts"

/**
 * Deletes the objects that documents name, all or none, as `deleteDefinitionsByKey` does; only the keys are decoded. Participants
 * of the host may take some, such as annotations.
 */
export const deleteDefinitions = Effect.fn("deleteDefinitions")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: Pick<DecodeOptions, "vendorPrefix" | "defaultProject"> & ChangeOptions,
) {
  const participants = (yield* Participants).flatMap(({ remove }) => remove ?? [])
  const isTaken = (input: unknown): boolean => participants.some(({ takes }) => takes?.(input) === true)
  const { keys, issues } = decodeDefinitionKeys(inputs, options, isTaken)
  const named = keys.map((each) => ({ ...each, path: joinPaths(each.path, "metadata.name") }))
  yield* removeAll(organization, named, [], issues.isFull ? [] : inputs, issues.sorted(), options)
})

/**
 * Deletes objects in one transaction, all or none; `path` is the path of their issues. Objects of kinds that are not definitions
 * are those of participants.
 *
 * The project `default`, and objects to which others refer, cannot be deleted, unless those are deleted too.
 * A dry run deletes nothing. Fails with `DefinitionsHaveChanged` if the only definition has another revision than `expected`, with
 * `DefinitionsNotFound` if some do not exist, otherwise with `DefinitionsAreInvalid`; `passesOverAbsent` passes over those that do
 * not exist.
 */
export const deleteDefinitionsByKey = Effect.fn("deleteDefinitionsByKey")(function* (
  organization: OrganizationId,
  keys: ReadonlyArray<RemovedObject>,
  options: ChangeOptions,
) {
  const others = keys.filter(({ key }) => !isKind(key.kind))
  const named = keys.flatMap((each): ReadonlyArray<NamedDefinition> => {
    const { kind } = each.key
    return isKind(kind) ? [{ ...each, key: { ...each.key, kind } }] : []
  })
  yield* removeAll(organization, named, others, [], [], { vendorPrefix: "", ...options })
})

const removeAll = Effect.fnUntraced(function* (
  organization: OrganizationId,
  keys: ReadonlyArray<NamedDefinition>,
  others: ReadonlyArray<RemovedObject>,
  inputs: ReadonlyArray<unknown>,
  known: ReadonlyArray<Issue>,
  options: RemoveRequest["options"],
) {
  const invalid = new IssueList()
  invalid.addAll("", known)
  if (options.expected !== undefined && (keys.length !== 1 || others.length > 0))
    invalid.addAll("", [onlyOneExpected(inputs.length > 0 ? "" : "name")])
  const definitions = keys.map(({ key }) => key)
  const shares: Array<RemoveShare> = []
  const participants = (yield* Participants).flatMap(({ kinds = [], remove }) =>
    remove === undefined ? [] : [{ ...remove, kinds: new Set(kinds.map(({ kind }) => kind)) }],
  )
  for (const { path, key } of others)
    if (!participants.some(({ kinds }) => kinds.has(key.kind)))
      invalid.add(path, "not_found", `${objectText(key)} does not exist`)
  for (const { takes, kinds, share } of participants) {
    const documents = takenDocuments(inputs, (input) => takes?.(input) === true)
    const objects = others.filter(({ key }) => kinds.has(key.kind))
    const own = yield* share({ organization, documents, objects, definitions, options })
    if (own === undefined) continue
    shares.push(own)
    invalid.addAll("", own.issues ?? [])
  }
  if (!invalid.isEmpty) return yield* new DefinitionsAreInvalid({ issues: invalid.sorted() })
  const goes = new Set(
    [...definitions, ...shares.flatMap(({ removes = [] }) => removes)].map(definitionKeyText),
  )
  yield* changeDefinitions(
    organization,
    definitions,
    options.author,
    (
      found,
    ): Result.Result<
      DefinitionChange,
      DefinitionsAreInvalid | DefinitionsHaveChanged | DefinitionsNotFound
    > => {
      const conflicts = revisionConflicts(keys, found, options.expected)
      if (conflicts.length > 0) return Result.fail(new DefinitionsHaveChanged({ conflicts }))
      const absent = new IssueList()
      const kept = new IssueList()
      const removed: Array<DefinitionKey> = []
      for (const share of shares) {
        absent.addAll("", share.absent?.(found) ?? [])
        kept.addAll("", share.kept ?? [])
      }
      for (const { path, key, ofNoProject = false } of keys) {
        if (isDefaultProject(key)) {
          kept.add(path, "reserved", `the project ${key.name} always exists and cannot be deleted`)
          continue
        }
        const stored = found.find(key)?.definition
        const isOfShare = stored === undefined && shares.some((share) => share.has?.(key, found) === true)
        if (!isOfShare) {
          if (stored === undefined || (ofNoProject && !isOfNoProject(stored))) {
            if (options.passesOverAbsent === true) continue
            absent.add(path, "not_found", `${objectText(key, ofNoProject)} does not exist`)
          } else removed.push(key)
        }
        const referrers = [
          ...found.referrers(key),
          ...shares.flatMap((share) => share.referrers?.(key, found) ?? []),
        ].filter((referrer) => !goes.has(definitionKeyText(referrer)))
        if (referrers.length > 0)
          kept.add(
            path,
            "in_use",
            `${objectText(key)} is in use by ${listedKeys(referrers)}; delete what refers to it first, or in the same request`,
          )
      }
      if (!absent.isEmpty) return Result.fail(new DefinitionsNotFound({ issues: absent.sorted() }))
      if (!kept.isEmpty) return Result.fail(new DefinitionsAreInvalid({ issues: kept.sorted() }))
      if (options.dryRun === true) return Result.succeed({ put: [], remove: [] })
      const changed = removed.map((key) => ({ before: found.find(key)?.definition, after: undefined }))
      return Result.succeed({
        put: [],
        remove: removed,
        parts: shares.flatMap(({ parts }) => parts?.(found, changed) ?? []),
      })
    },
  )
})

/** An object as messages name it. */
export const objectText = ({ kind, project, name }: ObjectKey, ofNoProject = false): string => {
  if (kind === projectKind.kind) return `the project ${name}`
  if (project === "") return `the ${kind} ${name}`
  return `the ${kind} ${name} ${ofNoProject ? "without a project" : `of project ${project}`}`
}

/** The first objects of a list as messages name them. */
export const listedKeys = (keys: ReadonlyArray<ObjectKey>): string => {
  const named = keys
    .slice(0, 3)
    .map((key) => objectText(key))
    .join(", ")
  return keys.length > 3 ? `${named} and ${keys.length - 3} more` : named
}
