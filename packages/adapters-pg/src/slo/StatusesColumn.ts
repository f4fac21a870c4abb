import type { SloStatuses } from "@tocsin/domain/status/SloRecord"
import * as Schema from "effect/Schema"

const column = Schema.fromJsonString(
  Schema.Array(
    Schema.Tuple([
      Schema.String,
      Schema.Struct({
        burnRate: Schema.optionalKey(Schema.Finite),
        errorBudgetRemaining: Schema.optionalKey(Schema.Finite),
        errorBudgetRemainingPercentage: Schema.optionalKey(Schema.Finite),
        reliability: Schema.optionalKey(Schema.Finite),
      }),
    ]),
  ),
)

const decode = Schema.decodeUnknownSync(column)

/** Writes the column `statuses`: JSON, an array of pairs of objective and metrics. */
export const statusesToColumn = (statuses: SloStatuses): string => JSON.stringify([...statuses])

/** Reads the column `statuses`; throws when it holds anything else. */
export const columnToStatuses = (text: string): SloStatuses => new Map(decode(text))
