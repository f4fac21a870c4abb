import { Button, Group, Paper } from "@mantine/core"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { recordRows } from "../visits/Visits.ts"
import { type QueryState, QueryError } from "./ErrorNotice.tsx"
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
  <>
    <QueryError query={query} />
    {items?.length === 0 && empty}
    {items !== undefined && items.length > 0 && (
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
  </>
)

/** The link of a row; the whole row is its target. */
export const RowLink = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => (
  <Link href={href} className={css.link} data-row onClick={recordRows}>
    {children}
  </Link>
)
