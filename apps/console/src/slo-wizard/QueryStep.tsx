import { SegmentedControl, Stack } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { Select } from "../components/Filters.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { rich, t } from "../language/Text.tsx"
import { QueryField } from "./completion/QueryField.tsx"
import { previewError, usePreview } from "./Preview.ts"
import type { Wizard } from "./Wizard.ts"
import css from "./Wizard.module.css"
import type { WizardValues } from "./WizardValues.ts"

const base = "spec.indicator.prometheus"

/** The queries of good and of all events, or the metric that is compared. */
export const QueryStep = ({ wizard }: { readonly wizard: Wizard }) => {
  const { values, set, errorOf } = wizard
  const { method } = values
  const preview = usePreview(wizard)
  // Four names side by side are wider than a phone.
  const isNarrow = useMediaQuery("(max-width: 640px)")
  if (values.source === "pushed" || values.source === "other") {
    return (
      <Card title={t("Queries")}>
        <Notice kind="info">
          {values.source === "pushed"
            ? t("Pushed counts need no queries. Continue with the objectives.")
            : t("The queries of this SLO can be changed as YAML in the last step.")}
        </Notice>
      </Card>
    )
  }
  // The preview reports what the server says about an expression while it is typed.
  const field = (name: "good" | "bad" | "total" | "metric" | "series", path: string) => ({
    id: name,
    value: values[name],
    error:
      errorOf(`${base}.${path}`) ?? (values[name].trim() === "" ? undefined : previewError(preview, path)),
    dataSource: values.source === "dataSource" ? values.dataSource : "",
    onChange: (value: string) => set({ [name]: value }),
  })
  return (
    <Card title={t("Queries")}>
      <SegmentedControl
        aria-label={t("How events are counted")}
        orientation={isNarrow ? "vertical" : "horizontal"}
        fullWidth={isNarrow}
        value={method}
        onChange={(value) => set({ method: value as WizardValues["method"] })}
        data={[
          { value: "good", label: t("Good / total") },
          { value: "bad", label: t("Bad / total") },
          { value: "metric", label: t("Threshold") },
          { value: "histogram", label: t("Histogram") },
        ]}
      />
      <Stack gap={14} className={css.query}>
        {method === "good" && (
          <QueryField
            {...field("good", "good")}
            label={t("Good events")}
            description={t("PromQL for the number of good events in the last minute.")}
            placeholder={'sum(increase(http_requests_total{code!~"5.."}[1m]))'}
          />
        )}
        {method === "bad" && (
          <QueryField
            {...field("bad", "bad")}
            label={t("Bad events")}
            description={t(
              "PromQL for the number of bad events in the last minute. Good events are the others.",
            )}
            placeholder={'sum(increase(http_requests_total{code=~"5.."}[1m]))'}
          />
        )}
        {(method === "good" || method === "bad") && (
          <QueryField
            {...field("total", "total")}
            label={t("All events")}
            description={t("PromQL for the number of all events in the last minute.")}
            placeholder="sum(increase(http_requests_total[1m]))"
          />
        )}
        {method === "metric" && (
          <QueryField
            {...field("metric", "metric")}
            label={t("Metric")}
            description={t("PromQL for one value, such as a latency. Each objective has its own threshold.")}
            placeholder="histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))"
          />
        )}
        {method === "histogram" && (
          <>
            <QueryField
              {...field("series", "histogram")}
              seriesSuffix={values.histogramType === "classic" ? "_bucket" : ""}
              label={t("Histogram")}
              description={t(
                "Metric name without _bucket, with label matchers. Events up to the threshold of an objective are good.",
              )}
              placeholder={'http_request_duration_seconds{job="checkout"}'}
            />
            <Select
              label={t("Type of the histogram")}
              value={values.histogramType}
              onChange={(type) => set({ histogramType: type as WizardValues["histogramType"] })}
              data={[
                { value: "classic", label: t("Classic") },
                { value: "native", label: t("Native") },
              ]}
            />
          </>
        )}
      </Stack>
      <p className="dim small">
        {rich("Completes metrics, labels and functions while you type. {keys} shows them anywhere.", {
          keys: <kbd>{t("Ctrl Space")}</kbd>,
        })}
      </p>
      {errorOf(base) !== undefined && values.method === "good" && values.good === "" && (
        <p className="dim small">{t("Each query must return one series: aggregate with sum(…).")}</p>
      )}
    </Card>
  )
}
