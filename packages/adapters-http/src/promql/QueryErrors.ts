import { TaggedError } from "@tocsin/domain/adapter"

/** The query is not PromQL, or has something that is not supported; `detail` says where. */
export class QueryIsInvalid extends TaggedError("QueryIsInvalid")<{ readonly detail: string }> {}

/** The query cannot be executed with the series there are, or would take too much. */
export class QueryFailed extends TaggedError("QueryFailed")<{ readonly detail: string }> {}
