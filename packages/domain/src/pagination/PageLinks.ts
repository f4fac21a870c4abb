/**
 * Links of a page, relative to the service's base address; `next` only when more exist.
 *
 * Source: contract section 2.2; decision 0508.
 */
export interface PageLinks {
  readonly self: string
  readonly next?: string
}

/**
 * Builds the links of a page; both carry `limit` and `cursor`, and the first page's cursor is empty.
 *
 * `path` is the path of the list, as `/api/v2/slos`; `cursor` and `nextCursor` as `writeCursor` returns them, which
 * need no escape.
 */
export const pageLinks = (
  path: string,
  limit: number,
  cursor: string,
  nextCursor: string | undefined,
): PageLinks => {
  const link = (to: string): string => `${path}?limit=${limit}&cursor=${to}`
  return { self: link(cursor), ...(nextCursor !== undefined && { next: link(nextCursor) }) }
}
