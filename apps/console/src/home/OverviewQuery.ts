import { api, firstReadMs, poll } from "../api/Queries.ts"

/** How often a visible page is refreshed. */
const refreshMs = 10_000

/** What the first page shows. What was requested before the page was there is not requested again. */
export const overviewQuery = api.queryOptions(
  "get",
  "/api/console/overview",
  {},
  { refetchInterval: poll(refreshMs), staleTime: firstReadMs },
)
