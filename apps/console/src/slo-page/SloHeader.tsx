import type { SloRecord } from "@tocsin/api"
import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { api, poll, pollMs } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { DescriptionList } from "../components/Page.tsx"
import { RelativeTime } from "../components/RelativeTime.tsx"
import { listText, t } from "../language/Text.tsx"
import { targetText } from "../components/NumberFormat.ts"
import css from "./SloHeader.module.css"
import { type SloSpec, useSeries } from "../slos/SloSeries.ts"
import { windowText } from "../slos/WindowText.ts"

/** How an SLO is defined, in short: its window, method and targets, where its counts come from, and how new they are. */
export const SloHeader = ({
  project,
  name,
  slo,
  spec,
}: DefinitionKey & { readonly slo: SloRecord; readonly spec: SloSpec | undefined }) => {
  const [window] = spec?.timeWindows ?? []
  return (
    <section aria-label={t("Summary")} className={css.summary}>
      <DescriptionList
        properties={[
          [t("Time window"), window && windowText(window)],
          [
            t("Budgeting method"),
            slo.budgetingMethod === "Occurrences" ? t("Occurrences: events") : t("Timeslices: minutes"),
          ],
          [
            t("Target"),
            listText(
              [
                ...(slo.composite === undefined
                  ? []
                  : [{ name: t("Composite"), target: slo.composite.target }]),
                ...slo.objectives.map((each) => ({
                  name: each.displayName || each.name,
                  target: each.target,
                })),
              ].map(({ name, target }) =>
                slo.objectives.length + (slo.composite === undefined ? 0 : 1) === 1
                  ? targetText(target)
                  : t("{name} {target}", { name, target: targetText(target) }),
              ),
            ),
          ],
          [
            t("Service"),
            <Link
              key="service"
              href={`/slos?project=${encodeURIComponent(slo.project.name)}&service=${encodeURIComponent(slo.service.name)}`}
            >
              <bdi>{slo.service.displayName || slo.service.name}</bdi>
            </Link>,
          ],
          [t("Source of counts"), spec && <Source spec={spec} project={project} name={name} />],
          [t("Latest counts"), <Newest key="newest" project={project} name={name} />],
        ]}
      />
      {spec !== undefined && <Queries spec={spec} />}
    </section>
  )
}

const Source = ({ spec, project, name }: DefinitionKey & { readonly spec: SloSpec }) => {
  const { prometheus, otlp } = spec.indicator ?? {}
  const { data } = api.useQuery(
    "get",
    "/api/slos/{sloName}/indicator",
    { params: { path: { sloName: name }, header: { project } } },
    { refetchInterval: poll(5 * pollMs), enabled: prometheus !== undefined },
  )
  if (prometheus?.dataSource !== undefined) {
    const { project: of = project, name: source } = data?.dataSource ?? prometheus.dataSource
    return (
      <Link href={`/data-sources/${of}/${source}`}>
        <bdi>{source}</bdi>
      </Link>
    )
  }
  if (prometheus !== undefined) {
    return prometheus.url === undefined ? t("Prometheus") : <bdi className="break">{prometheus.url}</bdi>
  }
  if (otlp !== undefined) return t("OpenTelemetry metrics")
  return spec.objectives.every(({ composite }) => composite !== undefined)
    ? t("Components")
    : t("Counts sent to the API")
}

const Newest = ({ project, name }: DefinitionKey) => {
  const { data } = useSeries({ project, name }, { kind: "window" })
  const latest = [...(data?.objectives ?? [])]
    .flatMap(({ latestAt }) => latestAt ?? [])
    .toSorted()
    .at(-1)
  if (data === undefined) return <span className="dim">…</span>
  return latest === undefined ? <span className="dim">{t("None yet")}</span> : <RelativeTime at={latest} />
}

/** The expressions of an indicator, to read and to copy. */
const Queries = ({ spec: { indicator } }: { readonly spec: SloSpec }) => {
  const { prometheus, otlp } = indicator ?? {}
  const texts = [
    ...(prometheus?.good === undefined ? [] : [[t("Good events"), prometheus.good] as const]),
    ...(prometheus?.bad === undefined ? [] : [[t("Bad events"), prometheus.bad] as const]),
    ...(prometheus?.total === undefined ? [] : [[t("Total events"), prometheus.total] as const]),
    ...(prometheus?.metric === undefined ? [] : [[t("Metric"), prometheus.metric] as const]),
    ...(prometheus?.histogram === undefined ? [] : [[t("Histogram"), prometheus.histogram.series] as const]),
    ...(otlp === undefined ? [] : [[t("Metrics"), JSON.stringify(otlp, undefined, 2)] as const]),
  ]
  if (texts.length === 0) return null
  return (
    <details className={css.queries}>
      <summary>{t("Query")}</summary>
      {texts.map(([label, text]) => (
        <div key={label}>
          <p className="dim small">{label}</p>
          <CodeBlock text={text} label={label} isWrapped />
        </div>
      ))}
    </details>
  )
}
