import { notifiesNobody } from "./NotifiesNobody.ts"
import { sendsNoWebhook } from "./SendsNoWebhook.ts"
import { unreachableBurnRates, unreachableForSlos } from "./UnreachableBurnRates.ts"
import { queriesDoNotCount } from "./QueriesDoNotCount.ts"
import { timeSlicesAreSparse } from "./SparseTimeSlices.ts"
import { templateIsForeign } from "./TemplateIsForeign.ts"
import { sortedWarnings, type Warning } from "../codec/Warning.ts"
import type { DefinitionToWarnOf, WarningContext, WarningRule } from "./WarningRule.ts"
import type { Kind } from "./Kinds.ts"

/** The rules of the kinds that have some. To add one, add it here, and its codes to `warningCodes`. */
const rules: { readonly [K in Kind]?: ReadonlyArray<WarningRule<K>> } = {
  SLO: [queriesDoNotCount, unreachableBurnRates, timeSlicesAreSparse],
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
