import type { Warning } from "../codec/Warning.ts"
import type { MinuteRange } from "../codec/MinuteRange.ts"
import type { CountSumsRead } from "../counts/CountStore.ts"
import type { ProjectKey } from "../metadata/ObjectKey.ts"
import type { PromQlAdvisor } from "../slo/PromQlAdvice.ts"
import type { DefinitionDraft, Kind } from "./Kinds.ts"

/** A definition of one kind, valid, but perhaps with values still hidden. */
export type DefinitionToWarnOf<K extends Kind = Kind> = Extract<DefinitionDraft, { readonly kind: K }>

/** The minutes with events of an SLO over the length of its time window until now, in consecutive parts. */
export interface MinutesWithEvents extends Pick<CountSumsRead, "latestAt"> {
  readonly parts: ReadonlyArray<{
    readonly range: MinuteRange
    readonly byObjective: ReadonlyMap<string, number>
  }>
  readonly now: number
}

/** What rules see besides the definition. */
export interface WarningContext {
  /**
   * A definition that the one in question refers to, as it is after the change: an alert policy of an SLO, for example.
   * `undefined` if there is none, or it was not read.
   */
  readonly find: <K extends Kind>(kind: K, key: ProjectKey) => DefinitionToWarnOf<K> | undefined
  /** Whether a definition is part of the request, so that its own warnings are returned with it. */
  readonly isListed: (kind: Kind, key: ProjectKey) => boolean
  /** The alert methods that send nothing now, by `projectKeyText`. Absent where that is not known. */
  readonly stoppedMethods?: ReadonlySet<string>
  /** The SLOs that use an alert policy and are not part of the change, by project and name; some of them where there are many. */
  readonly slosOf: (policy: ProjectKey) => ReadonlyArray<DefinitionToWarnOf<"SLO">>
  /** Absent where PromQL cannot be read. */
  readonly promqlAdvisor?: PromQlAdvisor
  /** By the counts of an SLO. Absent where no counts are read; `undefined` of an SLO of which they were not. */
  readonly minutesWithEvents?: (slo: ProjectKey) => MinutesWithEvents | undefined
}

/** Pure: the same definitions and counts give the same warnings, in a dry run and on every store. Paths are relative to the definition. */
export type WarningRule<K extends Kind> = (
  definition: DefinitionToWarnOf<K>,
  context: WarningContext,
) => ReadonlyArray<Warning>
