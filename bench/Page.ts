import { benchmarks } from "./Benchmarks.ts"
import { median } from "./Compare.ts"
import { pageText, readResults, type Results, type Run } from "./Results.ts"

/** `docs/benchmarks.md`, from `page.md` and the results beside it. */
export const pageOfResults = (): string =>
  benchmarkPage(
    pageText(),
    readResults(benchmarks.keys()),
    new Map([...benchmarks].map(([name, { about }]) => [name, about])),
  )

/** One row of the table of a benchmark: how fast a contender is, of another one. */
interface Row {
  readonly title: string
  readonly name: string
  readonly against: string
  readonly microseconds: number
  /** Writes such a figure. */
  readonly amount: (figure: number) => string
  readonly ratio: number
  readonly least: number
  readonly most: number
  readonly atLeast: number | undefined
}

/** What stands in the text of the page in the place of the misses and of all results. */
const places = { misses: "<!-- misses -->", results: "<!-- results -->" }

/**
 * The page of the benchmarks as Markdown: `text` with the stored runs and what each benchmark says of itself. A ratio is the median of
 * the stored runs; it misses what is required when this median does.
 */
export const benchmarkPage = (
  text: string,
  results: Results,
  abouts: ReadonlyMap<string, string>,
): string => {
  const misses = [...results].flatMap(([name, runs]) =>
    rowsOf(runs)
      .filter(isMissed)
      .map((row) => `| \`${name}\` ${rowText(row)}`),
  )
  const sections = [...abouts].flatMap(([name, about]) => {
    const runs = results.get(name) ?? []
    const last = runs.at(-1)
    return last === undefined || !hasRequirement(runs) ? [] : [section(name, about, runs, last)]
  })
  const listed = (what: string, names: ReadonlyArray<string>): void => {
    if (names.length > 0) sections.push(`${what} ${names.map((name) => `\`${name}\``).join(", ")}.`)
  }
  const stored = [...abouts.keys()].filter((name) => results.has(name))
  listed(
    "Nothing is required of",
    stored.filter((name) => !hasRequirement(results.get(name) ?? [])),
  )
  listed(
    "No run is stored of",
    [...abouts.keys()].filter((name) => !results.has(name)),
  )
  return text
    .replace(places.misses, () =>
      misses.length === 0 ? "None." : tableText(["Benchmark", ...columns], misses),
    )
    .replace(places.results, () => sections.join("\n\n"))
}

const hasRequirement = (runs: ReadonlyArray<Run>): boolean =>
  rowsOf(runs).some(({ atLeast }) => atLeast !== undefined)

const section = (name: string, about: string, runs: ReadonlyArray<Run>, last: Run): string => {
  const rows = tellingRowsOf(runs).map(rowText)
  const count = runs.length === 1 ? "One run" : `${runs.length} runs`
  return [
    `### ${name}`,
    `${about} ${count}, the last on ${last.date} (load ${last.load}).`,
    ...(rows.length === 0 ? [] : [tableText(columns, rows)]),
  ].join("\n\n")
}

/** The cells of `rowText`. */
const columns = ["Measurement", "Median", "Range", "Required"]

const tableText = (heads: ReadonlyArray<string>, rows: ReadonlyArray<string>): string =>
  [`| ${heads.join(" | ")} |`, `| ${heads.map(() => "---").join(" | ")} |`, ...rows].join("\n")

const rowText = (row: Row): string =>
  `| ${row.title}: ${row.name} | ${measured(row)} | ${rangeOf(row)} | ${required(row)} |`

/** A contender that stands for a limit. */
const isLimit = ({ against }: Row): boolean => /^[\d.]+ (µs|ms|s|MB)$/.test(against)

const measured = (row: Row): string =>
  isLimit(row)
    ? row.amount(row.microseconds)
    : // Contenders of one size are named by it, such as `of 1,000`.
      `${times(row.ratio)} of ${row.against.replace(/^of /, "")} (${row.amount(row.microseconds)})`

const required = (row: Row): string =>
  row.atLeast === undefined ? "" : isLimit(row) ? `≤ ${row.against}` : `≥ ${times(row.atLeast)}`

const rangeOf = (row: Row): string =>
  row.least === row.most || isLimit(row) ? "" : `${number(row.least)}–${number(row.most)}`

const isMissed = ({ atLeast, ratio }: Row): boolean => atLeast !== undefined && ratio < atLeast

/** Of each requirement that is met in all sizes, the row that meets it by the least. */
const tellingRowsOf = (runs: ReadonlyArray<Run>): ReadonlyArray<Row> => {
  const required = rowsOf(runs).filter(({ atLeast }) => atLeast !== undefined)
  const subjectOf = ({ title }: Row): string => title.replace(/, with .*/, "")
  return [...new Set(required.map(subjectOf))].flatMap((subject) => {
    const rows = required.filter((row) => subjectOf(row) === subject)
    return rows.some(isMissed) ? [] : rows.toSorted((a, b) => marginOf(a) - marginOf(b)).slice(0, 1)
  })
}

const marginOf = ({ ratio, atLeast = ratio }: Row): number => ratio / atLeast

/** A row for each bound, and for a comparison without bounds, one of its second contender. */
const rowsOf = (runs: ReadonlyArray<Run>): ReadonlyArray<Row> =>
  (runs.at(-1)?.comparisons ?? []).flatMap(({ title, time, measured, verdicts }) => {
    const [first, second] = measured
    if (first === undefined || second === undefined) return []
    const bounds =
      verdicts.length > 0
        ? verdicts
        : [{ name: second.name, against: first.name, ratio: second.ratio, atLeast: undefined }]
    return bounds.map(({ name, against, atLeast }) => {
      const ratios = runs.flatMap((run) => ratioIn(run, title, time, name, against))
      return {
        title: time === "wall" ? `${title}, wall time` : title,
        amount: time === "bytes" ? bytes : time === "queries" ? number : duration,
        name,
        against,
        microseconds: measured.find((each) => each.name === name)?.microseconds ?? Number.NaN,
        ratio: median(ratios),
        least: Math.min(...ratios),
        most: Math.max(...ratios),
        atLeast,
      }
    })
  })

/** The ratio of two contenders in one run: as judged, round by round, or from the first contender's. */
const ratioIn = (
  run: Run,
  title: string,
  time: string,
  name: string,
  against: string,
): ReadonlyArray<number> => {
  const comparison = run.comparisons.find((each) => each.title === title && each.time === time)
  const verdict = comparison?.verdicts.find((each) => each.name === name && each.against === against)
  const found = verdict ?? comparison?.measured.find((each) => each.name === name)
  return found === undefined ? [] : [found.ratio]
}

const number = (value: number): string =>
  value >= 100
    ? Math.round(value).toLocaleString("en")
    : String(Number(value.toPrecision(2 + Number(value >= 0.1))))

const times = (ratio: number): string => `${number(ratio)} ×`

const bytes = (count: number): string => `${number(count / 1e6)} MB`

const duration = (microseconds: number): string =>
  microseconds >= 1e6
    ? `${number(microseconds / 1e6)} s`
    : microseconds >= 1e3
      ? `${number(microseconds / 1e3)} ms`
      : `${number(microseconds)} µs`
