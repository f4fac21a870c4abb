/** A response of the HTTP API. */
export interface JsonResponse {
  /** The status code. */
  readonly status: number
  /** By their lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
  /** Follows the body. */
  readonly rest?: AsyncIterable<string>
}

export const jsonResponse = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): JsonResponse => ({ status, headers: { "content-type": "application/json", ...headers }, body })
