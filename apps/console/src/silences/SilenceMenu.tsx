import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { MenuButton } from "../components/MenuButton.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { type SilencedAlerts, silenceLengths, silenceLengthText, silenceNow } from "./SilenceNow.ts"

/** Silences alerts with one more click. The page says so by `SilencedNotice`, where the silence can be edited and ended. */
export const SilenceMenu = ({
  acknowledge,
  ...alerts
}: SilencedAlerts & {
  /** Acknowledges the only alert that is meant, which suppresses its notifications until it is resolved. */
  readonly acknowledge?: (() => Promise<unknown>) | undefined
}) => {
  const { apiVersion } = useSession()
  const queryClient = useQueryClient()
  const [, navigate] = useLocation()
  const { slo, alertPolicy } = alerts
  const form = new URLSearchParams({
    slo: `${slo.project}/${slo.name}`,
    ...(alertPolicy !== undefined && { policy: alertPolicy.name }),
  })
  const silence = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  return (
    <>
      <MenuButton
        label={t("Silence")}
        isBusy={silence.isPending}
        actions={[
          ...silenceLengths.map((length) => ({
            label: silenceLengthText(length),
            run: () => silence.mutate(() => silenceNow(apiVersion, alerts, length)),
          })),
          ...(acknowledge === undefined
            ? []
            : [{ label: t("Until resolved (acknowledge)"), run: () => silence.mutate(acknowledge) }]),
          { label: t("Other times…"), run: () => navigate(`/silences/new?${form}`) },
        ]}
      />
      <ErrorNotice error={silence.error} />
    </>
  )
}
