/** What is sent back. */
export interface ApiResponse {
  readonly status: number
  /** By lower-case name; the frame adds `trace-id`, `content-length` and the security headers. */
  readonly headers: Readonly<Record<string, string>>
  /** Text is sent as UTF-8. */
  readonly body: string | Uint8Array
  /** What follows the body, read as fast as the client takes it; when it throws, the connection is cut. */
  readonly rest?: AsyncIterable<string>
}

/** An answer of JSON that is ready: text, or bytes of UTF-8. */
export const jsonResponse = (
  status: number,
  json: string | Uint8Array,
  headers?: Readonly<Record<string, string>>,
): ApiResponse => ({
  status,
  headers: headers === undefined ? jsonType : { ...jsonType, ...headers },
  body: json,
})

/** An answer without a body. */
export const emptyResponse = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse => ({
  status,
  headers,
  body: "",
})

const jsonType = { "content-type": "application/json" }

/** An answer's body and what follows it, in parts. */
export async function* answerParts(
  body: ApiResponse["body"],
  rest: AsyncIterable<string>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield typeof body === "string" ? Buffer.from(body) : body
  for await (const part of rest) yield Buffer.from(part)
}
