import type { DataSourceTest } from "@tocsin/api"
import { ruleText } from "../api/Issues.ts"
import { Notice } from "../components/Notice.tsx"
import { countText } from "../components/NumberFormat.ts"
import { t } from "../language/Text.tsx"

/** What came of a test of a data source. */
export const TestResult = ({ test: { message, detail, durationMs } }: { readonly test: DataSourceTest }) => (
  <Notice kind={detail === undefined ? "ok" : "bad"}>
    <strong>{message}</strong>
    <p>
      {detail === undefined
        ? t("The server responded after {duration} ms.", { duration: countText(durationMs) })
        : ruleText(detail)}
    </p>
  </Notice>
)
