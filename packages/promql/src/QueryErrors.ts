import * as Data from "effect/Data"

/** The query is not PromQL, or has something that is not supported; `detail` says where. */
export class QueryIsInvalid extends Data.TaggedError("QueryIsInvalid")<{
  /** What is wrong, and where. */
  readonly detail: string
}> {
  override get message(): string {
    return `query is invalid: ${this.detail}`
  }
}

/** The query cannot be executed with the series there are, or would take too much. */
export class QueryFailed extends Data.TaggedError("QueryFailed")<{
  /** What is wrong, and where. */
  readonly detail: string
}> {
  override get message(): string {
    return `query failed: ${this.detail}`
  }
}
