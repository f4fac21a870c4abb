import { keepPreviousData } from "@tanstack/react-query"
import { useDebouncedValue } from "@mantine/hooks"
import { api } from "../../api/Queries.ts"
import { keyOf } from "../../editor/NameList.tsx"
import type { QueryPlace } from "./QueryPlace.ts"

const debounceMs = 200

/** The names that a data source has for a place of a query; what is not known yet, or cannot be read, has none. */
export const useMetricNames = (
  /** `project/name`, or empty. */
  dataSource: string,
  place: QueryPlace | undefined,
  /** What follows the name of a series in the data source. */
  suffix: string,
) => {
  const [search] = useDebouncedValue(place?.typed ?? "", debounceMs)
  const { project, name } = keyOf(dataSource)
  const { label, metric } = wantedAt(place)
  const named = metric === undefined ? undefined : `${metric}${suffix}`
  const ask = (text: string) => ({
    params: {
      path: { name },
      header: { project },
      query: {
        ...(label !== undefined && { label }),
        ...(named !== undefined && { metric: named }),
        ...(text !== "" && { search: text }),
      },
    },
  })
  const options = {
    staleTime: 60_000,
    gcTime: 60_000,
    retry: false,
    refetchInterval: false,
    refetchOnWindowFocus: false,
  } as const
  const isAsked = place !== undefined && dataSource !== ""
  const all = api.useQuery("get", "/api/console/datasources/{name}/names", ask(""), {
    ...options,
    enabled: isAsked,
    placeholderData: undefined,
  })
  // Of too many names, those that contain what was typed.
  const isSearched =
    isAsked && search !== "" && all.data?.isComplete === false && all.data.problem === undefined
  const found = api.useQuery("get", "/api/console/datasources/{name}/names", ask(search), {
    ...options,
    enabled: isSearched,
    placeholderData: keepPreviousData,
  })
  const shown = isSearched && found.data !== undefined ? found.data : all.data
  const names = shown?.names ?? []
  return {
    names:
      suffix === "" || place?.kind !== "expression"
        ? names
        : names.flatMap((each) => (each.endsWith(suffix) ? [each.slice(0, -suffix.length)] : [])),
    isComplete: shown?.isComplete !== false,
    problem: isAsked ? (all.data?.problem?.detail ?? (all.error === null ? undefined : "")) : undefined,
  }
}

const wantedAt = (place: QueryPlace | undefined): { readonly label?: string; readonly metric?: string } => {
  if (place === undefined || place.kind === "expression") return { label: "__name__" }
  const { metric } = place
  return { ...(place.kind === "value" && { label: place.label }), ...(metric !== undefined && { metric }) }
}
