import { DefinitionsAreInvalid } from "@tocsin/domain/internal/definition/ApplyDefinitions"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { TextBody } from "../frame/RequestBody.ts"
import { documentMediaTypes, readDocuments } from "./ReadDocuments.ts"
import { yamlIndicatorsOfOneMax } from "./ReadYaml.ts"

/** Reads the one definition of a body in JSON or YAML, without decoding it; fails with `DefinitionsAreInvalid`. */
export const readDefinition = ({ mediaType, text }: TextBody) =>
  Effect.suspend(() => {
    const type = documentMediaTypes.find((known) => known === mediaType) ?? documentMediaTypes[0]
    const documents = readDocuments(text, type, yamlIndicatorsOfOneMax)
    if (Result.isFailure(documents)) return new DefinitionsAreInvalid({ issues: [documents.failure] })
    return documents.success.length === 1
      ? Effect.succeed(documents.success[0])
      : new DefinitionsAreInvalid({
          issues: [{ path: "", code: "document_invalid", message: "must be one definition" }],
        })
  })
