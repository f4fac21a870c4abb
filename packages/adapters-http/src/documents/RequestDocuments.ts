import { DefinitionsAreInvalid } from "@tocsin/domain/internal/definition/ApplyDefinitions"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { TextBody } from "../frame/RequestBody.ts"
import { documentMediaTypes, readDocuments } from "./ReadDocuments.ts"

/** Parses the documents in the body of a request; JSON unless its media type is one of YAML. */
export const documentsOf = ({ mediaType, text }: TextBody) =>
  Effect.suspend(() => {
    const type = documentMediaTypes.find((known) => known === mediaType) ?? documentMediaTypes[0]
    const documents = readDocuments(text, type)
    return Result.isSuccess(documents)
      ? Effect.succeed(documents.success)
      : Effect.fail(new DefinitionsAreInvalid({ issues: [documents.failure] }))
  })
