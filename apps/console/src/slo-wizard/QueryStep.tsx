import { SegmentedControl, Stack } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { ChoiceField } from "../editor/ChoiceField.tsx"
import { exactText } from "../editor/Fields.ts"
import { keyText } from "../editor/NameList.tsx"
import { rich, t } from "../language/Text.tsx"
import { QueryField } from "./completion/QueryField.tsx"
import { previewError, usePreview } from "./Preview.ts"
import type { Wizard } from "./Wizard.ts"
import css from "./Wizard.module.css"
import { badQuery, chooseMethod, type Method, methodOf, promPath, sourceOf } from "./SloDocument.ts"

/** The queries of good and of all events, or the metric that is compared. */
export const QueryStep = ({ wizard }: { readonly wizard: Wizard }) => {
  const { slo, draft, edited } = wizard
  const source = sourceOf(slo)
  const { prometheus } = slo.spec.indicator ?? {}
  const method = methodOf(prometheus)
  const preview = usePreview(wizard)
  // Four names side by side are wider than a phone.
  const isNarrow = useMediaQuery("(max-width: 640px)")
  if (source === "pushed" || source === "other") {
    return (
      <Card title={t("Queries")}>
        <Notice kind="info">
          {source === "pushed"
            ? t("Pushed counts need no queries. Continue with the objectives.")
            : t("The queries of this SLO can be changed as YAML in the last step.")}
        </Notice>
      </Card>
    )
  }
  // The preview reports what the server says about an expression while it is typed.
  const field = (name: string, typing = exactText) => {
    const path = `${promPath}.${name}`
    const [value, onChange] = draft.typed(path, typing)
    const error = draft.errorOf(path, path.replace(/\.series$/, ""))
    const key = prometheus?.dataSource
    return {
      id: path,
      value,
      error: error ?? (value.trim() === "" ? undefined : previewError(preview, name)),
      dataSource: key === undefined || key.name === "" ? "" : keyText(key, slo.metadata.project),
      onChange,
    }
  }
  const bad = field("bad", badQuery(slo, edited))
  const total = field("total")
  const type = `${promPath}.histogram.type`
  const histogramType = (draft.at(type) ?? draft.rules(type).default) as string
  return (
    <Card title={t("Queries")}>
      <SegmentedControl
        aria-label={t("How events are counted")}
        orientation={isNarrow ? "vertical" : "horizontal"}
        fullWidth={isNarrow}
        value={method}
        onChange={(value) => chooseMethod(draft, value as Method)}
        data={[
          { value: "good", label: t("Good / total") },
          { value: "bad", label: t("Bad / total") },
          { value: "metric", label: t("Threshold") },
          { value: "histogram", label: t("Histogram") },
        ]}
      />
      <Stack gap="sm" className={css.query}>
        {method === "good" && (
          <QueryField
            {...field("good")}
            label={t("Good events")}
            description={t("PromQL for the number of good events in the last minute.")}
            placeholder={'sum(increase(http_requests_total{code!~"5.."}[1m]))'}
          />
        )}
        {method === "bad" && (
          <QueryField
            {...bad}
            label={t("Bad events")}
            description={t(
              "PromQL for the number of bad events in the last minute. Good events are the others.",
            )}
            placeholder={'sum(increase(http_requests_total{code=~"5.."}[1m]))'}
          />
        )}
        {(method === "good" || method === "bad") && (
          <QueryField
            {...total}
            // A query for bad events of groups contains it.
            onChange={(next) =>
              draft.put(
                {
                  [total.id]: next,
                  ...(method === "bad" && { [bad.id]: badQuery(slo, edited, next).parse(bad.value) }),
                },
                { [total.id]: next, ...(method === "bad" && { [bad.id]: bad.value }) },
              )
            }
            label={t("All events")}
            description={t("PromQL for the number of all events in the last minute.")}
            placeholder="sum(increase(http_requests_total[1m]))"
          />
        )}
        {method === "metric" && (
          <QueryField
            {...field("metric")}
            label={t("Metric")}
            description={t("PromQL for one value, such as a latency. Each objective has its own threshold.")}
            placeholder="histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))"
          />
        )}
        {method === "histogram" && (
          <>
            <QueryField
              {...field("histogram.series")}
              seriesSuffix={histogramType === "classic" ? "_bucket" : ""}
              label={t("Histogram")}
              description={t(
                "Metric name without _bucket, with label matchers. Events up to the threshold of an objective are good.",
              )}
              placeholder={'http_request_duration_seconds{job="checkout"}'}
            />
            <ChoiceField
              draft={draft}
              path={type}
              label={t("Type of the histogram")}
              names={(each: "classic" | "native") => ({ classic: t("Classic"), native: t("Native") })[each]}
            />
          </>
        )}
      </Stack>
      <p className="dim small">
        {rich("Completes metrics, labels and functions while you type. {keys} shows them anywhere.", {
          keys: <kbd>{t("Ctrl Space")}</kbd>,
        })}
      </p>
      {draft.errorOf(promPath, promPath) !== undefined && method === "good" && prometheus?.good === "" && (
        <p className="dim small">{t("Each query must return one series: aggregate with sum(…).")}</p>
      )}
    </Card>
  )
}
