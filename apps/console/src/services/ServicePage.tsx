import { Group } from "@mantine/core"
import { objectiveStates } from "@tocsin/domain/forms"
import { useMemo } from "react"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { useFilters } from "../components/Filters.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { DefinitionPage } from "../history/DefinitionPage.tsx"
import { t } from "../language/Text.tsx"
import { SloTable } from "../slos/SloTable.tsx"
import { useSloRows } from "../slos/SloRowsQuery.ts"
import { countRows, parseSort, serviceKey, sortRows, sortText } from "../slos/SloRows.ts"
import { StateCountsText } from "../slos/StateCounts.tsx"
import { CreateSlo } from "../slos/CreateSlo.tsx"

/** A service: the state of its SLOs, and its definition. */
const ServicePage = ({ project, name }: DefinitionKey) => {
  const query = useDocuments("services", { project, name })
  const { query: rowsQuery, rows } = useSloRows()
  const { values, set } = useFilters(["sort"])
  const sort = parseSort(values.sort)
  const found = useMemo(
    () => (rows ?? []).filter((row) => serviceKey(row) === `${project}/${name}`),
    [rows, project, name],
  )
  const counts = countRows(found)
  const worst = objectiveStates.find((state) => counts[state] > 0)
  const service = query.data?.[0]
  return (
    <DefinitionPage
      kind="services"
      project={project}
      name={name}
      query={query}
      definition={service}
      subtitle={
        <>
          {worst !== undefined && <StatusBadge status={worst} />}
          <span>
            {project} / {name}
          </span>
          {found.length > 0 && <StateCountsText counts={counts} />}
        </>
      }
      deleteText={t("A service that has SLOs cannot be deleted.")}
    >
      {service?.spec?.description !== undefined && <p className="description">{service.spec.description}</p>}
      {service !== undefined && rows !== undefined && found.length === 0 && (
        <EmptyState title={t("No SLOs yet")}>
          <p>{t("The SLOs of this service appear here with their status.")}</p>
          <Group justify="center" gap="xs">
            <CreateSlo />
          </Group>
        </EmptyState>
      )}
      <QueryError query={rowsQuery} />
      {found.length > 0 && (
        <SloTable
          groups={[{ key: "", title: "", rows: sortRows(found, sort) }]}
          sort={sort}
          onSort={(next) => set({ sort: sortText(next) })}
        />
      )}
    </DefinitionPage>
  )
}
export default ServicePage
