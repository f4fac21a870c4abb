import type { Comparison } from "./Compare.ts"

/** A benchmark: what it measures, in a sentence, and its module, which is loaded when it is to run since it reads its length then. */
interface Benchmark {
  readonly about: string
  /** Programs that must be on the `PATH`. */
  readonly needs?: ReadonlyArray<string>
  readonly load: () => Promise<{ readonly run: () => Promise<ReadonlyArray<Comparison>> }>
}

/** The benchmarks by the name that picks them: `npm run bench -- signing verifying`. */
export const benchmarks: ReadonlyMap<string, Benchmark> = new Map<string, Benchmark>([
  [
    "prometheus",
    {
      about:
        "What SLOs cost beside a Prometheus that has their metrics, for an hour: Tocsin with its PostgreSQL and the work of its queries, beside the rules of Sloth and of Pyrra in the shapes that they document.",
      needs: ["prometheus", "promtool"],
      load: () => import("./Prometheus.ts"),
    },
  ],
  [
    "reading",
    {
      about:
        "1,000 SLOs that are read from a Prometheus that answers 4 queries at a time, each after 50 to 200 ms: how long minutes are over before they are counted, and what that costs.",
      needs: ["prometheus", "promtool"],
      load: () => import("./Reading.ts"),
    },
  ],
  [
    "first-reading",
    {
      about:
        "30 days of SLOs that are read for the first time from a Prometheus that has their metrics: CPU time, and queries.",
      needs: ["prometheus", "promtool"],
      load: () => import("./FirstReading.ts"),
    },
  ],
  [
    "growth",
    {
      about:
        "The whole server on PostgreSQL with 1,000, 10,000 and 100,000 SLOs: its start, its memory, lists, counts, and a query over all SLOs.",
      load: () => import("./Growth.ts"),
    },
  ],
  [
    "starting",
    {
      about:
        "The built server, from its start to the first response: with the memory store, and with the embedded PostgreSQL and its data.",
      load: () => import("./Starting.ts"),
    },
  ],
  [
    "signing",
    {
      about:
        "`signRequest`, with the digest of a body of 1 KiB and the signature base, beside Ed25519 alone over a ready base.",
      load: () => import("./Signing.ts"),
    },
  ],
  [
    "verifying",
    {
      about:
        "`verifyRequest`, with headers and digest, beside Ed25519 alone and two npm packages that check neither the digest nor duplicate header lines.",
      load: () => import("./Verifying.ts"),
    },
  ],
  [
    "rendering",
    {
      about: "`renderTemplate` of 2 KiB, beside `JSON.stringify` of an object with the same result.",
      load: () => import("./Rendering.ts"),
    },
  ],
  [
    "serving",
    {
      about:
        "The whole server over HTTP with 20 organizations of 500 SLOs, beside `node:http` and Fastify, which only find the same records in memory and encode them.",
      load: () => import("./Serving.ts"),
    },
  ],
  [
    "delivering",
    {
      about:
        "Queue in memory, dispatcher, templates, signer and guarded transport to 4 TLS origins, beside undici's `Pool`, which encodes, signs and sends.",
      load: () => import("./Delivering.ts"),
    },
  ],
  [
    "queueing",
    {
      about:
        "The queue on PostgreSQL with durable writes, with all that sends a notification, beside graphile-worker on the same database with a task that encodes, signs, sends and logs.",
      load: () => import("./Queueing.ts"),
    },
  ],
  [
    "listing",
    {
      about:
        "Pages of 500 SLOs on PostgreSQL, and one SLO, of an organization with many SLOs beside one with 1,000.",
      load: () => import("./Listing.ts"),
    },
  ],
  [
    "deliveries",
    {
      about:
        "Pages of 500 of the delivery log on PostgreSQL by each filter: 1,000,000 deliveries beside 10,000.",
      load: () => import("./ListingDeliveries.ts"),
    },
  ],
  [
    "counting",
    {
      about: "Counts and statuses on PostgreSQL with 31 days of minutes: 10,000 objectives beside 1,000.",
      load: () => import("./Counting.ts"),
    },
  ],
  [
    "recording",
    {
      about:
        "Counts on PostgreSQL with durable writes: one a request, with the status that follows, beside a batch.",
      load: () => import("./Recording.ts"),
    },
  ],
  [
    "adjusting",
    {
      about:
        "A budget adjustment of a day of 100 of 10,000 SLOs on PostgreSQL, beside another organization that sends counts.",
      load: () => import("./Adjusting.ts"),
    },
  ],
  [
    "backtesting",
    {
      about: "A policy with two burn rates over 31 days of one objective with a count in each minute.",
      load: () => import("./Backtesting.ts"),
    },
  ],
  [
    "opening",
    {
      about: "Opening pages of the console in a browser, beside what the server sends.",
      load: () => import("./Opening.ts"),
    },
  ],
  [
    "rows",
    { about: "A list of 10,000 SLOs, from the database to the browser.", load: () => import("./Rows.ts") },
  ],
  [
    "origin",
    {
      about:
        "Requests to a host beside an organization that keeps 128 requests in flight to a slow path of it.",
      load: () => import("./Origin.ts"),
    },
  ],
  [
    "fairness",
    {
      about:
        "20 alerts a second of a healthy organization beside up to 64 whose 600 alert methods each respond after 14 s.",
      load: () => import("./Fairness.ts"),
    },
  ],
  [
    "hostile",
    {
      about:
        "How long a neighbor waits while another organization keeps 8 costly requests in progress, for each operation.",
      load: () => import("./Hostile.ts"),
    },
  ],
  [
    "querying",
    {
      about: "`query_range` over a day by the minute for 100 SLOs through the whole server.",
      load: () => import("./Querying.ts"),
    },
  ],
  ["promql", { about: "Parsing and checking of PromQL.", load: () => import("./PromQl.ts") }],
])
