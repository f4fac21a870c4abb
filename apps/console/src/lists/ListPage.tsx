import type { ReactNode } from "react"
import { type ApiPage, usePages } from "../api/Queries.ts"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { CreateLink } from "../components/CreateLink.tsx"
import { EmptyState } from "../components/EmptyState.tsx"
import {
  type Column,
  ListBody,
  type ListStates,
  ListTable,
  type ListTableProps,
  RowLink,
} from "../components/ListTable.tsx"
import { type Crumb, Page } from "../components/Page.tsx"
import { kindPages, type PagedKind } from "../editor/KindPages.ts"

/** What a list says about itself. */
export interface ListPreset {
  readonly kind: PagedKind
  readonly emptyTitle: string
  readonly emptyText: string
}

/** What will appear in a list, with a link that creates it. */
export const EmptyList = ({ kind, emptyTitle, emptyText }: ListPreset) => (
  <EmptyState title={emptyTitle}>
    <p>{emptyText}</p>
    <CreateButton kind={kind} />
  </EmptyState>
)

/** The link that editors create a definition with. */
export const CreateButton = ({ kind }: { readonly kind: PagedKind }) => {
  const { folder, create } = kindPages(kind)
  return useIsEditor() && <CreateLink href={`${folder}/new`} label={create} />
}

interface ListHeading {
  readonly title: string
  readonly subtitle: string
  readonly back?: Crumb | undefined
  readonly actions?: ReactNode
  /** Above the list, whatever its state: notices and filters. */
  readonly above?: ReactNode
}

/** What a page has instead of a table: another list, in the states that a table has. */
interface OwnList extends Omit<ListStates, "children"> {
  readonly list: ReactNode
}

/** The page of a list, as a table of columns or another list. What follows the list are its children. */
export const ListPage = <T,>({
  title,
  subtitle,
  back,
  actions,
  above,
  children,
  ...shown
}: ListHeading & (Omit<ListTableProps<T>, "label"> | OwnList) & { readonly children?: ReactNode }) => (
  <Page title={title} subtitle={subtitle} back={back} actions={actions}>
    {above}
    {"list" in shown ? <ListBody {...shown}>{shown.list}</ListBody> : <ListTable {...shown} label={title} />}
    {children}
  </Page>
)

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
  read,
  everyMs,
  columns,
  more,
  children,
  ...preset
}: ListPreset & {
  readonly subtitle: string
  readonly read: (query: PageQuery, signal: AbortSignal) => Promise<ApiPage<T>>
  /** How often the list is read again. */
  readonly everyMs: number
  /** Beside the name. */
  readonly columns: ReadonlyArray<Column<T>>
  /** The label of the button that loads the next page. */
  readonly more: string
  readonly children?: ReactNode
}) => {
  const { folder, list } = kindPages(preset.kind)
  const { query, items } = usePages(
    [folder],
    (cursor, signal) => read({ limit: 100, cursor }, signal),
    everyMs,
  )
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
    <ListPage
      title={list.text}
      subtitle={subtitle}
      actions={(items?.length ?? 0) > 0 && <CreateButton kind={preset.kind} />}
      query={query}
      items={items}
      columns={[nameColumn, ...columns]}
      keyOf={keyOf}
      more={more}
      empty={<EmptyList {...preset} />}
    >
      {children}
    </ListPage>
  )
}
