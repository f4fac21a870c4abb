export interface ApiResponse {
  readonly status: number
  /** By lower-case name; the frame adds `trace-id`, `content-length` and the security headers. */
  readonly headers: Readonly<Record<string, string>>
  /** A string is sent as UTF-8. */
  readonly body: string | Uint8Array
  /** Follows the body, read at the client's pace; when it throws, the connection is destroyed. */
  readonly rest?: AsyncIterable<string>
}

export const jsonResponse = (
  status: number,
  json: string | Uint8Array,
  headers?: Readonly<Record<string, string>>,
): ApiResponse => ({
  status,
  headers: headers === undefined ? jsonType : { ...jsonType, ...headers },
  body: json,
})

export const emptyResponse = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse => ({
  status,
  headers,
  body: "",
})

const jsonType = { "content-type": "application/json" }

export async function* responseParts(
  body: ApiResponse["body"],
  rest: AsyncIterable<string>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield typeof body === "string" ? Buffer.from(body) : body
  for await (const part of rest) yield Buffer.from(part)
}
