import type { DefinitionDocument, DeletedDefinition } from "@tocsin/api"
import { useState } from "react"
import { Link, useLocation } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import { usePages } from "../api/Queries.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { FilterBar, Select, useFilters } from "../components/Filters.tsx"
import { ListTable, RowLink } from "../components/ListTable.tsx"
import { Notice } from "../components/Notice.tsx"
import { Page } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { pageOf } from "../editor/DefinitionPages.ts"
import { rich, t } from "../language/Text.tsx"
import { RevisionDialog } from "./RevisionDialog.tsx"
import { Author } from "./RevisionText.tsx"

type Deleted = DeletedDefinition

/** Definitions that were deleted and can be restored; the one that is open is in the address. */
const DeletedPage = () => {
  const [path] = useLocation()
  const [restored, setRestored] = useState<DefinitionDocument>()
  const { values, set } = useFilters(["kind", "of", "project", "name", "revision"])
  const { query, items } = usePages(["deleted", values.kind], (cursor, signal) =>
    bodyOf(
      client.GET("/api/definitions/deleted", {
        params: {
          header: { project: "*" },
          query: { limit: pageSize, cursor, ...(values.kind !== "" && { kind: values.kind }) },
        },
        signal,
      }),
    ),
  )
  const hrefOf = ({ kind, project = "", name, id }: Deleted): string =>
    `${path}?${new URLSearchParams({ kind: values.kind, of: kind, project, name, revision: id })}`
  const restoredPath = restored && pageOf(restored)
  return (
    <Page title={t("Recently deleted")} subtitle={t("Definitions deleted in the last 30 days.")}>
      {restored !== undefined && (
        <Notice kind="ok" role="status">
          {restoredPath === undefined
            ? t("{name} was restored.", { name: restored.metadata.name })
            : rich("<name></name> was restored.", {
                name: () => <Link href={restoredPath}>{restored.metadata.name}</Link>,
              })}
        </Notice>
      )}
      <FilterBar values={[values.kind]}>
        <Select
          label={t("Kind")}
          all={t("All kinds")}
          value={values.kind}
          onChange={(kind) => set({ kind })}
          w="max-content"
          data={kinds.map((value) => ({ value, label: kindName(value) }))}
        />
      </FilterBar>
      <ListTable
        query={query}
        items={items}
        label={t("Recently deleted")}
        more={t("Load more")}
        keyOf={({ kind, project = "", name, id }) => `${kind} ${project}/${name} ${id}`}
        empty={
          <EmptyState title={t("Nothing was deleted")}>
            <p>{t("Deleted definitions appear here and can be restored for 30 days.")}</p>
          </EmptyState>
        }
        columns={[
          {
            name: t("Name"),
            cell: (item) => <RowLink href={hrefOf(item)}>{item.name}</RowLink>,
          },
          { name: t("Kind"), isLabeled: true, cell: ({ kind }) => kindName(kind) },
          { name: t("Project"), isLabeled: true, cell: ({ project }) => project },
          { name: t("Deleted by"), isLabeled: true, cell: (item) => <Author revision={item} /> },
          { name: t("Deleted"), width: 140, isLabeled: true, cell: ({ at }) => <RelativeTime at={at} /> },
        ]}
      />
      {values.revision !== "" && (
        <RevisionDialog
          key={values.revision}
          kind={values.of}
          project={values.project}
          name={values.name}
          id={values.revision}
          onClose={() => set({ of: "", project: "", name: "", revision: "" })}
          onRestored={setRestored}
        />
      )}
    </Page>
  )
}
export default DeletedPage

const pageSize = 50

const kinds: ReadonlyArray<Deleted["kind"]> = [
  "SLO",
  "Service",
  "Project",
  "AlertPolicy",
  "AlertMethod",
  "AlertSilence",
  "BudgetAdjustment",
  "DataSource",
  "Agent",
  "Direct",
  "Report",
  "SavedView",
]

const kindName = (kind: Deleted["kind"]): string => {
  switch (kind) {
    case "SLO":
    case "Agent":
    case "Direct":
      return kind
    case "Service":
      return t("Service")
    case "Project":
      return t("Project")
    case "AlertPolicy":
      return t("Alert policy")
    case "AlertMethod":
      return t("Alert method")
    case "AlertSilence":
      return t("Silence")
    case "BudgetAdjustment":
      return t("Budget adjustment")
    case "DataSource":
      return t("Data source")
    case "Report":
      return t("Report")
    case "SavedView":
      return t("Saved view")
  }
}
