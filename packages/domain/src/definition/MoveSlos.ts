/** Moves SLOs to another project, or to another service of their project. Source: spec/clients §3. */
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { decode, named, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import { entryPath, IssueList } from "../codec/Issue.ts"
import { boolean } from "../codec/Leaves.ts"
import { objectName, sloName } from "../metadata/Metadata.ts"
import {
  type DefinitionKey,
  definitionKeyText,
  keyOfProject,
  type OrganizationId,
  type ProjectKey,
} from "../metadata/ObjectKey.ts"
import { DefinitionsQuotaIsExceeded, Quotas } from "../quota/Quotas.ts"
import { noteRejection } from "../rate-limit/RejectedOrganizations.ts"
import { isCompositeObjective, type Slo } from "../slo/Slo.ts"
import { changeDefinitions } from "./ChangeDefinitions.ts"
import { DefinitionsAreInvalid } from "./ApplyDefinitions.ts"
import { type Definition, definitionKey } from "./Definition.ts"
import { asText, DefinitionsNotFound, listedKeys } from "./DeleteDefinitions.ts"
import { type DefinitionChange, type DefinitionsRead, type DefinitionStore } from "./DefinitionStore.ts"
import { indexedReferences, isDefaultProject, uniqueKeys } from "./References.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"

/** Most SLOs that one request moves. */
export const movedSlosMax = 1_000

/** The codec of a request to move SLOs of one project to another project, another service, or both. */
export const moveRequest = named(
  object(
    {
      sloNames: list(sloName, { min: 1, max: movedSlosMax, distinct: { by: (name) => name } }),
      oldProject: objectName,
      newProject: optional(objectName),
      service: optional(objectName),
      detachAlertPolicies: optional(boolean),
    },
    {
      rules: ({ value: { oldProject, newProject, detachAlertPolicies }, has, at, issues }) => {
        if (!has("newProject") && !has("service"))
          issues.add(at("newProject"), "required", "is required, unless service is given")
        if (newProject !== undefined && newProject === oldProject) {
          const message = "must differ from oldProject; to change only the service, omit newProject"
          issues.add(at("newProject"), "not_allowed_value", message)
        }
        if (!has("newProject") && detachAlertPolicies === true) {
          const message = "must be false without newProject: alert policies stay valid within a project"
          issues.add(at("detachAlertPolicies"), "not_allowed_value", message)
        }
      },
    },
  ),
  "MoveSlos",
)

export type MoveRequest = TypeOf<typeof moveRequest>

/**
 * Moves SLOs with everything that is stored of them, all or none, in one transaction.
 *
 * The project and the service are created if they do not exist; without `service`, each SLO keeps the name of its own.
 * Components and budget adjustments that name the SLOs follow them. Alert policies belong to a project: SLOs that have some
 * are moved to another project only with `detachAlertPolicies`. Fails with `DefinitionsNotFound` if some do not exist,
 * otherwise with `DefinitionsAreInvalid` and every issue. `author` is the client ID of the credential.
 */
export const moveSlos = Effect.fn("moveSlos")(function* (
  organization: OrganizationId,
  body: unknown,
  author?: string,
) {
  const request = yield* Effect.mapError(
    Effect.fromResult(decode(moveRequest, body, undefined)),
    (issues) => new DefinitionsAreInvalid({ issues }),
  )
  const { definitions: limit } = yield* Quotas
  const change = (
    reads: ReadonlyArray<DefinitionKey>,
  ): Effect.Effect<
    DefinitionChange,
    DefinitionsAreInvalid | DefinitionsNotFound | DefinitionsQuotaIsExceeded | StoreIsUnavailable,
    DefinitionStore
  > =>
    changeDefinitions(organization, uniqueKeys(reads), author, (found) =>
      decideMove(request, found, reads, limit),
    ).pipe(Effect.catchTag("DefinitionsAreUnread", ({ keys }) => change([...reads, ...keys])))
  yield* change([
    ...request.sloNames.map((name) => sloKey(request.oldProject, name)),
    ...(request.newProject === undefined ? [] : [keyOfProject(request.newProject)]),
  ]).pipe(Effect.tapErrorTag("DefinitionsQuotaIsExceeded", () => noteRejection(organization, "definitions")))
})

/** More definitions must be read before the move can be decided. */
class DefinitionsAreUnread extends TaggedError("DefinitionsAreUnread")<{
  readonly keys: ReadonlyArray<DefinitionKey>
}> {}

const sloKey = (project: string, name: string) => ({ kind: "SLO", project, name }) as const

const decideMove = (
  { sloNames, oldProject, newProject, service, detachAlertPolicies = false }: MoveRequest,
  found: DefinitionsRead,
  reads: ReadonlyArray<DefinitionKey>,
  limit: number,
): Result.Result<
  DefinitionChange,
  DefinitionsAreInvalid | DefinitionsNotFound | DefinitionsQuotaIsExceeded | DefinitionsAreUnread
> => {
  const target = newProject ?? oldProject
  const absent = new IssueList()
  const slos = sloNames.flatMap((name, index) => {
    const slo = found.find(sloKey(oldProject, name))?.definition
    if (slo?.kind === "SLO") return [{ slo, path: entryPath("sloNames", index) }]
    const path = entryPath("sloNames", index)
    absent.add(path, "not_found", `${asText(sloKey(oldProject, name))} does not exist`)
    return []
  })
  if (!absent.isEmpty) return Result.fail(new DefinitionsNotFound({ issues: absent.sorted() }))

  const isCrossing = newProject !== undefined
  const services = uniqueKeys(
    slos.map(({ slo }) => ({ kind: "Service", project: target, name: service ?? slo.spec.service })),
  )
  const referrers = isCrossing
    ? uniqueKeys(slos.flatMap(({ slo }) => found.referrers(definitionKey(slo))))
    : []
  const read = new Set(reads.map(definitionKeyText))
  const needed = [
    ...services,
    ...referrers,
    ...(isCrossing ? slos.map(({ slo }) => sloKey(target, slo.metadata.name)) : []),
  ]
  const unread = needed.filter((key) => !read.has(definitionKeyText(key)))
  if (unread.length > 0) return Result.fail(new DefinitionsAreUnread({ keys: unread }))

  const issues = new IssueList()
  for (const { slo, path } of isCrossing ? slos : []) {
    if (found.find(sloKey(target, slo.metadata.name)) !== undefined)
      issues.add(path, "duplicate", `${asText(sloKey(target, slo.metadata.name))} already exists`)
    if (slo.spec.alertPolicies.length > 0 && !detachAlertPolicies) {
      const message = `${asText(definitionKey(slo))} cannot be moved, because it has assigned Alert Policies: detach them, or set detachAlertPolicies`
      issues.add(path, "in_use", message)
    }
    const silences = found.referrers(definitionKey(slo)).filter(({ kind }) => kind === "AlertSilence")
    if (silences.length > 0) {
      const message = `${asText(definitionKey(slo))} cannot be moved, because a silence is of one project: delete ${listedKeys(silences)}`
      issues.add(path, "in_use", message)
    }
  }
  if (!issues.isEmpty) return Result.fail(new DefinitionsAreInvalid({ issues: issues.sorted() }))

  const movedNames = new Set(isCrossing ? sloNames : [])
  const follow = <K extends ProjectKey>(key: K): K =>
    key.project === oldProject && movedNames.has(key.name) ? { ...key, project: target } : key
  const movedTexts = new Set(slos.map(({ slo }) => definitionKeyText(definitionKey(slo))))
  const created: ReadonlyArray<Definition> = [
    ...(newProject === undefined ||
    isDefaultProject(keyOfProject(newProject)) ||
    found.find(keyOfProject(newProject)) !== undefined
      ? []
      : [{ kind: "Project", metadata: { name: newProject }, spec: {} } as const]),
    ...services.flatMap((key): ReadonlyArray<Definition> =>
      found.find(key) === undefined
        ? [{ kind: "Service", metadata: { name: key.name, project: key.project }, spec: {} }]
        : [],
    ),
  ]
  const moved = slos.map(({ slo }): Slo => ({
    ...withComponents(slo, follow),
    metadata: { ...slo.metadata, project: target },
    spec: {
      ...withComponents(slo, follow).spec,
      service: service ?? slo.spec.service,
      ...(detachAlertPolicies && { alertPolicies: [] }),
    },
  }))
  const following = referrers
    .filter((key) => !movedTexts.has(definitionKeyText(key)))
    .flatMap((key) => {
      const referrer = found.find(key)?.definition
      return referrer === undefined ? [] : [withReferences(referrer, follow)]
    })
  if (created.length > 0) {
    const stored = found.count()
    if (stored + created.length > limit) {
      return Result.fail(new DefinitionsQuotaIsExceeded({ limit, stored, created: created.length }))
    }
  }
  return Result.succeed({
    put: [...created, ...moved, ...following].map((definition) => ({
      definition,
      references: indexedReferences(definition),
    })),
    remove: [],
    moves: isCrossing ? sloNames.map((name) => ({ name, from: oldProject, to: target })) : [],
  })
}

/** A definition that refers to moved SLOs, as it is after the move. */
const withReferences = (definition: Definition, follow: <K extends ProjectKey>(key: K) => K): Definition => {
  if (definition.kind === "SLO") return withComponents(definition, follow)
  if (definition.kind !== "BudgetAdjustment" || definition.spec.slos === undefined) return definition
  return {
    ...definition,
    spec: { ...definition.spec, slos: definition.spec.slos.map(follow) },
    ...(definition.changedEvents !== undefined && {
      changedEvents: definition.changedEvents.map((each) => ({ ...each, slo: follow(each.slo) })),
    }),
  }
}

const withComponents = (slo: Slo, follow: <K extends ProjectKey>(key: K) => K): Slo => ({
  ...slo,
  spec: {
    ...slo.spec,
    objectives: slo.spec.objectives.map((objective) =>
      isCompositeObjective(objective)
        ? {
            ...objective,
            composite: {
              ...objective.composite,
              components: objective.composite.components.map((component) => ({
                ...component,
                slo: follow(component.slo),
              })),
            },
          }
        : objective,
    ),
  },
})
