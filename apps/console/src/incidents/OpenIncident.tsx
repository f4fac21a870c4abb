import { Button, type ButtonProps } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { t } from "../language/Text.tsx"
import { type IncidentAlert, useOpenIncident } from "./Incident.ts"

/** A button that opens an incident of an alert. */
export const OpenIncident = ({ alert, ...button }: { readonly alert: IncidentAlert } & ButtonProps) => {
  const open = useMutation({ mutationFn: useOpenIncident() })
  return (
    <>
      <Button
        variant="default"
        {...button}
        loading={open.isPending}
        aria-label={t("Create incident for the alert on {slo}", { slo: alert.sloName })}
        onClick={() => open.mutate(alert)}
      >
        {t("Create incident")}
      </Button>
      <ErrorNotice error={open.error} />
    </>
  )
}
