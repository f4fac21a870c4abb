import { Button } from "@mantine/core"
import table from "./Table.module.css"

/** Loads the next page of a list; renders nothing on the last page. */
export const LoadMore = ({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
  label,
}: {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
  readonly label: string
}) =>
  hasNextPage && (
    <div className={table.more}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {label}
      </Button>
    </div>
  )
