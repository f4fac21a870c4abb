import { DefinitionsAreInvalid } from "@tocsin/domain"
import { inParts } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { TextBody } from "../frame/RequestBody.ts"
import { documentMediaTypes, readDocumentsInParts, yamlIndicatorsOfOneMax } from "@tocsin/formats/documents"

/** Reads the one definition of a body in JSON or YAML, without decoding it; fails with `DefinitionsAreInvalid`. */
export const readDefinition = ({ mediaType, text }: TextBody) =>
  Effect.gen(function* () {
    const type = documentMediaTypes.find((known) => known === mediaType) ?? documentMediaTypes[0]
    const documents = yield* inParts(() => readDocumentsInParts(text, type, yamlIndicatorsOfOneMax))
    if (Result.isFailure(documents)) return yield* new DefinitionsAreInvalid({ issues: [documents.failure] })
    if (documents.success.length === 1) return documents.success[0]
    return yield* new DefinitionsAreInvalid({
      issues: [{ path: "", code: "document_invalid", message: "must be one definition" }],
    })
  })
