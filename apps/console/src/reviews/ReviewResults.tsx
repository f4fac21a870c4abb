import type { ReviewSummary } from "@tocsin/api"
import { t } from "../language/Text.tsx"

/** How many SLOs of a review have each result. */
export const ResultsText = ({
  results: { met, missed, insufficient_data: insufficient },
}: Pick<ReviewSummary, "results">) => (
  <>
    <span className={missed > 0 ? "bad" : undefined}>{t("{count, number} missed", { count: missed })}</span>
    {insufficient > 0 && <>, {t("{count, number} with insufficient data", { count: insufficient })}</>},{" "}
    {t("{count, number} met", { count: met })}
  </>
)
