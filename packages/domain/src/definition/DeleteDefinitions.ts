import * as Result from "effect/Result"
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import { changeDefinitions } from "./ChangeDefinitions.ts"
import { type ChangeOptions, DefinitionsAreInvalid } from "./ApplyDefinitions.ts"
import { type DecodeOptions, decodeDefinitionKeys, type NamedDefinition } from "./DecodeDefinition.ts"
import { definitionKeyText, type OrganizationId } from "../metadata/ObjectKey.ts"
import type { DefinitionChange } from "./DefinitionStore.ts"
import { type Issue, IssueList, joinPaths } from "../codec/Issue.ts"
import type { UnsupportedKey } from "./UnsupportedDocument.ts"
import type { Definition, DefinitionKey } from "./Kinds.ts"
import { isDefaultProject } from "../slo/Project.ts"

/** Deletes the objects that definitions name, all or none; only the keys are decoded. */
export const deleteDefinitions = Effect.fn("deleteDefinitions")(function* (
  organization: OrganizationId,
  inputs: ReadonlyArray<unknown>,
  options: Pick<DecodeOptions, "vendorPrefix" | "defaultProject"> & ChangeOptions,
) {
  const { keys, issues } = decodeDefinitionKeys(inputs, options)
  if (!issues.isEmpty) return yield* new DefinitionsAreInvalid({ issues: issues.sorted() })
  const named = keys.map((each) => ({ ...each, path: joinPaths(each.path, "metadata.name") }))
  return yield* deleteDefinitionsByKey(organization, named, options)
})

/**
 * Deletes objects in one transaction, all or none; `path` is the path of their issues.
 *
 * The project `default`, and objects to which others refer, cannot be deleted, unless those are deleted too.
 * A dry run deletes nothing. Fails with `DefinitionsNotFound` if some do not exist, otherwise with
 * `DefinitionsAreInvalid`. Public clients pass over objects that do not exist.
 */
export const deleteDefinitionsByKey = Effect.fn("deleteDefinitionsByKey")(function* (
  organization: OrganizationId,
  keys: ReadonlyArray<NamedDefinition>,
  options: ChangeOptions,
) {
  const reads = keys.map(({ key }) => key)
  const goes = new Set([
    ...reads.map(definitionKeyText),
    ...(options.removedUnsupported ?? []).map(({ key }) => definitionKeyText(key)),
  ])
  yield* changeDefinitions(
    organization,
    reads,
    options.author,
    (found): Result.Result<DefinitionChange, DefinitionsAreInvalid | DefinitionsNotFound> => {
      const absent = new IssueList()
      const kept = new IssueList()
      const removed: Array<DefinitionKey> = []
      const unsupported: Array<UnsupportedKey> = []
      for (const { path, key } of options.removedUnsupported ?? []) {
        if (found.unsupported(key) !== undefined) unsupported.push(key)
        else if (options.isPublicClient !== true)
          absent.add(path, "not_found", `${asText(key)} does not exist`)
      }
      for (const { path, key, form } of keys) {
        if (isDefaultProject(key)) {
          kept.add(path, "reserved", `the project ${key.name} always exists and cannot be deleted`)
          continue
        }
        const stored = found.find(key)?.definition
        if (key.kind === "AlertMethod" && stored === undefined && found.unsupported(key) !== undefined) {
          unsupported.push(key)
        } else if (stored === undefined || (form !== undefined && formOf(stored) !== form)) {
          if (options.isPublicClient === true) continue
          absent.add(path, "not_found", `${asText(key, form)} does not exist`)
        } else removed.push(key)
        const referrers = [
          ...found.referrers(key),
          ...(key.kind === "Project" ? found.unsupportedIn(key.name) : []),
        ].filter((referrer) => !goes.has(definitionKeyText(referrer)))
        if (referrers.length > 0)
          kept.add(path, "in_use", `${asText(key)} is in use by ${listedKeys(referrers)}`)
      }
      if (!absent.isEmpty) return Result.fail(new DefinitionsNotFound({ issues: absent.sorted() }))
      if (!kept.isEmpty) return Result.fail(new DefinitionsAreInvalid({ issues: kept.sorted() }))
      if (options.dryRun === true) return Result.succeed({ put: [], remove: [] })
      const changed = removed.map((key) => ({ before: found.find(key)?.definition, after: undefined }))
      return Result.succeed({
        put: [],
        remove: removed,
        annotations: { put: [], remove: options.removedAnnotations ?? [] },
        unsupported: { put: [], remove: unsupported },
        record: options.recordOf?.(changed),
      })
    },
  )
})

/** Nothing was deleted. */
export class DefinitionsNotFound extends TaggedError("DefinitionsNotFound")<{
  /** One for each object that does not exist. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** An object as messages name it. */
export const asText = ({ kind, project, name }: UnsupportedKey, form?: "events"): string => {
  if (kind === "Project") return `the project ${name}`
  if (project === "") return `the ${kind} ${name}`
  return `the ${kind} ${name} ${form === "events" ? "without a project" : `of project ${project}`}`
}

const formOf = (definition: Definition): "events" | undefined =>
  definition.kind === "BudgetAdjustment" ? definition.form : undefined

/** The first objects of a list as messages name them. */
export const listedKeys = (keys: ReadonlyArray<UnsupportedKey>): string => {
  const named = keys
    .slice(0, 3)
    .map((key) => asText(key))
    .join(", ")
  return keys.length > 3 ? `${named} and ${keys.length - 3} more` : named
}
