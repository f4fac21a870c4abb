import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useDeferredValue, useMemo } from "react"
import { t } from "../language/Text.tsx"
import { sloRowPages, urgentRows } from "./SloRowPages.ts"
import { type SloRow, sloRowsOf } from "./SloRows.ts"

const noRows: ReadonlyArray<SloRow> = []

/**
 * All SLOs of the organization as rows of the list. Until they have been read, with `isUrgentFirst`, the rows that the list begins
 * with by default, or none once that is false, together with the `states` of all SLOs.
 */
export const useSloRows = (isUrgentFirst = false) => {
  const isKnown = useQueryClient().getQueryData(sloRowPages.queryKey) !== undefined
  const urgent = useQuery({ ...urgentRows, enabled: isUrgentFirst && !isKnown })
  const query = useQuery({ ...sloRowPages, enabled: !isUrgentFirst || isKnown || urgent.isFetched })
  const read = useMemo(
    () => (query.data === undefined ? (urgent.data ?? undefined) : { pages: query.data, states: undefined }),
    [query.data, urgent.data],
  )
  // Drawn in slices, between which the browser can respond.
  const drawn = useDeferredValue(read)
  const rows = useMemo(() => drawn && sloRowsOf(drawn.pages, t("Composite")), [drawn])
  // In another order or with a filter, other rows may come first.
  const isOther = drawn?.states !== undefined && !isUrgentFirst
  return { query, rows: isOther ? noRows : rows, states: drawn?.states }
}
