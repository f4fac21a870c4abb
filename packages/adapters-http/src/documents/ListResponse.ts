import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { type DocumentFormat, writeDocuments } from "./WriteDocuments.ts"

/** A part of a list, and the position of the next part, if there is one. */
export interface DocumentPage<Position> {
  readonly documents: ReadonlyArray<object>
  readonly next: Position | undefined
}

export const listResponse = (format: DocumentFormat, documents: ReadonlyArray<object>): ApiResponse => ({
  status: 200,
  headers: { "content-type": format.contentType, vary: "accept" },
  body: writeDocuments(format, documents),
})

/** Responds with a whole list page by page, so that memory use stays bounded. */
export const streamedListResponse = <Position, E, R>(
  format: DocumentFormat,
  first: DocumentPage<Position>,
  readPage: (position: Position) => Effect.Effect<DocumentPage<Position>, E, R>,
  traceId: string,
): Effect.Effect<ApiResponse, never, R> => {
  const response = listResponse(format, first.documents)
  if (first.next === undefined) return Effect.succeed(response)
  const rest = Stream.paginate(first.next, (position: Position) =>
    Effect.map(
      readPage(position),
      ({ documents, next }) => [[format.part(documents, false)], Option.fromUndefinedOr(next)] as const,
    ),
  ).pipe(
    Stream.concat(Stream.sync(() => format.end(false))),
    Stream.tapCause((cause) =>
      Effect.annotateLogs(Effect.logWarning("Response aborted while streaming a list", cause), { traceId }),
    ),
  )
  return Effect.map(Stream.toAsyncIterableEffect(rest), (rest) => ({
    ...response,
    body: format.part(first.documents, true),
    rest,
  }))
}
