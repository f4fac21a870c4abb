import * as Result from "effect/Result"
import { DefinitionsAreInvalid } from "@tocsin/domain/definition/ApplyDefinitions"
import type { Labels } from "@tocsin/domain/metadata/Metadata"
import { parseLabelFilter } from "@tocsin/domain/metadata/LabelFilter"
import * as Effect from "effect/Effect"
import type { ApiRequest } from "./ApiRequest.ts"

/** The labels that the query asks for; fails with `DefinitionsAreInvalid`. Source: decision 0600. */
export const labelsOf = (request: ApiRequest): Effect.Effect<Labels, DefinitionsAreInvalid> => {
  const labels = parseLabelFilter(request.query.getAll("labels").join(","))
  return Result.isSuccess(labels)
    ? Effect.succeed(labels.success)
    : Effect.fail(new DefinitionsAreInvalid({ issues: [labels.failure] }))
}
