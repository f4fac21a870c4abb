import type { DefinitionDraft } from "./Definition.ts"
import type { Kind, ProjectKey } from "../metadata/ObjectKey.ts"
import type { PromQlAdvisor } from "../slo/PromQlAdvice.ts"
import { notifiesNobody } from "./NotifiesNobody.ts"
import { unreachableBurnRates } from "./UnreachableBurnRates.ts"
import { queriesDoNotCount } from "./QueriesDoNotCount.ts"
import { templateIsForeign } from "./TemplateIsForeign.ts"
import { sortedWarnings, type Warning } from "../codec/Warning.ts"

/** A definition of one kind, valid, but perhaps with values still hidden. */
export type DefinitionToWarnOf<K extends Kind = Kind> = Extract<DefinitionDraft, { readonly kind: K }>

/** What rules see besides the definition. */
export interface WarningContext {
  /**
   * A definition that the one in question refers to, as it is after the change: an alert policy of an SLO, for example.
   * `undefined` if there is none, or it was not read.
   */
  readonly find: <K extends Kind>(kind: K, key: ProjectKey) => DefinitionToWarnOf<K> | undefined
  /** Absent where PromQL cannot be read. */
  readonly promqlAdvisor?: PromQlAdvisor
}

/** Pure: the same definitions give the same warnings, in a dry run and on every store. Paths are relative to the definition. */
export type WarningRule<K extends Kind> = (
  definition: DefinitionToWarnOf<K>,
  context: WarningContext,
) => ReadonlyArray<Warning>

/** The rules of each kind. To add one, add it here, and its codes to `warningCodes`. */
const rules: { readonly [K in Kind]: ReadonlyArray<WarningRule<K>> } = {
  Project: [],
  Service: [],
  SLO: [queriesDoNotCount, unreachableBurnRates],
  AlertPolicy: [notifiesNobody],
  AlertMethod: [templateIsForeign],
  AlertSilence: [],
  DataSource: [],
  BudgetAdjustment: [],
  Report: [],
  Agent: [],
  Direct: [],
}

/** The warnings of one definition, sorted by path. */
export const warningsOf = (
  definition: DefinitionToWarnOf,
  context: WarningContext,
): ReadonlyArray<Warning> => {
  const ofKind = rules[definition.kind] as ReadonlyArray<WarningRule<Kind>>
  return sortedWarnings(ofKind.flatMap((rule) => rule(definition, context)))
}
