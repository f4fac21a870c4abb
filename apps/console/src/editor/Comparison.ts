import { t } from "../language/Text.tsx"

/** How a value is compared with a limit, before the limit. */
export const comparisonName = (op: "lt" | "lte" | "gt" | "gte"): string =>
  ({ lt: t("less than"), lte: t("at most"), gt: t("more than"), gte: t("at least") })[op]
