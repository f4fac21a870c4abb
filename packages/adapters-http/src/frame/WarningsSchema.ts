import { warning, warningsMax } from "@tocsin/domain/internal/codec/Warning"
import * as Schema from "effect/Schema"

/** The property `warnings` of results. */
export const warnings = Schema.Array(warning.schema()).annotate({
  description: `What probably does not work as it was meant to, sorted by path, at most ${warningsMax}. A warning rejects nothing`,
})
