import { Stack } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Select } from "../components/Filters.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card } from "../components/Page.tsx"
import { keyOf } from "../editor/NameList.tsx"
import { named } from "../editor/Preview.ts"
import { useSettled } from "../editor/Settled.ts"
import { t } from "../language/Text.tsx"
import { meanText } from "../components/NumberFormat.ts"
import { latestBacktest } from "../slos/LatestBacktest.ts"
import { CountsBegin } from "../slos/CountsBegin.tsx"
import { useSloNames } from "../api/Definitions.ts"
import { BacktestAlerts } from "./BacktestAlerts.tsx"
import type { AlertPolicy } from "./PolicyValues.ts"
import css from "./AlertPolicy.module.css"

/** How often a policy would have alerted, by the history of an SLO. It runs again when the policy changes. */
export const BacktestCard = ({
  definition,
  isValid,
  initialSlo = "",
}: {
  readonly definition: AlertPolicy
  readonly isValid: boolean
  readonly initialSlo?: string
}) => {
  const [slo, setSlo] = useState(initialSlo)
  const [days, setDays] = useState("14")
  const slos = useSloNames()
  const settled = useSettled({ definition: named(definition), slo, days }, 800)
  const key = keyOf(settled.slo.trim())
  const query = useQuery({
    queryKey: ["backtest-draft", settled],
    queryFn: ({ signal }) =>
      latestBacktest(key, { definition: settled.definition }, Number(settled.days), signal),
    enabled: isValid && key.project !== "" && key.name !== "",
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const { data } = query
  return (
    <Card
      title={t("Backtest")}
      aside={
        <Select
          aria-label={t("Range of the backtest")}
          value={days}
          onChange={setDays}
          data={["7", "14", "31"].map((value) => ({
            value,
            label: t("Last {days} days", { days: value }),
          }))}
        />
      }
    >
      <NameInput
        label={t("SLO")}
        description={t("Project and name. Shows how often the policy would have alerted.")}
        placeholder="default/checkout-latency"
        suggestions={slos.data?.data.map(({ project, name, displayName }) => ({
          value: `${project.name}/${name}`,
          label: displayName,
        }))}
        value={slo}
        onChange={({ currentTarget }) => setSlo(currentTarget.value)}
      />
      {!isValid && <p className="dim">{t("Fix the errors of the form to run the backtest.")}</p>}
      {isValid && query.isFetching && <p className="dim">{t("Running…")}</p>}
      {slo !== "" && <QueryError query={query} missing={t("This SLO was not found.")} />}
      {data !== undefined && slo !== "" && (
        <Stack gap="xs" aria-live="polite" aria-busy={query.isPlaceholderData}>
          <p>
            <span className={css.figure}>
              {t("{count, plural, one {# alert} other {# alerts}}", { count: data.alertCount })}
            </span>{" "}
            <span className="dim">
              {t("in {days} days, {rate} in 30 days", {
                days,
                rate: meanText(data.alertsPerMonth),
              })}
            </span>
          </p>
          <CountsBegin backtest={data} />
          <BacktestAlerts backtest={data} showsBudget />
        </Stack>
      )}
    </Card>
  )
}
