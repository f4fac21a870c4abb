import type { Issue } from "@tocsin/domain/codec"
import * as Result from "effect/Result"

/**
 * What the public clients call filters of alerts (spec/clients §7): `alert_policy` is `alertPolicy`, and `triggered` and `resolved`,
 * each `true` or `false`, stand for statuses; both false are no filter.
 */
export const alertFilters = {
  names: ["alert_policy", "resolved", "triggered"],
  read: (
    query: URLSearchParams,
  ): Result.Result<
    { readonly alertPolicies: ReadonlyArray<string>; readonly statuses: ReadonlyArray<string> },
    Issue
  > => {
    const statuses: Array<string> = []
    for (const [name, wanted] of [
      ["triggered", ["triggered"]],
      ["resolved", ["resolved", "canceled"]],
    ] as const) {
      const value = query.get(name) ?? ""
      if (value === "true") statuses.push(...wanted)
      else if (value !== "false" && value !== "")
        return Result.fail({ path: name, code: "not_allowed_value", message: "must be true or false" })
    }
    return Result.succeed({ alertPolicies: query.getAll("alert_policy"), statuses })
  },
}
