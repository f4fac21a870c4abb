const minuteMs = 60_000
const scrapeMs = 15_000

/** Scrapes do not begin with the minute. */
const scrapeOffsetMs = 7_000

/** Fifteen hours of counters in the OpenMetrics text format, and ranges to compare; times are in Unix milliseconds. */
export interface CounterHistory {
  readonly text: string
  /** No range begins or ends within a gap: there `increase` extrapolates, and knows nothing of the events either. */
  readonly ranges: ReadonlyArray<readonly [from: number, to: number]>
}

/** Minutes from the start, from ≤ minute < to. */
type Minutes = readonly [from: number, to: number]

interface Instance {
  readonly name: string
  /** When it was there. */
  readonly present: Minutes
  /** When it was there and counted, but was not scraped. */
  readonly gaps: ReadonlyArray<Minutes>
  /** When it restarted from 0. */
  readonly resets: ReadonlyArray<number>
}

const instances: ReadonlyArray<Instance> = [
  // Restarts while it is scraped, in a gap of 2 minutes, and in a gap of 9 minutes.
  {
    name: "a",
    present: [0, 720],
    gaps: [
      [150, 152],
      [300, 309],
      [480, 500],
    ],
    resets: [75.5, 151, 304],
  },
  // Is not scraped for 30 minutes altogether, in short gaps and a long one.
  {
    name: "b",
    present: [0, 540],
    gaps: [
      [200, 203],
      [210, 212],
      [220, 225],
      [300, 309],
      [400, 420],
    ],
    resets: [],
  },
  // Comes when b has gone.
  // Then nothing is scraped for 150 minutes.
  {
    name: "c",
    present: [545, 900],
    gaps: [
      [600, 606],
      [720, 870],
    ],
    resets: [660.25],
  },
]

/** Requests a second at a time of day, and the share that fails. */
const loadAt = (minute: number) => ({
  rate: 20 + 15 * Math.sin(minute / 40) + (minute % 60 === 17 ? 60 : 0),
  badShare: minute >= 330 && minute < 345 ? 0.5 : 0.01,
})

export const counterHistory = (start: number): CounterHistory => {
  const lines = ["# TYPE requests counter"]
  for (const { name, present, gaps, resets } of instances) {
    for (const code of ["200", "500"]) {
      let value = 0
      for (let at = present[0] * minuteMs; at < present[1] * minuteMs; at += scrapeMs) {
        const minute = at / minuteMs
        const { rate, badShare } = loadAt(minute)
        if (resets.some((reset) => reset * minuteMs >= at - scrapeMs && reset * minuteMs < at)) value = 0
        value += Math.round((rate * (code === "500" ? badShare : 1 - badShare) * scrapeMs) / 1000)
        if (gaps.some(([from, to]) => minute >= from && minute < to)) continue
        lines.push(
          `requests_total{instance="${name}",code="${code}"} ${value} ${(start + at + scrapeOffsetMs) / 1000}`,
        )
      }
    }
  }
  const minutes: ReadonlyArray<Minutes> = [
    ...Array.from({ length: 29 }, (_, half): Minutes => [half * 30, half * 30 + 60]),
    [0, 720],
    [10, 530],
    [190, 240],
    [290, 320],
    [130, 170],
    [470, 530],
    [650, 900],
    [700, 890],
  ]
  return {
    text: [...lines, "# EOF", ""].join("\n"),
    ranges: minutes
      .filter(([from, to]) => [from, to].every((edge) => !isUnscraped(edge)))
      .map(([from, to]) => [start + from * minuteMs, start + to * minuteMs]),
  }
}

const isUnscraped = (minute: number): boolean =>
  instances.some(({ gaps }) => gaps.some(([from, to]) => minute >= from && minute <= to))
