import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"

/** A request as a server or a host hands it in. */
export interface IncomingRequest {
  /** In upper case. */
  readonly method: string
  /** The request target: path and query as sent, or an absolute URL. */
  readonly target: string
  /** The value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The address of the connection's peer; `""` if the host does not provide it. */
  readonly peerAddress: string
  /** The whole body, at most `requestBodyMaxBytes`; to be read once. */
  readonly body: Effect.Effect<Uint8Array, RequestBodyIsTooLarge | RequestBodyIsUnfinished>
}

/** A request as a handler sees it: routed, with its path and query taken apart. */
export interface ApiRequest extends IncomingRequest {
  /** The path as sent, without the query. */
  readonly path: string
  /** The path parameters of the route, decoded. */
  readonly pathParams: Readonly<Record<string, string>>
  /** The query, decoded; parameters may repeat. */
  readonly query: URLSearchParams
  /** 32 hexadecimal digits that the answer, its log lines and its errors share; never taken from outside. */
  readonly traceId: string
}

/** The body is larger than `requestBodyMaxBytes`. */
export class RequestBodyIsTooLarge extends Data.TaggedError("RequestBodyIsTooLarge") {}

/** The body did not arrive completely within the time limit. */
export class RequestBodyIsUnfinished extends Data.TaggedError("RequestBodyIsUnfinished") {}

/** A new trace id: 32 hexadecimal digits. */
export const newTraceId = (): string => randomUUID().replaceAll("-", "")
