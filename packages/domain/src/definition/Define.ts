import type { JsonOf } from "../codec/Codec.ts"
import { apiVersionOf } from "../metadata/Envelope.ts"
import { type Kind, kinds } from "./Kinds.ts"

/** A definition as documents write it, of the kind `K` or of any; what `applyDefinitions` takes. */
export type DefinitionDocument<K extends Kind = Kind> = {
  readonly [P in K]: JsonOf<(typeof kinds)[P]["codec"]>
}[K]

type OmitEach<T, N extends string> = T extends unknown ? Omit<T, N> : never

/** A definition of a kind without what follows from the kind. */
type Defined<K extends Kind> = OmitEach<DefinitionDocument<K>, "apiVersion" | "kind"> & {
  /** Default: `tocsin/v1alpha`. */
  readonly apiVersion?: string
  readonly kind?: K
}

const define =
  <K extends Kind>({ kind }: { readonly kind: K }) =>
  (definition: Defined<K>) =>
    ({ apiVersion: apiVersionOf("tocsin"), kind, ...definition }) as unknown as DefinitionDocument<K>

/** The document of a project. */
export const defineProject = define(kinds.Project)

/** The document of a service. */
export const defineService = define(kinds.Service)

/** The document of an SLO. */
export const defineSlo = define(kinds.SLO)

/** The document of an alert policy. */
export const defineAlertPolicy = define(kinds.AlertPolicy)

/** The document of an alert method. */
export const defineAlertMethod = define(kinds.AlertMethod)

/** The document of an alert silence. */
export const defineAlertSilence = define(kinds.AlertSilence)

/** The document of a data source. */
export const defineDataSource = define(kinds.DataSource)

/** The document of a budget adjustment. */
export const defineBudgetAdjustment = define(kinds.BudgetAdjustment)

/** The document of a report. */
export const defineReport = define(kinds.Report)

/** The document of a saved view. */
export const defineSavedView = define(kinds.SavedView)

/** The document of an Agent. */
export const defineAgent = define(kinds.Agent)

/** The document of a Direct. */
export const defineDirect = define(kinds.Direct)
