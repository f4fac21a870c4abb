import { Group } from "@mantine/core"
import { scaleOf, stepAt, stepsOf, type Values } from "../chart/Scale.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { Warnings } from "../components/Warnings.tsx"
import { t } from "../language/Text.tsx"
import { burnText, countText, reliabilityText, shortCountText } from "../components/NumberFormat.ts"
import { ruleText } from "../api/Issues.ts"
import { EventBars, EventLegend } from "../slos/EventBars.tsx"
import { timeFormat } from "../time/TimeZone.ts"
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
                <Bars
                  points={points}
                  from={Date.parse(test.from)}
                  to={Date.parse(test.to)}
                  stepMs={test.stepMinutes * 60_000}
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

const figureText = (count: number): string =>
  count >= 100_000 ? shortCountText(count) : countText(Math.round(count * 10) / 10)

const Figure = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

const [width, height] = [576, 120]

const timeText = timeFormat({ dateStyle: "medium", timeStyle: "short" })

/** Good and bad events of each step. The figures beside it say the same in sum. */
const Bars = ({
  points,
  from,
  to,
  stepMs,
}: {
  readonly points: ReadonlyArray<PreviewPoint>
  readonly from: number
  readonly to: number
  readonly stepMs: number
}) => {
  const frame = { from, to, until: to, stepMs }
  const max = Math.max(1e-9, ...points.map(({ total }) => total))
  const scale = scaleOf(frame, 0, max, { left: 0, right: width, top: 0, bottom: height })
  const valuesOf = (valueOf: (point: PreviewPoint) => number): Values => {
    const values = Array.from<number | null>({ length: stepsOf(frame) }).fill(null)
    for (const point of points) values[stepAt(frame, point.at)] = valueOf(point)
    return values
  }
  return (
    <figure style={{ margin: "12px 0" }}>
      <svg
        className={css.chart}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t("Good and bad events from {from} to {to}", { from: timeText(from), to: timeText(to) })}
      >
        <EventBars
          frame={frame}
          good={valuesOf(({ good }) => Math.max(0, good))}
          total={valuesOf(({ total }) => total)}
          scale={scale}
        />
      </svg>
      <figcaption>
        <Group className="dim small" gap="4px 16px">
          <EventLegend />
          <span>{t("{from} to {to}", { from: timeText(from), to: timeText(to) })}</span>
        </Group>
      </figcaption>
    </figure>
  )
}
