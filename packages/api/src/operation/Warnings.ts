import { warning } from "@tocsin/domain/codec"
import { warningsMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"

/** The property `warnings` of results. */
export const warnings = Schema.Array(warning.schema()).annotate({
  description: `Parts of valid definitions that probably do not work as intended, sorted by path, at most ${warningsMax}. A warning rejects nothing`,
})
