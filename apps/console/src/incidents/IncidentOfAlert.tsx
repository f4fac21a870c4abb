import { Button } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "wouter"
import { client } from "../api/Client.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { MenuButton } from "../components/MenuButton.tsx"
import { t } from "../language/Text.tsx"
import { type IncidentAlert, incidentHref, useOpenIncidents } from "./Incident.ts"
import { OpenIncident } from "./OpenIncident.tsx"

/** How many open incidents an alert can be added to from its page. */
const offeredMax = 10

/** Leads to the open incident of an alert, or opens one, or adds the alert to another. */
export const IncidentOfAlert = ({ alert }: { readonly alert: IncidentAlert }) => {
  const [own] = useOpenIncidents(1, alert.id)
  const others = useOpenIncidents(offeredMax)
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: (id: string) =>
      client.POST("/api/incidents/{id}/alerts", { params: { path: { id } }, body: { alerts: [alert.id] } }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  if (own !== undefined) {
    return (
      <Button component={Link} href={incidentHref(own.id)} variant="default">
        {t("View incident")}
      </Button>
    )
  }
  return (
    <>
      <OpenIncident alert={alert} />
      {others.length > 0 && (
        <MenuButton
          label={t("Add to incident")}
          isBusy={add.isPending}
          actions={others.map(({ id, title }) => ({ label: title, run: () => add.mutate(id) }))}
        />
      )}
      <ErrorNotice error={add.error} />
    </>
  )
}
