import * as Data from "effect/Data"

/**
 * A parameter or header of a request breaks a rule; nothing was read or changed.
 *
 * Source: spec/errors §1.
 */
export class ParameterIsInvalid extends Data.TaggedError("ParameterIsInvalid")<{
  readonly code: ParameterCode
  /** The name of the parameter or header, as the caller writes it. */
  readonly propertyName: string
  /** What the caller wrote; absent when it is missing. */
  readonly propertyValue?: string
  /** The rule and its limit. */
  readonly detail: string
}> {}

/** The closed set of codes of an invalid parameter. */
export type ParameterCode =
  | "limit_invalid"
  | "name_too_long"
  | "project_required"
  | "fields_invalid"
  | "date_time_invalid"
  | "range_incomplete"
  | "range_invalid"
  | "range_too_long"
  | "state_invalid"
  | "event_invalid"
  | "order_invalid"
  | "search_too_long"
  | "step_invalid"
  | "idempotency_key_invalid"
