import type { Comparison } from "./Compare.ts"

/** A benchmark, which is loaded when it is to run: it reads its length then. */
type Load = () => Promise<{ readonly run: () => Promise<ReadonlyArray<Comparison>> }>

/** The benchmarks by the name that picks them: `npm run bench -- signing verifying`. */
export const benchmarks: ReadonlyMap<string, Load> = new Map<string, Load>([
  ["signing", () => import("./Signing.ts")],
  ["verifying", () => import("./Verifying.ts")],
  ["rendering", () => import("./Rendering.ts")],
  ["serving", () => import("./Serving.ts")],
  ["delivering", () => import("./Delivering.ts")],
  ["queueing", () => import("./Queueing.ts")],
  ["listing", () => import("./Listing.ts")],
  ["deliveries", () => import("./ListingDeliveries.ts")],
  ["counting", () => import("./Counting.ts")],
  ["adjusting", () => import("./Adjusting.ts")],
  ["backtesting", () => import("./Backtesting.ts")],
  ["opening", () => import("./Opening.ts")],
  ["rows", () => import("./Rows.ts")],
  ["origin", () => import("./Origin.ts")],
  ["fairness", () => import("./Fairness.ts")],
  ["hostile", () => import("./Hostile.ts")],
  ["querying", () => import("./Querying.ts")],
  ["promql", () => import("./PromQl.ts")],
])
