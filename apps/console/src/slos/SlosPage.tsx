import { NativeSelect, TextInput } from "@mantine/core"
import { useEffect, useState } from "react"
import { useDocuments } from "../api/Definitions.ts"
import { useFilters } from "../components/AddressBar.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { EmptyState } from "../components/EmptyState.tsx"
import { Page } from "../components/Page.tsx"
import table from "../components/Table.module.css"
import { useSession } from "../session/Session.ts"
import { SloList } from "./SloList.tsx"

/** The status of every SLO, filtered by name, project and service. */
export const SlosPage = () => {
  const [search, set] = useFilters()
  const filters = {
    search: search.get("search") ?? "",
    project: search.get("project") ?? "",
    service: search.get("service") ?? "",
  }
  const isFiltered = Object.values(filters).some((value) => value !== "")
  return (
    <Page
      title="SLOs"
      subtitle="Reliability, error budget and burn rate of each objective in its time window."
    >
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
            <EmptyState title="No matching SLOs">
              <p>Search by part of a name or display name, or select another project or service.</p>
            </EmptyState>
          ) : (
            <NoSlos />
          )
        }
      />
    </Page>
  )
}

/** The search starts after a pause in typing. */
const debounceMs = 250

const SearchInput = ({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const [typed, setTyped] = useState(value)
  const [last, setLast] = useState(value)
  // Navigation changes the search too.
  if (last !== value) {
    setLast(value)
    setTyped(value)
  }
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), debounceMs)
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
  const { data = [] } = useDocuments("projects")
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

/** A service belongs to a project: selecting it selects its project too. */
const ServiceFilter = ({
  project,
  value,
  onChange,
}: {
  readonly project: string
  readonly value: string
  readonly onChange: (service: string, project: string) => void
}) => {
  const { data = [] } = useDocuments("services")
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
    <EmptyState title="No SLOs yet">
      <p>
        Each SLO appears here with its status. To create your first one, save this definition as{" "}
        <code>slo.yaml</code> and run <code>tocsin apply -f slo.yaml</code>:
      </p>
      <div style={{ textAlign: "left", width: "min(560px, 100%)" }}>
        <CodeBlock text={firstSlo(apiVersion)} label="First SLO as YAML" />
      </div>
    </EmptyState>
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
