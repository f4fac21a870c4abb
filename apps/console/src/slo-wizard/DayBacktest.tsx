import type { Backtest } from "@tocsin/api"
import { Stack } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import rules from "virtual:rules/backtestIndicator/policies"
import { BacktestAlerts } from "../alert-policies/BacktestAlerts.tsx"
import { bodyOf, client } from "../api/Client.ts"
import { issuesOr, ruleText } from "../api/Issues.ts"
import { poll } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { durationText } from "../components/RelativeTime.tsx"
import { useSettled } from "../editor/Settled.ts"
import { t } from "../language/Text.tsx"
import { BacktestTimeline } from "../slos/BacktestTimeline.tsx"
import { isPreviewable } from "./Preview.ts"
import type { Wizard } from "./Wizard.ts"
import css from "./Wizard.module.css"
import {
  isComposite,
  needsPastWeeks,
  policyOf,
  presetName,
  presets,
  type SloDefinition,
  sourceOf,
} from "./SloDocument.ts"

const debounceMs = 800

/** Fewer minutes with counts than this are said: an hour of the day has none. */
const minutesMin = 23 * 60

/** What decides whether policies would have alerted, whatever is still to be entered. */
const measuredPart = ({ apiVersion, metadata: { project }, spec }: SloDefinition): SloDefinition => ({
  apiVersion,
  kind: "SLO",
  metadata: { name: "preview", project: project || "default" },
  spec: {
    service: "preview",
    budgetingMethod: spec.budgetingMethod,
    timeWindows: spec.timeWindows,
    objectives: spec.objectives,
    ...(spec.indicator !== undefined && { indicator: spec.indicator }),
  },
})

/** The policies to evaluate: the presets that need no more than a day, and those that are chosen. */
const policiesOf = ({ slo, existing }: Wizard) => {
  const { project } = slo.metadata
  const ofDay = presets.filter((preset) => !needsPastWeeks(preset)).map(presetName)
  const names = [...new Set([...ofDay, ...(slo.spec.alertPolicies ?? [])])].slice(0, rules.max)
  return names.map((name) => {
    const preset = presets.find((each) => presetName(each) === name)
    const isStored = existing.policies?.has(`${project}/${name}`) === true
    const policy =
      isStored || preset === undefined
        ? { alertPolicy: name }
        : { definition: policyOf(preset, [], measuredPart(slo)) }
    return { name, policy }
  })
}

/** Which alerts the policies would have opened in the last day, for the SLO as it is entered. */
export const useDayBacktest = (wizard: Wizard) => {
  const { edited, existing, slo } = wizard
  const settled = useSettled({ definition: measuredPart(slo), policies: policiesOf(wizard) }, debounceMs)
  const isRun =
    edited === undefined &&
    existing.policies !== undefined &&
    isPreviewable(slo) &&
    slo.spec.objectives.some((row) => !isComposite(row))
  const query = useQuery({
    queryKey: ["wizard-day-backtest", settled],
    queryFn: async ({ signal }) => {
      const { definition, policies } = settled
      const body = { definition, policies: policies.map(({ policy }) => policy) }
      const result = await issuesOr(bodyOf(client.POST("/api/indicators/backtest", { body, signal })))
      if ("errors" in result) return result
      const byName = Object.fromEntries(
        result.backtests.flatMap((backtest, at) => {
          const name = policies[at]?.name
          return name === undefined ? [] : [[name, backtest] as const]
        }),
      )
      return { ...result, byName }
    },
    enabled: isRun,
    // Checking another policy leaves the others as they are; what was measured otherwise is not shown.
    placeholderData: (before, query) =>
      JSON.stringify((query?.queryKey[1] as typeof settled | undefined)?.definition) ===
      JSON.stringify(settled.definition)
        ? before
        : undefined,
    staleTime: 300_000,
    refetchOnWindowFocus: false,
    refetchInterval: poll(),
  })
  return { query, isRun }
}

export type DayBacktest = ReturnType<typeof useDayBacktest>

/** The range that the backtests of all policies cover, or why there are no backtests. */
export const DayBacktestState = ({
  slo,
  backtest: { query, isRun },
}: {
  readonly slo: SloDefinition
  readonly backtest: DayBacktest
}) => {
  const { data } = query
  if (!isRun) {
    return (
      <p className="dim small">
        {sourceOf(slo) === "pushed"
          ? t("How often a policy would have alerted is shown here once the SLO has counts.")
          : t("Enter the queries to see how often a policy would have alerted in the last day.")}
      </p>
    )
  }
  const test = data !== undefined && "backtests" in data ? data : undefined
  const hasResult = test !== undefined && test.backtests.length > 0
  return (
    <Stack gap="xs" role="status" aria-busy={query.isFetching}>
      {data === undefined && query.error === null && (
        <p className="dim small">{t("Reading the last day to run the backtest…")}</p>
      )}
      <QueryError query={query} />
      {data !== undefined && "errors" in data && (
        <Notice kind="warn">
          {t("The backtest runs once the queries and objectives are valid.")}
          <ul className={css.issues}>
            {data.errors.map(({ detail, title, source: at }) => (
              <li key={`${at?.propertyName} ${detail}`}>
                {`${at?.propertyName?.replace(/^definition\./, "") ?? ""}: ${ruleText(detail ?? title)}`}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {test !== undefined && !hasResult && (
        <Notice kind="warn">
          {test.problem === undefined
            ? t("The data source has no counts of the last day, so no backtest is possible.")
            : t("The last day could not be read, so no backtest is possible: {reason}", {
                reason: ruleText(test.problem.detail),
              })}
        </Notice>
      )}
      {hasResult && test.minutesWithCounts <= minutesMin && (
        <Notice kind="warn">
          {t("Only {duration} of the last day have counts.", {
            duration: durationText(test.minutesWithCounts * 60_000),
          })}
        </Notice>
      )}
      {hasResult && (
        <p className="dim small">
          {t(
            "The backtest covers one day only, with the queries and objectives as entered. Conditions over more than a day measure just this day.",
          )}
        </p>
      )}
    </Stack>
  )
}

/** When one policy would have alerted in the last day. */
export const PolicyDay = ({
  name,
  backtest: { query },
}: {
  readonly name: string
  readonly backtest: DayBacktest
}) => {
  const { data } = query
  const day: Backtest | undefined = data !== undefined && "byName" in data ? data.byName[name] : undefined
  if (day === undefined) return null
  return (
    <section className={css.day} aria-label={t("Backtest of {policy}", { policy: name })}>
      <p className="small">
        {t(
          "{count, plural, =0 {Would not have alerted} one {Would have alerted once} other {Would have alerted # times}} in the last day.",
          { count: day.alertCount },
        )}
      </p>
      {day.alertCount > 0 && <BacktestTimeline backtest={day} />}
      <BacktestAlerts backtest={day} />
    </section>
  )
}
