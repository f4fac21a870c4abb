/** The rate limits of the API, and what a request costs. */
export {
  atMost,
  ConcurrencyLimitIsExceeded,
  costly,
  costlyAtOnceMax,
  costlyAtOncePerOrganizationMax,
  costlyListUnits,
  costlyReadsPolicy,
  CostlyRequestsInProgress,
  costlyUnitBytes,
  costlyUnitsPerWindow,
  costlyWritesPolicy,
  type RequestsInProgress,
  unitsOf,
} from "../quota/CostlyRequests.ts"
export { inTurn, makeTurns, type TurnLimits, type Turns } from "../quota/Turns.ts"
export {
  accessTokenPerWindow,
  accessTokenWindowMs,
  consolePolicy,
  findSloPerSecond,
  findSloPerSecondMax,
  findSloPolicy,
  largeBodiesPolicy,
  largeBodyUnitBytes,
  listSlosPerSecond,
  listSlosPolicy,
  listSlosV1Policy,
  type RateLimitPolicy,
  searchSlosPerSecond,
  searchSlosPolicy,
  seriesPerSecond,
  seriesPolicy,
  sloRowsPolicy,
} from "../rate-limit/RateLimitPolicy.ts"
export {
  emptyWindow,
  type RateLimitDecision,
  type SlidingWindow,
  takeFromWindow,
} from "../rate-limit/SlidingWindow.ts"
