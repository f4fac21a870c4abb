import { Button, Checkbox, Group, Stack } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import { useQuery } from "@tanstack/react-query"
import { Link } from "wouter"
import { type Reach, SilentReach, usePolicyReach } from "../alert-policies/AlertCoverage.tsx"
import { useDocuments } from "../api/Definitions.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { requiredText } from "../editor/Fields.ts"
import { keyNames, NameList } from "../editor/NameList.tsx"
import { t } from "../language/Text.tsx"
import { latestBacktest } from "../slos/LatestBacktest.ts"
import { DayBacktestState, PolicyDay, useDayBacktest } from "./DayBacktest.tsx"
import type { Wizard } from "./Wizard.ts"
import { policyOf, type Preset, presetName, presets, usesPreset } from "./SloDocument.ts"

const backtestDays = 14

const policiesPath = "spec.alertPolicies"

/** Alert policies: presets, which are created if need be, and those that exist. */
export const AlertsStep = ({ wizard }: { readonly wizard: Wizard }) => {
  const { slo, draft, existing, edited } = wizard
  const methods = useDocuments("alertmethods")
  const backtest = useDayBacktest(wizard)
  const { project } = slo.metadata
  const chosen = slo.spec.alertPolicies ?? []
  const choose = (name: string, isChosen: boolean): void =>
    draft.put({ [policiesPath]: [...chosen.filter((each) => each !== name), ...(isChosen ? [name] : [])] })
  const known = [...(existing.policies ?? [])]
    .filter((key) => key.startsWith(`${project}/`))
    .map((key) => key.slice(project.length + 1))
  const exists = (preset: Preset): boolean => known.includes(presetName(preset))
  const created = presets.filter((preset) => usesPreset(slo, preset) && !exists(preset))
  const others = [...new Set([...known, ...chosen])]
    .filter((name) => !presets.some((preset) => presetName(preset) === name))
    .toSorted()
  const error = draft.errorOf(policiesPath, policiesPath)
  const { data: reaches } = usePolicyReach()
  const silentReach = (name: string): Reach =>
    reaches?.policies.find(({ policy }) => policy.name === name && policy.project === project)?.reach ??
    "notifies"
  return (
    <>
      <Card title={t("Alert policies")}>
        <p className="dim">{t("Alert when the error budget burns too fast, or when there is no traffic.")}</p>
        <Stack gap="sm" role="group" aria-label={t("Presets")}>
          {presets.map((preset) => (
            <div key={preset}>
              <Checkbox
                label={presetLabel(preset)}
                description={presetText(preset, exists(preset))}
                checked={usesPreset(slo, preset)}
                onChange={({ currentTarget: { checked } }) => choose(presetName(preset), checked)}
              />
              {edited === undefined && <PolicyDay name={presetName(preset)} backtest={backtest} />}
              {usesPreset(slo, preset) && <SilentReach reach={silentReach(presetName(preset))} />}
              {usesPreset(slo, preset) && edited !== undefined && (
                <Backtest wizard={wizard} name={presetName(preset)} preset={preset} />
              )}
            </div>
          ))}
        </Stack>
        {others.length > 0 && (
          <Stack gap="sm" role="group" aria-label={t("Existing alert policies")}>
            <h3>{t("Existing alert policies")}</h3>
            {others.map((name) => (
              <div key={name}>
                <Checkbox
                  label={name}
                  checked={chosen.includes(name)}
                  onChange={({ currentTarget: { checked } }) => choose(name, checked)}
                />
                {chosen.includes(name) && <SilentReach reach={silentReach(name)} />}
                {chosen.includes(name) &&
                  (edited === undefined ? (
                    <PolicyDay name={name} backtest={backtest} />
                  ) : (
                    <Backtest wizard={wizard} name={name} />
                  ))}
              </div>
            ))}
          </Stack>
        )}
        {chosen.length === 0 && (
          <Notice kind="info">{t("Without an alert policy, this SLO sends no notifications.")}</Notice>
        )}
        {error !== undefined && <Notice kind="bad">{error}</Notice>}
        {edited === undefined && <DayBacktestState slo={slo} backtest={backtest} />}
      </Card>
      {created.length > 0 && (
        <Card title={t("Notifications")}>
          <NameList
            id="methods"
            legend={t("Alert methods")}
            description={t("Notified by the policies that are created with the SLO.")}
            names={wizard.methods}
            choices={(methods.data ?? []).map(({ metadata }) => `${metadata.project}/${metadata.name}`)}
            addLabel={t("Add alert method")}
            error={undefined}
            onChange={wizard.setMethods}
          />
          {wizard.methods.length === 0 && (
            <Notice kind="warn">
              {t("Without alert methods, the alerts of these policies notify nobody.")}
            </Notice>
          )}
          {methods.data?.length === 0 && (
            <Group>
              <span className="dim">
                {t("No alert methods yet. Your draft is kept while you create one.")}
              </span>
              <Button component={Link} href="/alert-methods/new" variant="default" size="compact-sm">
                {t("Create alert method")}
              </Button>
            </Group>
          )}
        </Card>
      )}
      <NoData
        wizard={wizard}
        choices={(methods.data ?? []).map(({ metadata }) => `${metadata.project}/${metadata.name}`)}
      />
    </>
  )
}

/** Who is notified when no counts arrive. */
const NoData = ({
  wizard: { slo, draft },
  choices,
}: {
  readonly wizard: Wizard
  readonly choices: ReadonlyArray<string>
}) => {
  const path = "spec.anomalyConfig.noData"
  const { shortest = "", longest = "" } = draft.rules(`${path}.alertAfter`)
  const noData = slo.spec.anomalyConfig?.noData
  const methodsPath = `${path}.alertMethods`
  const keys = keyNames(noData?.alertMethods, slo.metadata.project)
  return (
    <Card title={t("Missing data")}>
      <Checkbox
        label={t("Notify when there are no counts")}
        description={t("For example, when the data source can’t be read or no counts arrive.")}
        checked={noData !== undefined}
        onChange={({ currentTarget: { checked } }) =>
          checked
            ? draft.swap([], { [path]: { alertMethods: [], alertAfter: "15m", treatZeroAsNoData: true } })
            : draft.swap([path], {})
        }
      />
      {noData !== undefined && (
        <>
          <NameInput
            {...draft.field(`${path}.alertAfter`, requiredText)}
            label={t("Without counts for")}
            description={t("From {min} to {max}.", { min: shortest, max: longest })}
          />
          <Checkbox
            label={t("Treat minutes without events as missing")}
            description={t(
              "If a load balancer fails, the counters behind it stop increasing and the counts are 0. With fewer than 10 events a minute, choose a longer time.",
            )}
            checked={noData.treatZeroAsNoData === true}
            onChange={({ currentTarget: { checked } }) =>
              draft.put({ [`${path}.treatZeroAsNoData`]: checked || undefined })
            }
          />
          <NameList
            id={methodsPath}
            legend={t("Alert methods for missing data")}
            names={keys.format(noData.alertMethods)}
            choices={choices}
            addLabel={t("Add alert method for missing data")}
            error={draft.errorOf(methodsPath, methodsPath)}
            onChange={(names) => draft.put({ [methodsPath]: keys.parse(names) })}
          />
        </>
      )}
    </Card>
  )
}

const presetText = (preset: Preset, isStored: boolean): string => {
  const name = presetName(preset)
  const how = isStored
    ? t("Uses the alert policy {name} of the project.", { name })
    : t("Creates the alert policy {name}.", { name })
  const what = {
    page: () => t("SRE Workbook: the budget burns so fast that someone must respond immediately."),
    ticket: () => t("SRE Workbook: the budget burns slowly; it can wait for working hours."),
    noTraffic: () =>
      t(
        "Fewer than 5% of the usual events, over the shortest of 15 minutes, 1 hour, 6 hours and 24 hours that usually has at least 20 events. In simulations: no false alarm in 28 days, from 0.05 to 100 events a minute. Needs a week of counts.",
      ),
  }[preset]()
  return `${what} ${how}`
}

const presetLabel = (preset: Preset): string =>
  ({
    page: () => t("Fast burn (page)"),
    ticket: () => t("Slow burn (ticket)"),
    noTraffic: () => t("No traffic (page)"),
  })[preset]()

/** How often a policy would have alerted for a stored SLO. */
const Backtest = ({
  wizard: { edited, slo, existing },
  name,
  preset,
}: {
  readonly wizard: Wizard
  readonly name: string
  readonly preset?: Preset
}) => {
  const key = edited?.metadata ?? { project: "", name: "" }
  const isStored = existing.policies?.has(`${key.project}/${name}`) === true
  const query = useQuery({
    queryKey: ["wizard-backtest", key.project, key.name, name, isStored],
    queryFn: ({ signal }) =>
      latestBacktest(
        key,
        isStored || preset === undefined ? { alertPolicy: name } : { definition: policyOf(preset, [], slo) },
        backtestDays,
        signal,
      ),
    staleTime: 300_000,
    refetchOnWindowFocus: false,
  })
  if (query.error !== null) return <ErrorNotice error={query.error} retry={query.refetch} />
  return (
    <p className="dim small" role="status">
      {query.data === undefined
        ? t("Running the backtest…")
        : t(
            "{count, plural, =0 {Would not have alerted} one {Would have alerted once} other {Would have alerted # times}} in the last {days} days, by the stored objectives.",
            { count: query.data.alertCount, days: backtestDays },
          )}
    </p>
  )
}
