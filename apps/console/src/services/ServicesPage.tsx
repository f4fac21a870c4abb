import { Tabs } from "@mantine/core"
import { groupBy, objectiveStates } from "@tocsin/domain/forms"
import { useMemo } from "react"
import { useDocuments } from "../api/Definitions.ts"
import { useFilters } from "../components/Filters.tsx"
import { Page } from "../components/Page.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { DefinitionList } from "../lists/DefinitionList.tsx"
import { CreateButton } from "../lists/ListPage.tsx"
import { t } from "../language/Text.tsx"
import { countRows } from "../slos/SloRows.ts"
import { useSloRows } from "../slos/SloRowsQuery.ts"

/** Every service with its SLOs, and every project. */
const ServicesPage = () => {
  const { values, set } = useFilters(["tab", "search", "project"])
  const isProjects = values.tab === "projects"
  return (
    <Page
      title={t("Services")}
      subtitle={t("The services that SLOs measure, and the projects that own definitions.")}
      actions={<CreateButton kind={isProjects ? "projects" : "services"} />}
    >
      <Tabs
        value={isProjects ? "projects" : "services"}
        onChange={(tab) => set({ tab: tab === "projects" ? tab : "", search: "", project: "" })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="services">{t("Services")}</Tabs.Tab>
          <Tabs.Tab value="projects">{t("Projects")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="services" pt="md">
          <Services />
        </Tabs.Panel>
        <Tabs.Panel value="projects" pt="md">
          <Projects />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
export default ServicesPage

const Services = () => {
  const query = useDocuments("services")
  const { rows } = useSloRows()
  const slos = useMemo(() => rows && groupBy(rows, ({ project, service }) => `${project}/${service}`), [rows])
  return (
    <DefinitionList
      query={query}
      kind="services"
      columns={[
        {
          name: t("Worst status"),
          cell: ({ metadata }) => {
            const counts = countRows(slos?.get(`${metadata.project}/${metadata.name}`) ?? [])
            const worst = objectiveStates.find((state) => counts[state] > 0)
            return worst === undefined ? (
              <span className="dim">{slos === undefined ? "…" : t("No SLOs")}</span>
            ) : (
              <StatusBadge status={worst} />
            )
          },
        },
        {
          name: t("SLOs"),
          isLabeled: true,
          cell: ({ metadata }) => {
            const of = slos?.get(`${metadata.project}/${metadata.name}`)
            if (of === undefined) return slos === undefined ? "" : "0"
            const { breached, atRisk } = countRows(of)
            return (
              <>
                {of.length}
                {breached + atRisk > 0 && (
                  <span className="dim small">
                    {" "}
                    {t("{breached} breached, {atRisk} at risk", { breached, atRisk })}
                  </span>
                )}
              </>
            )
          },
        },
        { name: t("Description"), cell: ({ spec }) => spec?.description },
      ]}
      emptyTitle={t("No services yet")}
      emptyText={t("Services appear here with the statuses of their SLOs. Every SLO belongs to a service.")}
      deleteText={t("A service with SLOs cannot be deleted.")}
    />
  )
}

const Projects = () => {
  const query = useDocuments("projects")
  return (
    <DefinitionList
      query={query}
      kind="projects"
      columns={[
        { name: t("Description"), cell: ({ spec }) => spec?.description },
        {
          name: t("Status page"),
          cell: ({ spec: { statusPage } = {} }) =>
            statusPage && (
              // The whole row is the target of its link.
              <a href={`/status/${statusPage.slug}`} style={{ position: "relative", zIndex: 1 }}>
                <bdi>{statusPage.slug}</bdi>
              </a>
            ),
        },
      ]}
      emptyTitle={t("No projects yet")}
      emptyText={t("Projects appear here. A project owns definitions; the project default always exists.")}
      deleteText={t("A project that contains anything cannot be deleted.")}
    />
  )
}
