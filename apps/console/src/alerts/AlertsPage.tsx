import { Button, Group, Stack } from "@mantine/core"
import { useState } from "react"
import { Link } from "wouter"
import { EmptyState } from "../components/EmptyState.tsx"
import { Select } from "../components/Filters.tsx"
import { Page } from "../components/Page.tsx"
import { AlertTable, useActiveAlerts, usePastAlerts } from "./AlertTable.tsx"

/** The active alerts and the past ones. */
const AlertsPage = () => {
  const [days, setDays] = useState("7")
  const activeQuery = useActiveAlerts({})
  const pastQuery = usePastAlerts({}, Number(days), 50)
  const active = activeQuery.data?.pages[0]
  const count = active?.data.length ?? 0
  const hasMore = active?.links.next !== undefined
  return (
    <Page
      title="Alerts"
      subtitle="SLOs that meet the conditions of an alert policy now, and past alerts."
      actions={
        <Button component={Link} href="/silences" variant="default">
          View silences
        </Button>
      }
    >
      <Stack gap="sm">
        <h2>Active{count > 0 && ` (${count}${hasMore ? "+" : ""})`}</h2>
        <AlertTable
          query={activeQuery}
          items={active?.data}
          label="Active alerts"
          empty={
            <EmptyState title="No active alerts">
              <p>
                When an SLO meets the conditions of an alert policy, its alert appears here with the
                notifications that were sent.
              </p>
            </EmptyState>
          }
        />
        {hasMore && <p className="dim">Showing the {count} most recent active alerts.</p>}
      </Stack>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <h2>Past</h2>
          <Select
            aria-label="Time range of past alerts"
            value={days}
            onChange={setDays}
            data={[
              { value: "1", label: "Last 24 hours" },
              { value: "7", label: "Last 7 days" },
              { value: "30", label: "Last 30 days" },
              { value: "365", label: "Last year" },
            ]}
          />
        </Group>
        <AlertTable
          query={pastQuery}
          items={pastQuery.data?.pages.flatMap(({ data }) => data)}
          label="Past alerts"
          more="Load older alerts"
          empty={<p className="dim">No alerts were resolved or canceled in this time range.</p>}
        />
      </Stack>
    </Page>
  )
}
export default AlertsPage
