import { TaggedError } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"

/** An operation of the API that a tool calls, with the access of the assistant. */
export interface McpCall {
  /** In upper case. */
  readonly method: string
  /** With the query. */
  readonly target: string
  /** By their lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: empty. */
  readonly body?: string
}

/** A response of the API. */
export interface CallResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export type CallApi = (call: McpCall) => Effect.Effect<CallResponse>

/** The API responded with an error. */
export class CallFailed extends TaggedError("CallFailed")<{ readonly response: CallResponse }> {}

/** The JSON that an operation returns. Fails with `CallFailed`. */
export const callJson = <A = object>(api: CallApi, call: McpCall): Effect.Effect<A, CallFailed> =>
  Effect.flatMap(api(call), (response) =>
    response.status < 400
      ? Effect.sync(() => JSON.parse(textOf(response)) as A)
      : Effect.fail(new CallFailed({ response })),
  )

/** The errors in the body of a response. */
export const errorsOf = (response: CallResponse): ReadonlyArray<{ readonly code?: string }> =>
  (JSON.parse(textOf(response)) as { readonly errors: ReadonlyArray<{ readonly code?: string }> }).errors

const textOf = ({ body }: CallResponse): string =>
  typeof body === "string" ? body : new TextDecoder().decode(body)
