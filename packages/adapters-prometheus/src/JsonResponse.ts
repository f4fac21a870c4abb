/** A response of the HTTP API. */
export interface JsonResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const jsonResponse = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): JsonResponse => ({ status, headers: { "content-type": "application/json", ...headers }, body })
