import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { benchmarkPage, pageOfResults } from "./Page.ts"
import { pageFile, type Run } from "./Results.ts"

const run = (ratio: number): Run => ({
  date: "2026-01-31",
  revision: "abc",
  node: "v20",
  platform: "linux",
  cpu: "a CPU",
  cores: 2,
  load: 0.5,
  comparisons: [
    {
      title: "Reading",
      time: "cpu",
      measured: [
        { name: "raw", microseconds: 20, ratio: 1 },
        { name: "ours", microseconds: 20 / ratio, ratio },
      ],
      verdicts: [{ name: "ours", against: "raw", atLeast: 0.5, ratio, isMet: ratio >= 0.5 }],
    },
    {
      title: "Waiting",
      time: "wall",
      measured: [
        { name: "10 s", microseconds: 1e7, ratio: 1 },
        { name: "ours", microseconds: 2_500_000, ratio: 4 },
      ],
      verdicts: [{ name: "ours", against: "10 s", atLeast: 1, ratio: 4, isMet: true }],
    },
  ],
})

const page = (...runs: ReadonlyArray<Run>) =>
  benchmarkPage(
    "<!-- misses -->\n\n<!-- results -->",
    new Map([["serving", runs]]),
    new Map([
      ["serving", "A server."],
      ["other", "Another."],
    ]),
  )

describe("the page of the benchmarks", () => {
  it("is what the stored runs say; npm run bench -- --page writes it", () => {
    expect(readFileSync(pageFile, "utf8")).toBe(pageOfResults())
    expect(Buffer.byteLength(pageOfResults())).toBeLessThanOrEqual(12_000)
  })

  it("has the median and the range of the runs", () => {
    const text = page(run(0.6), run(0.4), run(0.55))
    expect(text).toContain("| Reading: ours | 0.55 × of raw (36.4 µs) | 0.4–0.6 | ≥ 0.5 × |")
    expect(text).toContain("A server. 3 runs, the last on 2026-01-31 (load 0.5).")
    expect(text).toContain("No run is stored of `other`.")
  })

  it("names the size that a contender of another size is compared with", () => {
    const sizes = [
      { name: "of 1,000", microseconds: 20, ratio: 1 },
      { name: "of 10,000", microseconds: 40, ratio: 0.5 },
    ]
    const verdicts = [{ name: "of 10,000", against: "of 1,000", atLeast: 0.4, ratio: 0.5, isMet: true }]
    const comparisons = [{ title: "Reading", time: "cpu" as const, measured: sizes, verdicts }]
    expect(page({ ...run(0.6), comparisons })).toContain("| Reading: of 10,000 | 0.5 × of 1,000 (40 µs) |")
  })

  it("has a limit in time as what is required", () => {
    const waiting = run(0.6).comparisons.slice(1)
    expect(page({ ...run(0.6), comparisons: waiting })).toContain(
      "| Waiting, wall time: ours | 2.5 s |  | ≤ 10 s |",
    )
  })

  it("lists what the median of the runs misses", () => {
    expect(page(run(0.6))).toMatch(/^None\./)
    expect(page(run(0.4))).toContain("| `serving` | Reading: ours | 0.4 × of raw (50 µs) |  | ≥ 0.5 × |\n")
    expect(page(run(0.4))).not.toContain("\n| Reading: ours")
  })

  it("only names benchmarks of which nothing is required", () => {
    const comparisons = run(0.6).comparisons.map((each) => ({ ...each, verdicts: [] }))
    expect(page({ ...run(0.6), comparisons })).toContain("Nothing is required of `serving`.")
  })
})
