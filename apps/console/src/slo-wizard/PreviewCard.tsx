import { useState } from "react"
import { ChartStoreContext, makeChartStore } from "../chart/ChartStore.ts"
import { type Frame, linePath, stepAt, stepsOf, type Values } from "../chart/Scale.ts"
import { TimeChart } from "../chart/TimeChart.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { Warnings } from "../components/Warnings.tsx"
import { t } from "../language/Text.tsx"
import {
  axisShareText,
  burnText,
  countText,
  reliabilityText,
  shortCountText,
  targetText,
} from "../components/NumberFormat.ts"
import { ruleText } from "../api/Issues.ts"
import { Labeled, midOf, textOr } from "../slos/ChartParts.tsx"
import { EventBars, EventLegend } from "../slos/EventBars.tsx"
import chartCss from "../slos/SloCharts.module.css"
import {
  burnedOf,
  isPreviewable,
  pointsOf,
  type PreviewPoint,
  previewName,
  sumOf,
  usePreview,
} from "./Preview.ts"
import type { Wizard } from "./Wizard.ts"
import { isComposite, isQueried, methodOf, percent, sourceOf } from "./SloDocument.ts"
import css from "./Wizard.module.css"

/** What the queries would have counted over the last day. */
export const PreviewCard = ({ wizard }: { readonly wizard: Wizard }) => {
  const query = usePreview(wizard)
  const { spec } = wizard.slo
  const source = sourceOf(wizard.slo)
  const method = methodOf(spec.indicator?.prometheus)
  const { data } = query
  const isShown = isPreviewable(wizard.slo)
  const test = isShown && data !== undefined && "counts" in data ? data : undefined
  const rejected = isShown && data !== undefined && "errors" in data ? data.errors : []
  const isHour = test?.stepMinutes === 1
  const plain = spec.objectives.filter((each) => !isComposite(each))
  const differs = method === "metric" || method === "histogram"
  return (
    <Card title={isHour ? t("Last hour") : t("Last day")}>
      <div aria-busy={query.isFetching} aria-live="polite">
        {source === "pushed" && (
          <p className="dim">{t("Counts that your program sends appear once the SLO exists.")}</p>
        )}
        {isQueried(wizard.slo) && !isShown && (
          <p className="dim">
            {t("Select a data source and enter the queries to preview the last day here.")}
          </p>
        )}
        {isShown && query.isFetching && test === undefined && <p className="dim">{t("Reading…")}</p>}
        {isShown && <QueryError query={query} />}
        {rejected.map(({ detail, title, source }) => (
          <Notice key={`${source?.propertyName} ${detail}`} kind="bad">
            {`${source?.propertyName?.replace(/^definition\./, "") ?? ""}: ${ruleText(detail ?? title)}`}
          </Notice>
        ))}
        {test?.problem !== undefined && (
          <Notice kind={test.counts.length === 0 ? "bad" : "warn"} role="status">
            {ruleText(test.problem.detail)}
          </Notice>
        )}
        <Warnings
          warnings={(test?.warnings ?? []).map((each) => ({
            ...each,
            path: each.path.replace(/^definition\./, ""),
          }))}
          useOf={wizard.useOf}
        />
        {test !== undefined &&
          test.counts.length > 0 &&
          (differs ? plain : plain.slice(0, 1)).map((row, at) => {
            const points = pointsOf(test, previewName(at))
            const { good, total, sli } = sumOf(points)
            return (
              <section key={at} aria-label={row.displayName || row.name || t("All objectives")}>
                {differs && <h3>{row.displayName || row.name || `${row.op} ${row.value}`}</h3>}
                <dl className={css.figures}>
                  <Figure name={t("SLI")} value={sli === undefined ? t("No data") : reliabilityText(sli)} />
                  <Figure name={t("Good")} value={figureText(good)} />
                  <Figure name={t("Total")} value={figureText(total)} />
                </dl>
                <PreviewCharts
                  subject={row.displayName || row.name || t("SLI")}
                  targets={targetsOf(differs ? [row] : plain)}
                  points={points}
                  frame={{
                    from: Date.parse(test.from),
                    to: Date.parse(test.to),
                    until: Date.parse(test.to),
                    stepMs: test.stepMinutes * 60_000,
                  }}
                />
                {(differs ? [row] : plain).map(({ target, name, displayName }, place) => {
                  const burned = burnedOf(sli, target)
                  if (burned === undefined) return null
                  return (
                    <p key={place} className="small">
                      {t("{objective}: average burn rate {rate} with a target of {target}%.", {
                        objective: displayName || name || t("Objective"),
                        rate: burnText(burned),
                        target: percent.format(target),
                      })}
                    </p>
                  )
                })}
              </section>
            )
          })}
      </div>
    </Card>
  )
}

/** The valid ones, each once. */
const targetsOf = (objectives: ReadonlyArray<{ readonly target?: unknown }>): ReadonlyArray<number> => [
  ...new Set(
    objectives.flatMap(({ target }) =>
      typeof target === "number" && target >= 0 && target <= 1 ? [target] : [],
    ),
  ),
]

const figureText = (count: number): string =>
  count >= 100_000 ? shortCountText(count) : countText(Math.round(count * 10) / 10)

const Figure = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

/** The events and the SLI of each step. */
const PreviewCharts = ({
  subject,
  targets,
  points,
  frame,
}: {
  readonly subject: string
  readonly targets: ReadonlyArray<number>
  readonly points: ReadonlyArray<PreviewPoint>
  readonly frame: Frame
}) => {
  const [store] = useState(() => makeChartStore())
  const valuesOf = (valueOf: (point: PreviewPoint) => number | null): Values => {
    const values = Array.from<number | null>({ length: stepsOf(frame) }).fill(null)
    for (const point of points) values[stepAt(frame, point.at)] = valueOf(point)
    return values
  }
  const good = valuesOf((point) => Math.max(0, point.good))
  const total = valuesOf((point) => point.total)
  const sli = valuesOf((point) => (point.total > 0 ? point.good / point.total : null))
  const least = Math.min(1, ...targets, ...sli.filter((value) => value !== null))
  // Nothing can be done with a selection before the SLO exists.
  const shared = { frame, subject, onAct: () => undefined }
  return (
    <ChartStoreContext value={store}>
      <TimeChart
        {...shared}
        label={t("Good and bad events")}
        min={0}
        max={Math.max(1e-9, ...total.map((value) => value ?? 0))}
        formatValue={shortCountText}
        draw={(scale) => <EventBars frame={frame} good={good} total={total} scale={scale} />}
        read={(index) => [
          [t("Good"), textOr(good[index], figureText)],
          [t("Total"), textOr(total[index], figureText)],
        ]}
        legend={<EventLegend />}
      />
      <TimeChart
        {...shared}
        label={t("SLI")}
        min={Math.max(0, 1 - Math.max(1e-6, 1.25 * (1 - least)))}
        max={1}
        formatValue={axisShareText}
        draw={(scale) => (
          <>
            {targets.map((target) => (
              <Labeled
                key={target}
                scale={scale}
                at={target}
                text={t("Target {target}", { target: targetText(target) })}
                className={chartCss.target}
              />
            ))}
            <path className={chartCss.window} d={linePath(sli, midOf(frame, scale), scale.y)} />
          </>
        )}
        read={(index) => [[t("SLI"), textOr(sli[index], reliabilityText)]]}
      />
    </ChartStoreContext>
  )
}
