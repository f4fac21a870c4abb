import type { AnnotationsChange } from "../slo/Annotation.ts"
import type { Issue } from "../codec/Issue.ts"
import type { Warning } from "../codec/Warning.ts"
import type { UnsupportedChange } from "./UnsupportedDocument.ts"
import type { DefinitionsRead } from "./DefinitionStore.ts"
import type { Definition, DefinitionKey } from "./Kinds.ts"

/** What applying a definition did, or would do in a dry run. */
export interface AppliedDefinition {
  readonly key: DefinitionKey
  readonly outcome: "created" | "updated" | "unchanged"
  /** Only of a dry run. */
  readonly planned?: PlannedDefinition
  /** What it probably does not do as it was meant to; paths are relative to the definition. */
  readonly warnings: ReadonlyArray<Warning>
}

/** What a dry run compared. */
export interface PlannedDefinition {
  /** The stored definition; absent if there is none. */
  readonly before: Definition | undefined
  /** The definition that would be stored. */
  readonly after: Definition
}

/** Takes part in a change of definitions: it decides with the change, and the store writes its part in the same transaction. */
export interface Participant {
  /** Whether it takes a document of the request, which is no definition. */
  readonly takes: (document: unknown) => boolean
  /** Definitions that it reads, beside those of the change. */
  readonly reads: ReadonlyArray<DefinitionKey>
  /** The texts of the keys of what it takes, which definitions may refer to. */
  readonly names?: ReadonlySet<string>
  /** Decides its part. Must be pure, as a repeated transaction calls it again. */
  readonly decide: (found: DefinitionsRead, after: DefinitionAfter) => Participation
}

/** A definition as it is after the change: `"invalid"` for one of the request that has issues, absent if there is none. */
export type DefinitionAfter = (key: DefinitionKey) => Definition | "invalid" | undefined

/** The part of a participant. Nothing of the request is written if it has issues. */
export interface Participation {
  readonly issues: ReadonlyArray<Issue>
  readonly annotations?: AnnotationsChange
  readonly unsupported?: UnsupportedChange
  /** How many of its objects are new and count as definitions. Default: 0. */
  readonly created?: number
  /** What became of each document that it took. */
  readonly applied: ReadonlyArray<AppliedDocument>
}

/** What became of a document, which has this index in the request. */
export type AppliedDocument = Omit<AppliedDefinition, "key"> & {
  readonly index: number
  readonly key: Omit<DefinitionKey, "kind"> & { readonly kind: string }
}
