import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { issuesOr } from "../api/Issues.ts"
import { useSettled } from "./Settled.ts"

/** A definition to try: it can be tried before it has a name. */
export const named = <D extends { readonly metadata: { readonly name: string } }>(definition: D): D => ({
  ...definition,
  metadata: { ...definition.metadata, name: definition.metadata.name || "new" },
})

/** Says what a definition would do, while it is edited and before it has a name. The last preview stays until there is another one. */
export const usePreview = <D extends { readonly metadata: { readonly name: string } }, T extends object>(
  key: string,
  definition: D,
  read: (definition: D, signal: AbortSignal) => Promise<T>,
) => {
  const settled = useSettled(named(definition), 400)
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: [key, settled],
    queryFn: ({ signal }) => issuesOr(read(settled, signal)),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const isValid = data !== undefined && !("errors" in data)
  return {
    preview: isValid ? (data as T) : undefined,
    /** Why there is no preview. */
    issues: data !== undefined && "errors" in data ? data.errors : [],
    error,
    isBusy: isPlaceholderData,
  }
}
