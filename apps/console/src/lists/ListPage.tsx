import type { ReactNode } from "react"
import { type ApiPage, usePages } from "../api/Queries.ts"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { CreateLink } from "../components/CreateLink.tsx"
import { EmptyState } from "../components/EmptyState.tsx"
import { type Column, ListTable, RowLink } from "../components/ListTable.tsx"
import { type Crumb, Page } from "../components/Page.tsx"

/** What a list says about itself, and where its items are created. */
export interface ListPreset {
  readonly title: string
  readonly emptyTitle: string
  readonly emptyText: string
  readonly createHref: string
  readonly createLabel: string
}

/** What will appear in a list, with a link that creates it. */
export const EmptyList = ({ emptyTitle, emptyText, createHref, createLabel }: ListPreset) => (
  <EmptyState title={emptyTitle}>
    <p>{emptyText}</p>
    {useIsEditor() && <CreateLink href={createHref} label={createLabel} />}
  </EmptyState>
)

/** The page of a list, with a link that creates an item once there is one. */
export const ListPage = ({
  subtitle,
  back,
  hasItems,
  children,
  ...list
}: ListPreset & {
  readonly subtitle: string
  readonly back?: Crumb | undefined
  readonly hasItems: boolean
  readonly children: ReactNode
}) => {
  const create = useIsEditor() && hasItems && <CreateLink href={list.createHref} label={list.createLabel} />
  return (
    <Page title={list.title} subtitle={subtitle} back={back} actions={create}>
      {children}
    </Page>
  )
}

interface PageQuery {
  readonly limit: number
  readonly cursor: string | undefined
}

/** What a list that is read page by page has of each definition. */
interface Listed {
  readonly definition: { readonly metadata: { name: string; displayName?: string; project?: string } }
}

/** The page of a list of definitions with what the server knows of each. */
export const PagedListPage = <T extends Listed>({
  subtitle,
  folder,
  read,
  everyMs,
  columns,
  more,
  children,
  ...list
}: Omit<ListPreset, "createHref"> & {
  readonly subtitle: string
  /** Where the pages of the definitions are, such as `/data-sources`. */
  readonly folder: string
  readonly read: (query: PageQuery, signal: AbortSignal) => Promise<ApiPage<T>>
  /** How often the list is read again. */
  readonly everyMs: number
  /** Beside the name. */
  readonly columns: ReadonlyArray<Column<T>>
  /** The label of the button that loads the next page. */
  readonly more: string
  readonly children?: ReactNode
}) => {
  const { query, items } = usePages(
    [folder],
    (cursor, signal) => read({ limit: 100, cursor }, signal),
    everyMs,
  )
  const preset = { ...list, createHref: `${folder}/new` }
  const keyOf = ({ definition: { metadata } }: T) => `${metadata.project}/${metadata.name}`
  const nameColumn: Column<T> = {
    name: t("Name"),
    cell: ({ definition: { metadata } }) => (
      <>
        <RowLink href={`${folder}/${metadata.project}/${metadata.name}`}>
          {metadata.displayName ?? metadata.name}
        </RowLink>
        <div className="dim small">{`${metadata.project} / ${metadata.name}`}</div>
      </>
    ),
  }
  return (
    <ListPage {...preset} subtitle={subtitle} hasItems={(items?.length ?? 0) > 0}>
      <ListTable
        query={query}
        items={items}
        label={preset.title}
        columns={[nameColumn, ...columns]}
        keyOf={keyOf}
        more={more}
        empty={<EmptyList {...preset} />}
      />
      {children}
    </ListPage>
  )
}
