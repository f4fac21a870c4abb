import type { DefinitionDocument } from "@tocsin/api"
import { Stack, TextInput } from "@mantine/core"
import type { ReactNode } from "react"
import type { BulkAction } from "../components/BulkBar.tsx"
import { objectName } from "../components/ObjectName.ts"
import type { QueryState } from "../components/ErrorNotice.tsx"
import { FilterBar, NoMatches, Select, useFilters } from "../components/Filters.tsx"
import { type Column, RowLink } from "../components/ListTable.tsx"
import { BulkList } from "./BulkList.tsx"
import { CreateButton, EmptyList, type ListPreset } from "./ListPage.tsx"
import { type Crumb, Page } from "../components/Page.tsx"
import { RestoreHint } from "../components/RestoreHint.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { pageOf } from "../editor/DefinitionPages.ts"
import { kindPages } from "../editor/KindPages.ts"
import { deleteDefinitions } from "../editor/DeleteButton.tsx"

/** What a list shows of each definition. */
export type Listed = DefinitionDocument & {
  readonly metadata: { readonly name: string; readonly displayName?: string; readonly project?: string }
}

interface DefinitionListProps<D> extends ListPreset {
  readonly query: QueryState & {
    readonly data: ReadonlyArray<D> | undefined
    readonly isPlaceholderData: boolean
  }
  /** Beside the name. */
  readonly columns: ReadonlyArray<Column<D>>
  /** What a deletion affects. */
  readonly deleteText: string
  /** What else can be done with several at once. */
  readonly actions?: ReadonlyArray<BulkAction<D>>
}

/** The page of a list of the definitions of a kind. */
export const DefinitionListPage = <D extends Listed>({
  subtitle,
  back,
  children,
  ...list
}: DefinitionListProps<D> & {
  readonly subtitle: string
  readonly back?: Crumb
  readonly children?: ReactNode
}) => (
  <Page
    title={kindPages(list.kind).list.text}
    subtitle={subtitle}
    back={back}
    actions={(list.query.data?.length ?? 0) > 0 && <CreateButton kind={list.kind} />}
  >
    {children}
    <DefinitionList {...list} />
  </Page>
)

/** A list of the definitions of a kind, with search, a filter by project, and deletion of several at once. */
export const DefinitionList = <D extends Listed>({
  query,
  kind,
  columns,
  deleteText,
  actions = [],
  ...preset
}: DefinitionListProps<D>) => {
  const items = query.data
  const isEditor = useIsEditor()
  const { values, set, bind, clear } = useFilters(["search", "project"])
  const projects = [...new Set(items?.map(({ metadata }) => metadata.project ?? "") ?? [])].toSorted()
  const wanted = values.search.trim().toLowerCase()
  const shown = items?.filter(
    ({ metadata }) =>
      (values.project === "" || metadata.project === values.project) &&
      `${metadata.name} ${metadata.displayName ?? ""}`.toLowerCase().includes(wanted),
  )
  if (items?.length === 0) return <EmptyList kind={kind} {...preset} />
  return (
    <Stack gap="lg">
      <FilterBar values={Object.values(values)}>
        <TextInput
          label={t("Search")}
          placeholder={t("Name or display name")}
          value={values.search}
          onChange={({ currentTarget }) => set({ search: currentTarget.value })}
        />
        {projects.length > 1 && (
          <Select
            label={t("Project")}
            all={t("All projects")}
            {...bind("project")}
            data={projects.map((value) => ({ value, label: value }))}
          />
        )}
      </FilterBar>
      <BulkList
        query={query}
        items={shown}
        label={kindPages(kind).list.text}
        keyOf={keyOf}
        columns={[
          {
            name: t("Name"),
            cell: (each) => (
              <>
                <RowLink href={pageOf(each) ?? "/"}>
                  {each.metadata.displayName ?? each.metadata.name}
                </RowLink>
                <div className="dim small">{keyOf(each)}</div>
              </>
            ),
          },
          ...columns,
        ]}
        empty={<NoMatches title={t("No matches")} clear={clear} />}
        isEnabled={isEditor}
        nameOf={(each) => objectName(each.metadata, each.metadata.displayName)}
        actions={[
          ...actions,
          {
            label: t("Delete"),
            title: (count) =>
              t("{count, plural, one {Delete # definition?} other {Delete # definitions?}}", { count }),
            content: (
              <>
                <p>{deleteText}</p>
                <RestoreHint />
              </>
            ),
            isDangerous: true,
            run: ({ metadata: { project = "", name } }) => deleteDefinitions(kind, project, [name]),
          },
        ]}
      />
    </Stack>
  )
}

const keyOf = ({ metadata: { project, name } }: Listed): string =>
  project === undefined ? name : `${project}/${name}`
