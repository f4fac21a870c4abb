import { Button, Group, Paper } from "@mantine/core"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { recordRows } from "../visits/Visits.ts"
import { type QueryState, QueryError } from "./ErrorNotice.tsx"
import { Skeleton } from "./Skeleton.tsx"
import css from "./ListTable.module.css"

/** A column of a table. */
export interface Column<T> {
  readonly name: string
  readonly cell: (item: T) => ReactNode
  readonly isNumber?: boolean
  /** Narrow screens show the name beside the value instead of a header. */
  readonly isLabeled?: boolean
  /** With the width of one column, the content of the others does not change the widths. */
  readonly width?: number | string
}

export interface ListTableProps<T> {
  readonly query: QueryState & {
    readonly isPlaceholderData: boolean
    readonly hasNextPage?: boolean
    readonly isFetchingNextPage?: boolean
    readonly fetchNextPage?: () => unknown
  }
  readonly items: ReadonlyArray<T> | undefined
  /** The accessible name. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<T>>
  readonly keyOf: (item: T) => string
  /** The label of the button that loads the next page. */
  readonly more?: string
  readonly empty: ReactNode
  readonly isInCard?: boolean
}

/** The query of a list that is there already. */
export const readQuery = { error: null, isSuccess: true, isPlaceholderData: false, refetch: () => undefined }

/** What a table of one kind of items leaves to the page. */
export type ListProps<T> = Omit<ListTableProps<T>, "columns" | "keyOf">

/** What a list is: being read, without items, without items that match its filters, or there. */
type ListState = "loading" | "empty" | "unmatched" | "listed"

/** What is in the place of a list, by its state, and above it why it could not be loaded. */
export interface ListStates {
  /** Shown if it failed; without it, no failure is. */
  readonly query?: QueryState | undefined
  readonly state: ListState
  readonly loading?: ReactNode
  readonly empty: ReactNode
  readonly noMatches?: ReactNode
  readonly children: ReactNode
}

/** A list in one of its states. */
export const ListBody = ({ query, state, loading, empty, noMatches, children }: ListStates) => (
  <>
    {query && <QueryError query={query} />}
    {state === "loading" && loading}
    {state === "empty" && empty}
    {state === "unmatched" && noMatches}
    {state === "listed" && children}
  </>
)

/** A list as a table: its rows, a button that loads more, what will appear here, or why it could not be loaded. */
export const ListTable = <T,>({
  query,
  items,
  label,
  columns,
  keyOf,
  more,
  empty,
  isInCard = false,
}: ListTableProps<T>) => (
  <ListBody
    query={query}
    state={items === undefined ? "loading" : items.length === 0 ? "empty" : "listed"}
    loading={query.error === null && !isInCard && <Skeleton />}
    empty={empty}
  >
    {items !== undefined && (
      <Paper
        {...(isInCard ? { className: css.inset, bd: "none", shadow: "none" } : { className: css.wrap })}
        aria-busy={query.isPlaceholderData}
      >
        <table
          className={css.table}
          style={{ tableLayout: columns.some(({ width }) => width) ? "fixed" : "auto" }}
          aria-label={label}
        >
          <thead>
            <tr>
              {columns.map(({ name, width, isNumber }) => (
                <th
                  key={name}
                  scope="col"
                  style={{ width: typeof width === "number" ? `${width / 16}rem` : width }}
                  className={isNumber ? "number" : undefined}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={keyOf(item)} className={css.row}>
                {columns.map(({ name, cell, isNumber, isLabeled }) => (
                  <td
                    key={name}
                    data-label={isLabeled ? name : undefined}
                    className={isNumber ? "number" : undefined}
                  >
                    {cell(item)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {more !== undefined && query.hasNextPage && (
          <Group justify="center" p="sm">
            <Button variant="default" loading={query.isFetchingNextPage} onClick={query.fetchNextPage}>
              {more}
            </Button>
          </Group>
        )}
      </Paper>
    )}
  </ListBody>
)

/** The link of a row; the whole row is its target. */
export const RowLink = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => (
  <Link href={href} className={css.link} data-row onClick={recordRows}>
    <bdi>{children}</bdi>
  </Link>
)
