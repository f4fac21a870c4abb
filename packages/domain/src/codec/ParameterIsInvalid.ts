import { TaggedError } from "../TaggedError.ts"

/** A query parameter or header is invalid; nothing was read or changed. */
export class ParameterIsInvalid extends TaggedError("ParameterIsInvalid")<{
  /** The `code` of the error in the API response. */
  readonly code: ParameterCode
  /** The name of the parameter or header, such as `limit`. */
  readonly propertyName: string
  /** Absent when it is missing. */
  readonly propertyValue?: string
  /** The rule and its limit, as one clause without a final period; never a secret. */
  readonly detail: string
}> {}

export type ParameterCode =
  | "limit_invalid"
  | "name_too_long"
  | "project_required"
  | "fields_invalid"
  | "labels_invalid"
  | "date_time_invalid"
  | "range_incomplete"
  | "range_invalid"
  | "range_too_long"
  | "severity_invalid"
  | "state_invalid"
  | "status_invalid"
  | "event_invalid"
  | "kind_invalid"
  | "number_invalid"
  | "format_invalid"
  | "search_too_long"
  | "window_invalid"
  | "part_invalid"
  | "slo_invalid"
  | "days_invalid"
  | "step_invalid"
  | "idempotency_key_invalid"
