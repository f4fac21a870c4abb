import { expect, it } from "vitest"

const consoleSource = (path: string) => new URL(`../../apps/console/src/api/${path}`, import.meta.url).href

const { poll } = (await import(consoleSource("Queries.ts"))) as {
  readonly poll: (
    intervalMs?: number,
  ) => (query: { readonly state: { readonly error: unknown; readonly data?: unknown } }) => number | false
}

const { ApiError } = (await import(consoleSource("Client.ts"))) as {
  readonly ApiError: new (status: number, errors: ReadonlyArray<never>, headers?: Headers) => Error
}

const after = (error: unknown, data?: unknown) => ({ state: { error, data } })

const retryAfter = (seconds: string) => new Headers({ "retry-after": seconds })

it("refreshes a page at its interval, and a list of several pages that many times less often", () => {
  expect(poll(3_000)(after(null))).toBe(3_000)
  expect(poll(3_000)(after(null, { pages: [1, 2, 3] }))).toBe(9_000)
  expect(poll()(after(null))).toBe(false)
})

it("waits after a transient error for at least 5 seconds, and for as long as the server asks", () => {
  for (const status of [0, 429, 502, 503]) {
    expect(poll(3_000)(after(new ApiError(status, [])))).toBe(5_000)
    expect(poll()(after(new ApiError(status, [])))).toBe(5_000)
  }
  expect(poll(3_000)(after(new ApiError(429, [], retryAfter("2"))))).toBe(5_000)
  expect(poll(3_000)(after(new ApiError(503, [], retryAfter("60"))))).toBe(60_000)
  expect(poll(3_000)(after(new SyntaxError("no JSON")))).toBe(5_000)
})

it("does not wait longer after an error that remains, which the next refresh shows again", () => {
  for (const status of [400, 403, 404, 500]) expect(poll(3_000)(after(new ApiError(status, [])))).toBe(3_000)
  expect(poll()(after(new ApiError(404, [])))).toBe(false)
})
