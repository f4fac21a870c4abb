import type { Issue } from "../codec/Issue.ts"
import type { StoredDefinition } from "./DefinitionStore.ts"
import type { DefinitionKey } from "./Kinds.ts"
import { TaggedError } from "../TaggedError.ts"

/** Nothing was written. */
export class DefinitionsAreInvalid extends TaggedError("DefinitionsAreInvalid")<{
  /** All issues of all definitions, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** A definition has another revision than a request expects. */
export interface RevisionConflict {
  /** The path of the document in a request of several, such as `[2]`; otherwise `""`. */
  readonly path: string
  /** The definition. */
  readonly key: DefinitionKey
  /** The expected revision; `any`: it must exist; `none`: it must not exist. */
  readonly expected: ExpectedRevision
  /** The definition as it is stored; `undefined` if there is none. */
  readonly current: StoredDefinition | undefined
}

/** Which revision must be stored: one of these, any, or none at all. */
export type ExpectedRevision = ReadonlyArray<string> | "any" | "none"

/** Definitions have changed since the caller has read them. Nothing was written. */
export class DefinitionsHaveChanged extends TaggedError("DefinitionsHaveChanged")<{
  /** One for each such definition, in the order of the request. */
  readonly conflicts: ReadonlyArray<RevisionConflict>
}> {}

/** Nothing was deleted. */
export class DefinitionsNotFound extends TaggedError("DefinitionsNotFound")<{
  /** One for each object that does not exist. */
  readonly issues: ReadonlyArray<Issue>
}> {}
