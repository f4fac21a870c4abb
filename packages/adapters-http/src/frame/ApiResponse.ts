import type { ContentCoding } from "./AcceptEncoding.ts"

export interface ApiResponse {
  readonly status: number
  /** By lower-case name; the frame adds `trace-id`, `content-length` and the security headers. */
  readonly headers: Readonly<Record<string, string>>
  /** A string is sent as UTF-8. */
  readonly body: string | Uint8Array
  /** Follows the body, read at the client's pace; when it throws, the connection is destroyed. */
  readonly rest?: AsyncIterable<string | Uint8Array>
  /** The compressed body, if there is one; otherwise the body is compressed for each request that accepts it. */
  readonly precompressed?: (coding: ContentCoding) => Promise<Uint8Array | undefined>
}

export const jsonResponse = (
  status: number,
  json: string | Uint8Array,
  headers?: Readonly<Record<string, string>>,
): ApiResponse => {
  const named: Record<string, string> = {}
  for (const name in headers) named[name] = headers[name] ?? ""
  named["content-type"] = "application/json"
  return { status, headers: named, body: json }
}

/** A response with more headers, which replace those of the same names. */
export const addHeaders = (response: ApiResponse, headers: ApiResponse["headers"]): ApiResponse => ({
  ...response,
  headers: { ...response.headers, ...headers },
})

export const emptyResponse = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse => ({
  status,
  headers,
  body: "",
})

export async function* responseParts(
  body: ApiResponse["body"],
  rest: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body.length > 0) yield typeof body === "string" ? Buffer.from(body) : body
  for await (const part of rest) yield typeof part === "string" ? Buffer.from(part) : part
}
