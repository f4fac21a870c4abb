/** Moves SLOs to another project, or to another service of their project. Source: spec/clients §3. */
import { TaggedError } from "../TaggedError.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { decode, named, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { entryPath, IssueList } from "../codec/Issue.ts"
import { boolean } from "../codec/Leaves.ts"
import type { FollowMove } from "../metadata/KindDescription.ts"
import { objectName, sloName } from "../metadata/Metadata.ts"
import { definitionKeyText, type OrganizationId } from "../metadata/ObjectKey.ts"
import { DefinitionsQuotaIsExceeded, Quotas } from "../quota/Quotas.ts"
import { noteRejection } from "../rate-limit/RejectedOrganizations.ts"
import { emptyService, serviceKind } from "../slo/Service.ts"
import type { Slo } from "../slo/Slo.ts"
import { sloKind } from "../slo/SloKind.ts"
import { changeDefinitions } from "./ChangeDefinitions.ts"
import { definitionKey } from "./Definition.ts"
import { objectText, listedKeys } from "./DeleteDefinitions.ts"
import type { DefinitionChange, DefinitionsRead, DefinitionStore } from "./DefinitionStore.ts"
import { indexedReferences, uniqueKeys } from "./References.ts"
import { type Definition, type DefinitionKey, describedKind } from "./Kinds.ts"
import { emptyProject, isDefaultProject, keyOfProject } from "../slo/Project.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import { DefinitionsAreInvalid, DefinitionsNotFound } from "./DefinitionErrors.ts"

/** Most SLOs that one request moves. */
const movedSlosMax = 1_000

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

type MoveRequest = TypeOf<typeof moveRequest>

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

const sloKey = (project: string, name: string) => ({ kind: sloKind.kind, project, name })

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
    if (slo?.kind === sloKind.kind) return [{ slo, path: entryPath("sloNames", index) }]
    const path = entryPath("sloNames", index)
    absent.add(path, "not_found", `${objectText(sloKey(oldProject, name))} does not exist`)
    return []
  })
  if (!absent.isEmpty) return Result.fail(new DefinitionsNotFound({ issues: absent.sorted() }))

  const isCrossing = newProject !== undefined
  const services = uniqueKeys(
    slos.map(({ slo }) => ({ kind: serviceKind.kind, project: target, name: service ?? slo.spec.service })),
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
      issues.add(path, "duplicate", `${objectText(sloKey(target, slo.metadata.name))} already exists`)
    if (slo.spec.alertPolicies.length > 0 && !detachAlertPolicies) {
      const message = `${objectText(definitionKey(slo))} cannot be moved, because it has assigned Alert Policies: detach them, or set detachAlertPolicies`
      issues.add(path, "in_use", message)
    }
    for (const [kind, referrers] of groupBy(found.referrers(definitionKey(slo)), ({ kind }) => kind)) {
      const { whenMoved } = describedKind(kind)
      if (whenMoved === undefined || !("prevents" in whenMoved)) continue
      const message = `${objectText(definitionKey(slo))} cannot be moved, because ${whenMoved.prevents}: delete ${listedKeys(referrers)}`
      issues.add(path, "in_use", message)
    }
  }
  if (!issues.isEmpty) return Result.fail(new DefinitionsAreInvalid({ issues: issues.sorted() }))

  const movedNames = new Set(isCrossing ? sloNames : [])
  const follow: FollowMove = (key) =>
    key.project === oldProject && movedNames.has(key.name) ? { ...key, project: target } : key
  const movedTexts = new Set(slos.map(({ slo }) => definitionKeyText(definitionKey(slo))))
  const created: ReadonlyArray<Definition> = [
    ...(newProject === undefined ||
    isDefaultProject(keyOfProject(newProject)) ||
    found.find(keyOfProject(newProject)) !== undefined
      ? []
      : [emptyProject(newProject)]),
    ...services.filter((key) => found.find(key) === undefined).map(emptyService),
  ]
  const moved = slos.map(({ slo }): Slo => ({
    ...slo,
    metadata: { ...slo.metadata, project: target },
    spec: {
      ...sloKind.whenMoved.follow(slo, follow).spec,
      service: service ?? slo.spec.service,
      ...(detachAlertPolicies && { alertPolicies: [] }),
    },
  }))
  const following = referrers
    .filter((key) => !movedTexts.has(definitionKeyText(key)))
    .flatMap((key) => {
      const referrer = found.find(key)?.definition
      return referrer === undefined ? [] : [afterMove(referrer, follow)]
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
const afterMove = (definition: Definition, to: FollowMove): Definition => {
  const { whenMoved } = describedKind(definition.kind)
  return whenMoved !== undefined && "follow" in whenMoved ? whenMoved.follow(definition, to) : definition
}
