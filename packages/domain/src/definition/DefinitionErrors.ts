import type { Issue } from "../codec/Issue.ts"
import { TaggedError } from "../TaggedError.ts"

/** Nothing was written. */
export class DefinitionsAreInvalid extends TaggedError("DefinitionsAreInvalid")<{
  /** All issues of all definitions, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** Nothing was deleted. */
export class DefinitionsNotFound extends TaggedError("DefinitionsNotFound")<{
  /** One for each object that does not exist. */
  readonly issues: ReadonlyArray<Issue>
}> {}
