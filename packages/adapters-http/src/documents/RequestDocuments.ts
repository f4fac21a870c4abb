import { DefinitionsAreInvalid } from "@tocsin/domain"
import { inParts } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { TextBody } from "../frame/RequestBody.ts"
import { documentMediaTypes, readDocumentsInParts } from "@tocsin/formats/documents"

/** Parses the documents in the body of a request; JSON unless its media type is one of YAML. */
export const documentsOf = ({ mediaType, text }: TextBody) =>
  Effect.gen(function* () {
    const type = documentMediaTypes.find((known) => known === mediaType) ?? documentMediaTypes[0]
    const documents = yield* inParts(() => readDocumentsInParts(text, type))
    return Result.isSuccess(documents)
      ? documents.success
      : yield* new DefinitionsAreInvalid({ issues: [documents.failure] })
  })
