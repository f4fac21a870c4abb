import type * as Result from "effect/Result"
import { alertMethodKind } from "../alert-method/AlertMethodKind.ts"
import { alertPolicyKind } from "../alert-policy/AlertPolicy.ts"
import { alertSilenceKind } from "../alert-policy/AlertSilence.ts"
import type { TypeOf } from "../codec/Codec.ts"
import { isObject } from "../codec/Leaves.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import { budgetAdjustmentKind } from "../slo/BudgetAdjustment.ts"
import { dataSourceKind } from "../slo/DataSourceKind.ts"
import { agentKind, directKind } from "../slo/MetricAgent.ts"
import { projectKind } from "../slo/Project.ts"
import { reportKind } from "../slo/ReportDefinition.ts"
import { savedViewKind } from "../slo/SavedView.ts"
import { serviceKind } from "../slo/Service.ts"
import { sloKind } from "../slo/SloKind.ts"

/** The kinds of definitions, by their name as it is in the property `kind`. To add a kind, add its description. */
export const kinds = {
  Project: projectKind,
  Service: serviceKind,
  SLO: sloKind,
  AlertPolicy: alertPolicyKind,
  AlertMethod: alertMethodKind,
  AlertSilence: alertSilenceKind,
  DataSource: dataSourceKind,
  BudgetAdjustment: budgetAdjustmentKind,
  Report: reportKind,
  SavedView: savedViewKind,
  Agent: agentKind,
  Direct: directKind,
}

/** The name of a kind of definitions, such as `SLO`; `kindFromText` parses other spellings. */
export type Kind = keyof typeof kinds

type DraftOf<K extends Kind> = { readonly [P in K]: TypeOf<(typeof kinds)[P]["codec"]> }[K]

/** A definition as submitted, with hidden values not yet resolved. */
export type DefinitionDraft = DraftOf<Kind>

/** A valid definition. */
export type Definition = {
  readonly [K in Kind]: (typeof kinds)[K] extends {
    readonly resolve: (draft: never, stored: never) => Result.Result<infer D, infer _>
  }
    ? D
    : DraftOf<K>
}[Kind]

/** A valid definition of one kind, such as `DefinitionOf<"SLO">`; a union of kinds gives a union of definitions. */
export type DefinitionOf<K extends Kind> = Extract<
  Definition,
  {
    /** The kind, or kinds, to select. */
    readonly kind: K
  }
>

/** Identifies an object within an organization. The `project` of kinds of the organization is `""`. */
export interface DefinitionKey extends ProjectKey {
  /** Its kind, which says whether it belongs to a project or to the organization. */
  readonly kind: Kind
}

/** The names of all kinds, in the order of lists. */
export const kindList = Object.keys(kinds) as ReadonlyArray<Kind>

/** Whether there are definitions of a kind. */
export const isKind = (text: string): text is Kind => Object.hasOwn(kinds, text)

/** The description of a kind, whose functions take definitions of that kind only. */
export const describedKind = (kind: Kind): KindDescription<DefinitionDraft, Definition, Kind> =>
  kinds[kind] as unknown as KindDescription<DefinitionDraft, Definition, Kind>

/** A kind as messages name it, such as "an AlertSilence". */
export const kindWithArticle = (kind: Kind): string => {
  const { words } = kinds[kind]
  return `${words.slice(0, words.indexOf(" "))} ${kind}`
}

/** The kinds whose definitions select SLOs by name or by labels, and that are not SLOs themselves. */
export const selectingKinds: ReadonlySet<Kind> = new Set(
  kindList.filter((kind) => describedKind(kind).selects !== undefined),
)

/** Whether objects of a kind belong to the organization, and to no project. */
export const isOrganizationKind = (kind: string): boolean =>
  isKind(kind) && kinds[kind].home === "organization"

/** Whether some objects of a kind of projects belong to no project. */
export const canBeOfNoProject = (kind: Kind): boolean => describedKind(kind).ofNoProject !== undefined

/** Whether a definition of a kind of projects belongs to no project. Its key has the project `default`. */
export const isOfNoProject = (draft: DefinitionDraft): boolean =>
  describedKind(draft.kind).ofNoProject?.is(draft) === true

/** Whether a document, valid or not, describes what `isOfNoProject`. */
export const describesNoProject = (document: unknown): boolean => {
  const kind = isObject(document) ? document["kind"] : undefined
  return typeof kind === "string" && isKind(kind)
    ? describedKind(kind).ofNoProject?.describedBy(document) === true
    : false
}

/** Every name of a kind that `kindFromText` knows, plurals first. */
export const kindNames = (): Iterable<string> => kindByText.keys()

/** Parses a kind in a URL path: in any case, singular, plural or short. */
export const kindFromText = (text: string): Kind | undefined => kindByText.get(text.toLowerCase())

const kindByText: ReadonlyMap<string, Kind> = new Map(
  kindList.flatMap((kind) => {
    const singular = kind.toLowerCase()
    const plural = singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`
    return [
      [plural, kind],
      [singular, kind],
      [kinds[kind].shortName, kind],
    ] as const
  }),
)
