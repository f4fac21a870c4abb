import * as Effect from "effect/Effect"
import { methodsOfPolicy } from "../alert-policy/PolicyReach.ts"
import { groupBy } from "../collections/GroupBy.ts"
import { definitionKey } from "./Definition.ts"
import { DefinitionStore } from "./DefinitionStore.ts"
import { referencesOf, uniqueKeys } from "./References.ts"
import {
  compareProjectKeys,
  definitionKeyText,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "../metadata/ObjectKey.ts"
import { sortedWarnings, type Warning, warningsBelow } from "../codec/Warning.ts"
import type { StoreIsUnavailable } from "../StoreIsUnavailable.ts"
import type { PromQlContext } from "../slo/PromQlCheck.ts"
import type { DefinitionToWarnOf, WarningContext, WarningRule } from "./WarningRule.ts"
import type { DefinitionDraft, Kind } from "./Kinds.ts"
import { noDataNotifiesNobody, notifiesNobody, policiesNotifyNobody } from "./NotifiesNobody.ts"
import { sendsNoWebhook } from "./SendsNoWebhook.ts"
import { unreachableBurnRates, unreachableForSlos } from "./UnreachableBurnRates.ts"
import { queriesDoNotCount } from "./QueriesDoNotCount.ts"
import { timeSlicesAreSparse } from "./SparseTimeSlices.ts"
import { templateIsForeign } from "./TemplateIsForeign.ts"

/** What warnings are found with, beside definitions. */
export type WarningOptions = Pick<PromQlContext, "promqlAdvisor"> &
  Pick<WarningContext, "minutesWithEvents" | "stoppedMethods">

/** How it is found which alert methods send nothing now. */
export interface StoppedMethodsReader {
  /**
   * Reads those of some alert methods that send nothing now, by `projectKeyText`; `exists` has those that a request creates. Absent
   * where that is not known.
   */
  readonly readStopped?: (
    alertMethods: ReadonlyArray<ProjectKey>,
    exists: ReadonlySet<string>,
  ) => Effect.Effect<ReadonlySet<string>, StoreIsUnavailable>
}

/** Reads which alert methods of definitions send nothing now, of which `listed` are part of the request. */
export const readStoppedMethodsOf = Effect.fnUntraced(function* (
  definitions: ReadonlyArray<DefinitionToWarnOf>,
  { readStopped }: StoppedMethodsReader,
  listed: ReadonlyArray<DefinitionToWarnOf> = [],
) {
  const methods = definitions.flatMap((each): ReadonlyArray<ProjectKey> => {
    if (each.kind === "AlertPolicy") return methodsOfPolicy(each)
    return each.kind === "SLO" ? (each.spec.anomalyConfig?.noData.alertMethods ?? []) : []
  })
  if (readStopped === undefined || methods.length === 0) return {}
  const exists = listed.flatMap((each) =>
    each.kind === "AlertMethod" ? [projectKeyText(each.metadata)] : [],
  )
  return { stoppedMethods: yield* readStopped(methods, new Set(exists)) }
})

/**
 * What rules see: `definitions`, of which the last one of a key counts, the SLOs that use alert policies of the change, and which of
 * the definitions are `listed` in the request.
 */
export const warningContext = (
  definitions: Iterable<DefinitionToWarnOf>,
  { promqlAdvisor, minutesWithEvents, stoppedMethods }: WarningOptions,
  users: ReadonlyArray<DefinitionToWarnOf<"SLO">> = [],
  listed: Iterable<DefinitionToWarnOf> = [],
): WarningContext => {
  const listedKeys = new Set(Array.from(listed, (each) => definitionKeyText(definitionKey(each))))
  const byKey = new Map<string, DefinitionToWarnOf>()
  for (const each of definitions) byKey.set(definitionKeyText(definitionKey(each)), each)
  const byPolicy = groupBy(
    users.flatMap((slo) =>
      slo.spec.alertPolicies.map((name) => ({ policy: { project: slo.metadata.project, name }, slo })),
    ),
    ({ policy }) => projectKeyText(policy),
  )
  return {
    ...(promqlAdvisor !== undefined && { promqlAdvisor }),
    ...(minutesWithEvents !== undefined && { minutesWithEvents }),
    ...(stoppedMethods !== undefined && { stoppedMethods }),
    isListed: (kind, { project, name }) => listedKeys.has(definitionKeyText({ kind, project, name })),
    find: <K extends Kind>(kind: K, { project, name }: ProjectKey) =>
      byKey.get(definitionKeyText({ kind, project, name })) as DefinitionToWarnOf<K> | undefined,
    slosOf: (policy) => (byPolicy.get(projectKeyText(policy)) ?? []).map(({ slo }) => slo),
  }
}

/** Maximum number of alert policies of one change whose SLOs are read for warnings. */
const warnedPoliciesMax = 100

/** Maximum number of SLOs that are read for each of them. */
const warnedSlosPerPolicyMax = 100

/** Maximum number of SLOs that are read for all of them. */
const warnedSlosMax = 1_000

/** The stored SLOs that use alert policies of a change, but are not part of it, by project and name. */
export const readUsers = Effect.fnUntraced(function* (
  organization: OrganizationId,
  changed: ReadonlyArray<DefinitionDraft>,
) {
  const policies = changed.filter(({ kind }) => kind === "AlertPolicy").slice(0, warnedPoliciesMax)
  if (policies.length === 0) return []
  const { referrers, findAll } = yield* DefinitionStore
  const keys = new Set(changed.map((each) => definitionKeyText(definitionKey(each))))
  const users = yield* referrers(organization, "SLO", policies.map(definitionKey), warnedSlosPerPolicyMax)
  const others = users.filter((key) => !keys.has(definitionKeyText(key))).toSorted(compareProjectKeys)
  if (others.length === 0) return []
  const found = yield* findAll(organization, "SLO", others.slice(0, warnedSlosMax))
  return found
    .map(({ definition }) => definition)
    .toSorted((a, b) => compareProjectKeys(a.metadata, b.metadata))
})

/** The warnings of a definition that is proposed, with what it refers to and is used by as it is stored; `path` is where it is in the request. */
export const readWarnings = Effect.fnUntraced(function* (
  organization: OrganizationId,
  definition: DefinitionDraft,
  options: WarningOptions & StoppedMethodsReader,
  path = "",
) {
  const { findAll } = yield* DefinitionStore
  const byKind = groupBy(uniqueKeys(referencesOf(definition).map(({ key }) => key)), ({ kind }) => kind)
  const found = yield* Effect.forEach(byKind, ([kind, keys]) => findAll(organization, kind, keys))
  const referenced = found.flat().map((stored): DefinitionToWarnOf => stored.definition)
  const users = yield* readUsers(organization, [definition])
  const stopped = yield* readStoppedMethodsOf([...referenced, definition], options)
  const context = warningContext([...referenced, definition], { ...options, ...stopped }, users)
  return warningsBelow(path, warningsOf(definition, context))
})

/** The warnings of several results in one list, with the paths of issues of such a list. */
export const listedWarnings = (
  results: ReadonlyArray<{ readonly warnings: ReadonlyArray<Warning> }>,
): ReadonlyArray<Warning> =>
  sortedWarnings(
    results.flatMap(({ warnings }, index) => warningsBelow(results.length > 1 ? `[${index}]` : "", warnings)),
  )

/** The rules of the kinds that have some. To add one, add it here, and its codes to `warningCodes`. */
const rules: { readonly [K in Kind]?: ReadonlyArray<WarningRule<K>> } = {
  SLO: [
    policiesNotifyNobody,
    noDataNotifiesNobody,
    queriesDoNotCount,
    unreachableBurnRates,
    timeSlicesAreSparse,
  ],
  AlertPolicy: [notifiesNobody, sendsNoWebhook, unreachableForSlos],
  AlertMethod: [templateIsForeign],
}

/** The warnings of one definition, sorted by path. */
export const warningsOf = (
  definition: DefinitionToWarnOf,
  context: WarningContext,
): ReadonlyArray<Warning> => {
  const ofKind = (rules[definition.kind] ?? []) as ReadonlyArray<WarningRule<Kind>>
  return sortedWarnings(ofKind.flatMap((rule) => rule(definition, context)))
}
