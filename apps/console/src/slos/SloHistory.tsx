import type { AnnotationList as ListedAnnotations } from "@tocsin/api"
import { Group, Stack } from "@mantine/core"
import { type DefinitionKey, useDocuments } from "../api/Definitions.ts"
import { api, poll } from "../api/Queries.ts"
import type { Frame, Range } from "../chart/Scale.ts"
import { AddButton } from "../components/AddButton.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { ActionCharts } from "./ActionCharts.tsx"
import { burnThresholds } from "./BurnThresholds.ts"
import { ForecastText } from "./ForecastText.tsx"
import { AnnotationList } from "./SloAnnotations.tsx"
import type { Series, SloSpec, Track } from "./SloSeries.ts"
import { stepMsOf } from "./TimeRange.ts"
import { windowLengthMs } from "./WindowText.ts"

/** The charts of a range, and what can be done with a part of it. */
export const SloHistory = ({
  project,
  name,
  subject,
  series,
  isBusy,
  isOpenEnded,
  tracks,
  annotations,
  spec,
  onZoom,
}: DefinitionKey & {
  readonly subject: string
  readonly series: Series
  readonly isBusy: boolean
  /** The range ends now. */
  readonly isOpenEnded: boolean
  readonly tracks: ReadonlyArray<Track>
  readonly annotations: ListedAnnotations | undefined
  readonly spec: SloSpec | undefined
  readonly onZoom: (range: Range) => void
}) => {
  const isEditor = useIsEditor()
  const policies = useDocuments(
    "alertpolicies",
    { project, name: [...(spec?.alertPolicies ?? [])] },
    { enabled: (spec?.alertPolicies?.length ?? 0) > 0 },
  )
  const forecasts = api.useQuery(
    "get",
    "/api/slos/{sloName}/forecast",
    { params: { path: { sloName: name }, header: { project } } },
    { refetchInterval: poll(60_000) },
  )
  const only = tracks.length === 1 ? tracks[0] : undefined
  const forecast =
    only === undefined
      ? undefined
      : only.name === ""
        ? forecasts.data?.composite
        : forecasts.data?.objectives.find((each) => each.name === only.name)
  const [window] = spec?.timeWindows ?? []
  const thresholds = window === undefined ? [] : burnThresholds(policies.data ?? [], windowLengthMs(window))
  const frame = frameOf(series, isOpenEnded ? forecast : undefined)
  return (
    <Stack gap="md">
      {forecast !== undefined && <ForecastText forecast={forecast} />}
      <ActionCharts
        project={project}
        name={name}
        subject={subject}
        frame={frame}
        tracks={tracks}
        annotations={annotations?.annotations ?? []}
        thresholds={thresholds}
        forecast={isOpenEnded ? forecast : undefined}
        spec={spec}
        policies={spec?.alertPolicies ?? []}
        isBusy={isBusy}
        onZoom={onZoom}
        below={(annotate) => (
          <>
            {annotations !== undefined && (
              <AnnotationList
                list={annotations}
                slo={{ project, name }}
                {...(isEditor && { onEdit: annotate })}
              />
            )}
            {isEditor && (
              <Group>
                <AddButton onClick={() => annotate()}>{t("Add annotation")}</AddButton>
              </Group>
            )}
          </>
        )}
      />
    </Stack>
  )
}

/** The steps of a series, and after them room for the forecast: up to half their length if the budget is exhausted by then. */
const frameOf = (
  series: Series,
  forecast: { readonly exhaustedAt?: string; readonly latestAt?: string } | undefined,
): Frame => {
  const [from, to] = [Date.parse(series.from), Date.parse(series.to)]
  const { exhaustedAt, latestAt = exhaustedAt } = forecast ?? {}
  const most = to + (to - from) / 2
  const until =
    exhaustedAt === undefined || latestAt === undefined
      ? to
      : Date.parse(exhaustedAt) > most
        ? to + (to - from) / 8
        : Math.min(Date.parse(latestAt), most)
  return { from, to, stepMs: stepMsOf(series.step), until: Math.max(to, until) }
}
