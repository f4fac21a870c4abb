import type { Access } from "@tocsin/domain"
import { TaggedError } from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import type * as Effect from "effect/Effect"
import { randomFillSync } from "node:crypto"
import type { ErrorStatus } from "./ErrorResponse.ts"

/** A request as the server received it. */
export interface IncomingRequest {
  /** In upper case. */
  readonly method: string
  /** The request target: path and query as sent, or an absolute URL. */
  readonly target: string
  /** The value of a header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** The address of the connection's peer; `""` if the host does not provide it. */
  readonly peerAddress: string
  /** The access that was proven already, of a request that another request makes within the server. */
  readonly access?: Access | undefined
  /** Why the request must be rejected whatever it asks for, such as by its headers; absent if it need not. */
  readonly fault?: ErrorStatus | undefined
  /** Reads the complete body of at most `maxBytes`; can be called once. */
  readonly readBody: (
    maxBytes: number,
  ) => Effect.Effect<Uint8Array, RequestBodyIsTooLarge | RequestBodyIsUnfinished>
}

export interface ApiRequest extends IncomingRequest {
  /** The path as sent, without the query. */
  readonly path: string
  /** The path parameters of the route, decoded. */
  readonly pathParams: Readonly<Record<string, string>>
  /** The query, decoded; parameters may repeat. */
  readonly query: URLSearchParams
  /**
   * 32 hexadecimal digits, shared by the response and its log lines: of the trace if the host has a tracer, else never taken
   * from the client.
   */
  readonly traceId: string
  /** The organization that its credential or session belongs to, which its work is done for; set once that is proven. */
  organization: OrganizationId | undefined
}

export class RequestBodyIsTooLarge extends TaggedError("RequestBodyIsTooLarge")<{
  readonly maxBytes: number
}> {}

export class RequestBodyIsUnfinished extends TaggedError("RequestBodyIsUnfinished") {}

/** 16 random bytes in hexadecimal, of many that are drawn at once. */
export const newTraceId = (): string => {
  if (traceIdAt === traceIds.length) {
    traceIds = nextTraceIds()
    traceIdAt = 0
  }
  return traceIds.slice(traceIdAt, (traceIdAt += 32))
}

/** The text of 16 IDs: one that is kept for long keeps no more than these. */
const nextTraceIds = (): string => {
  if (bytesAt === randomBytes.length) {
    randomFillSync(randomBytes)
    bytesAt = 0
  }
  return randomBytes.toString("hex", bytesAt, (bytesAt += 16 * 16))
}

const randomBytes = Buffer.alloc(16 * 256)
let bytesAt = randomBytes.length
let traceIds = ""
let traceIdAt = 0
