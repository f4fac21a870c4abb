import { Box, Group, TextInput } from "@mantine/core"
import { useEffect, useState } from "react"
import { useDocuments } from "../api/Definitions.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { EmptyState } from "../components/EmptyState.tsx"
import { Select, useFilters } from "../components/Filters.tsx"
import { Page } from "../components/Page.tsx"
import { useSession } from "../session/Session.ts"
import { SloList } from "./SloList.tsx"

/** The status of every SLO, filtered by name, project and service. */
export const SlosPage = () => {
  const { values, set, isFiltered } = useFilters(["search", "project", "service"])
  return (
    <Page
      title="SLOs"
      subtitle="Reliability, error budget and burn rate of each objective in its time window."
    >
      <Group gap={10} align="flex-end" className="filters" role="search" aria-label="SLOs">
        <SearchInput value={values.search} onChange={(value) => set({ search: value })} />
        <ProjectFilter value={values.project} onChange={(project) => set({ project, service: "" })} />
        <ServiceFilter
          project={values.project}
          value={values.service}
          onChange={(service, project) => set({ service, project })}
        />
      </Group>
      <SloList
        {...values}
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
    <Select
      label="Project"
      all="All projects"
      value={value}
      onChange={onChange}
      data={data.map(({ metadata: { name, displayName = name } }) => ({ value: name, label: displayName }))}
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
    <Select
      label="Service"
      all="All services"
      value={value && `${project}/${value}`}
      onChange={(selected) => {
        const [ofProject = project, service = ""] = selected === "" ? [] : selected.split("/")
        onChange(service, ofProject)
      }}
      data={services.map((service) => ({
        value: `${service.project}/${service.name}`,
        label: `${service.displayName ?? service.name}${project === "" ? ` (${service.project})` : ""}`,
      }))}
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
      <Box ta="left" w="min(560px, 100%)">
        <CodeBlock text={firstSlo(apiVersion)} label="First SLO as YAML" />
      </Box>
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
