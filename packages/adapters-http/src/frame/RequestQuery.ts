import type { ApiRequest } from "./ApiRequest.ts"

/** The query parameters of these names that are there; of one that repeats, the first. */
export const queryOf = <Name extends string>(
  request: ApiRequest,
  names: ReadonlyArray<Name>,
): { readonly [N in Name]?: string } => {
  const query: { [N in Name]?: string } = {}
  for (const name of names) {
    const value = request.query.get(name)
    if (value !== null) query[name] = value
  }
  return query
}
