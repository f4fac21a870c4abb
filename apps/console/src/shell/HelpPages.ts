/** The page of the documentation about the pages of the console below a path; the first that matches. */
const helpPages: ReadonlyArray<readonly [path: string, page: string]> = [
  ["/slos/import", "guides/openslo"],
  ["/slos", "guides/slos"],
  ["/services", "guides/definitions"],
  ["/budget-adjustments", "guides/slos#adjust-error-budgets"],
  ["/alerts", "guides/alerting#the-status-of-an-alert"],
  ["/incidents", "guides/incidents"],
  ["/alert-policies", "guides/alerting#what-a-condition-measures"],
  ["/silences", "guides/alerting#silence-notifications"],
  ["/alert-methods", "guides/templates"],
  ["/deliveries", "guides/delivery"],
  ["/data-sources", "guides/prometheus"],
  ["/credentials", "spec/access"],
  ["/signing", "guides/delivery#the-signature"],
  ["/reports", "guides/slos#reports"],
  ["/deleted", "spec/definitions#13-history"],
]

/** The address of the documentation about a page of the console; of pages that have none, its index. */
export const helpAddress = (path: string): string => {
  const found = helpPages.find(([above]) => path === above || path.startsWith(`${above}/`))
  return `/help/${found?.[1] ?? ""}`
}
