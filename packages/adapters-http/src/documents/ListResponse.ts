import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { costly, costlyListUnits, costlyReadsPolicy } from "@tocsin/domain/rate-limit"
import { type DocumentFormat, yamlFormat } from "@tocsin/formats/documents"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { acceptedFormat } from "./AcceptedFormat.ts"

/** A part of a list, and the position of the next part, if there is one. */
export interface DocumentPage<Position> {
  readonly documents: ReadonlyArray<object>
  readonly next: Position | undefined
}

/** Responds with a whole list in the format that a request accepts, page by page; a list in YAML is costly. */
export const acceptedList = <Position, E, R>(
  organization: OrganizationId,
  request: Pick<ApiRequest, "header" | "traceId">,
  readPage: (after?: Position) => Effect.Effect<DocumentPage<Position>, E, R>,
) => {
  const format = acceptedFormat(request.header("accept"))
  const response = Effect.flatMap(readPage(), (first) =>
    streamedListResponse(format, first, readPage, request.traceId),
  )
  return format === yamlFormat ? costly(organization, costlyReadsPolicy, costlyListUnits)(response) : response
}

/** Responds with a list as one document. */
export const listResponse = (
  format: DocumentFormat,
  documents: ReadonlyArray<object>,
): Effect.Effect<ApiResponse> =>
  Effect.map(writePart(format, documents, true), (part) => ({
    status: 200,
    headers: { "content-type": format.contentType, vary: "accept" },
    body: part + format.end(documents.length === 0),
  }))

/** Responds with a whole list page by page, so that memory use stays bounded. */
export const streamedListResponse = <Position, E, R>(
  format: DocumentFormat,
  first: DocumentPage<Position>,
  readPage: (position: Position) => Effect.Effect<DocumentPage<Position>, E, R>,
  traceId: string,
): Effect.Effect<ApiResponse, never, R> => {
  if (first.next === undefined) return listResponse(format, first.documents)
  const rest = Stream.paginate(first.next, (position: Position) =>
    Effect.flatMap(readPage(position), ({ documents, next }) =>
      Effect.map(
        writePart(format, documents, false),
        (part) => [[part], Option.fromUndefinedOr(next)] as const,
      ),
    ),
  ).pipe(
    Stream.concat(Stream.sync(() => format.end(false))),
    Stream.tapCause((cause) =>
      Effect.annotateLogs(Effect.logWarning("Response aborted while streaming a list", cause), { traceId }),
    ),
  )
  return Effect.zipWith(
    writePart(format, first.documents, true),
    Stream.toAsyncIterableEffect(rest),
    (body, rest) => ({
      status: 200,
      headers: { "content-type": format.contentType, vary: "accept" },
      body,
      rest,
    }),
  )
}

/** Lets other requests run after every few documents: writing a page as YAML can take a second. */
const writePart = Effect.fnUntraced(function* (
  format: DocumentFormat,
  documents: ReadonlyArray<object>,
  isFirst: boolean,
) {
  let text = ""
  for (let at = 0; at === 0 || at < documents.length; at += documentsAtOnce) {
    if (at > 0) yield* Effect.yieldNow
    text += format.part(documents.slice(at, at + documentsAtOnce), isFirst && at === 0)
  }
  return text
})

/** Documents that are written without letting other requests run. */
const documentsAtOnce = 20
