import { t } from "../language/Text.tsx"
import type { Step } from "./SloDocument.ts"

/** The name of a step. */
export const stepName = (step: Step): string => {
  switch (step) {
    case "source":
      return t("Data source")
    case "query":
      return t("Queries")
    case "objectives":
      return t("Objectives")
    case "alerts":
      return t("Alerts")
    case "review":
      return t("Review")
  }
}
