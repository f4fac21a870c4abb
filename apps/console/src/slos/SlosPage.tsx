import { NativeSelect, TextInput } from "@mantine/core"
import { useEffect, useState } from "react"
import { readDocuments } from "../api/Definitions.ts"
import { useResource } from "../api/Resource.ts"
import { useQuery } from "../shell/Address.ts"
import { CodeBlock } from "../shell/CodeBlock.tsx"
import { Empty } from "../shell/Empty.tsx"
import { Page } from "../shell/Page.tsx"
import table from "../shell/Table.module.css"
import { useSession } from "../session/Session.ts"
import { SloList } from "./SloList.tsx"

/** Every SLO with how it stands: found by a part of its name, by project and by service. */
export const SlosPage = () => {
  const [search, setSearch] = useQuery()
  const filters = {
    search: search.get("search") ?? "",
    project: search.get("project") ?? "",
    service: search.get("service") ?? "",
  }
  const isFiltered = Object.values(filters).some((value) => value !== "")
  const set = (changed: Partial<typeof filters>): void => {
    const next = Object.entries({ ...filters, ...changed })
    setSearch(new URLSearchParams(next.filter(([, value]) => value !== "")))
  }
  return (
    <Page title="SLOs" subtitle="How every objective stands over its window, and how fast its budget burns.">
      <div className={table.filters} role="search" aria-label="SLOs">
        <SearchInput value={filters.search} onChange={(value) => set({ search: value })} />
        <ProjectFilter value={filters.project} onChange={(project) => set({ project, service: "" })} />
        <ServiceFilter
          project={filters.project}
          value={filters.service}
          onChange={(service, project) => set({ service, project })}
        />
      </div>
      <SloList
        {...filters}
        empty={
          isFiltered ? (
            <Empty title="No SLO fits">
              <p>Search for a part of its name or display name, or choose another project or service.</p>
            </Empty>
          ) : (
            <NoSlos />
          )
        }
      />
    </Page>
  )
}

/** How long the typing rests before it is searched. */
const restMs = 250

const SearchInput = ({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const [typed, setTyped] = useState(value)
  const [last, setLast] = useState(value)
  // Another address brings another search.
  if (last !== value) {
    setLast(value)
    setTyped(value)
  }
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), restMs)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder="Part of a name"
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  )
}

const ProjectFilter = ({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const { data = [] } = useResource("projects", (signal) => readDocuments("projects", {}, signal))
  return (
    <NativeSelect
      label="Project"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: "", label: "All projects" },
        ...data.map(({ metadata }) => ({
          value: metadata.name,
          label: metadata.displayName ?? metadata.name,
        })),
      ]}
    />
  )
}

/** A service is of a project: choosing one chooses the other. */
const ServiceFilter = ({
  project,
  value,
  onChange,
}: {
  readonly project: string
  readonly value: string
  readonly onChange: (service: string, project: string) => void
}) => {
  const { data = [] } = useResource("services", (signal) => readDocuments("services", {}, signal))
  const services = data.flatMap(({ metadata }) =>
    project === "" || metadata.project === project ? [metadata] : [],
  )
  return (
    <NativeSelect
      label="Service"
      value={value === "" ? "" : `${project}/${value}`}
      onChange={({ currentTarget }) => {
        const [ofProject = "", service = ""] = currentTarget.value.split("/")
        onChange(service, currentTarget.value === "" ? project : ofProject)
      }}
      data={[
        { value: "", label: "All services" },
        ...services.map((service) => ({
          value: `${service.project}/${service.name}`,
          label: `${service.displayName ?? service.name}${project === "" ? ` (${service.project})` : ""}`,
        })),
      ]}
    />
  )
}

const NoSlos = () => {
  const { apiVersion } = useSession()
  return (
    <Empty title="No SLO yet">
      <p>
        An SLO says how good a service has to be. Write this into a file and apply it with{" "}
        <code>tocsin apply -f slo.yaml</code>, or with <code>PUT /api/apply</code>:
      </p>
      <div style={{ textAlign: "left", width: "min(560px, 100%)" }}>
        <CodeBlock text={firstSlo(apiVersion)} label="First SLO as YAML" />
      </div>
    </Empty>
  )
}

const firstSlo = (apiVersion: string): string => `apiVersion: ${apiVersion}
kind: Service
metadata: { name: checkout, project: default }
---
apiVersion: ${apiVersion}
kind: SLO
metadata: { name: checkout-latency, project: default }
spec:
  service: checkout
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: fast, target: 0.99 }]`
