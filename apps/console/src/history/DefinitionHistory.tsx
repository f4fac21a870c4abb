import type { Revision } from "@tocsin/api"
import { useLocation } from "wouter"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { usePages } from "../api/Queries.ts"
import { useFilters } from "../components/Filters.tsx"
import { ListTable, RowLink } from "../components/ListTable.tsx"
import { Card } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { RevisionDialog } from "./RevisionDialog.tsx"
import { Author, RevisionOutcome } from "./RevisionText.tsx"

/** The changes of a definition; the one that is open is in the address. */
export const DefinitionHistory = ({
  kind,
  project,
  name,
}: DefinitionKey & {
  /** As in the path of the API. */
  readonly kind: string
}) => {
  const [path] = useLocation()
  const { values, set } = useFilters(["revision"])
  const { query, items } = usePages(["history", kind, project, name], (cursor, signal) =>
    bodyOf(
      client.GET("/api/definitions/{kind}/{name}/history", {
        params: { path: { kind, name }, header: { project }, query: { limit: pageSize, cursor } },
        signal,
      }),
    ),
  )
  const hrefOf = ({ id }: Revision): string => {
    const search = new URLSearchParams(location.search)
    search.set("revision", id)
    return `${path}?${search}`
  }
  return (
    <Card title={t("History of changes")}>
      <ListTable
        query={query}
        items={items}
        label={t("Changes of this definition")}
        more={t("Load older changes")}
        keyOf={({ id }) => id}
        empty={<p className="dim">{t("No changes are recorded yet. The next one will appear here.")}</p>}
        isInCard
        columns={[
          {
            name: t("Change"),
            cell: (revision) => (
              <RowLink href={hrefOf(revision)}>
                <RevisionOutcome revision={revision} />
              </RowLink>
            ),
          },
          {
            name: t("By"),
            isLabeled: true,
            cell: (revision) => <Author revision={revision} />,
          },
          {
            name: t("Time"),
            width: 140,
            isLabeled: true,
            cell: ({ at }) => <RelativeTime at={at} />,
          },
        ]}
      />
      {values.revision !== "" && (
        <RevisionDialog
          key={values.revision}
          kind={kind}
          project={project}
          name={name}
          id={values.revision}
          onClose={() => set({ revision: "" })}
        />
      )}
    </Card>
  )
}

const pageSize = 10
