import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"

const root = path.resolve(import.meta.dirname, "../..")
const folder = path.join(root, "docs/decisions")
const read = (file: string): string => readFileSync(path.join(root, file), "utf8")

const filesUnder = (under: string, wanted: RegExp): ReadonlyArray<string> =>
  readdirSync(path.join(root, under), { withFileTypes: true }).flatMap((entry) => {
    const file = `${under}/${entry.name}`
    if (entry.isDirectory()) return /^(?:node_modules|dist)$/.test(entry.name) ? [] : filesUnder(file, wanted)
    return wanted.test(file) && file !== "test/docs/decisions.test.ts" ? [file] : []
  })

const files = readdirSync(folder)
const records = files
  .filter((file) => file !== "README.md")
  .map((file) => ({ file, number: file.slice(0, 4), text: read(`docs/decisions/${file}`) }))

/** The targets of a text's links to other files. */
const linkedFiles = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, file = ""]) => file)

/** The numbers after `decision` or `decisions`, also when their list goes on in the next line of a comment. */
const citedDecisions = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\bdecisions?[\s*/]+(\d{4}(?:(?:,| and| or| to)+[\s*/]+\d{4})*)\b/gi)].flatMap(
    ([, numbers = ""]) => numbers.match(/\d{4}/g) ?? [],
  )

describe("the decision records", () => {
  it.each(records)("$file has the four parts in fewer than 40 lines, and is named by its title", (record) => {
    const lines = record.text.trimEnd().split("\n")
    expect(lines.length).toBeLessThan(40)
    const [opening = "", ...parts] = record.text.split(/^## /m)
    expect(parts.map((part) => part.split("\n", 1)[0])).toEqual([
      "Context",
      "Decision",
      "Consequences",
      "Source",
    ])
    for (const part of parts) expect(part).toMatch(/^\w+\n\n\S/)
    expect(opening).toMatch(/^# \d{4} \S.*\n\n$/)
    const words =
      opening
        .toLowerCase()
        .replaceAll("'", "")
        .match(/[a-z0-9]+/g) ?? []
    expect(record.file).toBe(`${words.join("-")}.md`)
  })

  it("have numbers that stand once each", () => {
    const numbers = records.map((record) => record.number)
    expect(numbers).toEqual([...new Set(numbers)])
  })

  it("are in the index, each under its group and in the order of their numbers", () => {
    const groups = read("docs/decisions/README.md")
      .split(/^## (?=\d\dxx )/m)
      .slice(1)
    const listed = groups.flatMap((group) =>
      linkedFiles(group).map((file) => ({ group: group.slice(0, 2), file })),
    )
    expect(listed).toEqual(records.map(({ file }) => ({ group: file.slice(0, 2), file })))
  })

  it("have no dead links", () => {
    const dead = files.flatMap((file) =>
      linkedFiles(read(`docs/decisions/${file}`))
        .filter((target) => !existsSync(path.join(folder, target)))
        .map((target) => `${file} → ${target}`),
    )
    expect(dead).toEqual([])
  })

  it("exist for every number that the code cites", () => {
    const known = new Set(records.map((record) => record.number))
    const unknown = ["packages", "apps", "examples", "test"]
      .flatMap((under) => filesUnder(under, /\.(?:tsx?|m?js)$/))
      .flatMap((file) =>
        citedDecisions(read(file))
          .filter((number) => !known.has(number))
          .map((number) => `${file} cites ${number}`),
      )
    expect(unknown).toEqual([])
  })
})

/**
 * What a test's name says it shows: `1.2: …`, `contract 8: …`, or several, as `1.7, contract 7: …`. A number after
 * `contract` is a section of the contract, any other a point of the records.
 */
interface TestName {
  readonly points: ReadonlyArray<string>
  readonly sections: ReadonlyArray<string>
  readonly sentence: string
}

const testNames: ReadonlyArray<TestName> = filesUnder("test", /\.test\.ts$|^test\/contract\/.*\.ts$/).flatMap(
  (file) =>
    [
      ...read(file).matchAll(
        /(["'`])(?:\$\{\w+\}:? )?((?:(?:contract )?\d+(?:\.\d+)?(?:, and |, | and )?)+): ((?:\\.|(?!\1)[^\\])*)\1/g,
      ),
    ].map(([, , tags = "", sentence = ""]) => {
      const at = tags.indexOf("contract ")
      const points = at === -1 ? tags : tags.slice(0, at)
      const sections = at === -1 ? "" : tags.slice(at)
      return { points: numbersOf(points), sections: numbersOf(sections), sentence }
    }),
)

function numbersOf(text: string): ReadonlyArray<string> {
  return text.match(/\d+(?:\.\d+)?/g) ?? []
}

/** `0102` is point 1.2: the group, then the point, without leading zeros. */
const pointOf = (number: string): string => `${Number(number.slice(0, 2))}.${Number(number.slice(2))}`

/** Points that a test may also name by their group alone; the sentence then tells which one it shows. */
const shownByGroup: Readonly<Record<string, { readonly group: string; readonly sentence: RegExp }>> = {
  "6.0": { group: "6", sentence: /apply|delete|get|preview|deliver/i },
  "6.1": { group: "6", sentence: /\balerts?\b/i },
  "6.2": { group: "6", sentence: /kind|default/i },
  "6.3": { group: "6", sentence: /counts?/i },
  "7.1": { group: "7", sentence: /credential|secret/i },
}

/** The rows of the contract's sections 7 and 8: what the name of a test that shows one must speak of. */
const contractRows: ReadonlyArray<{
  readonly section: "7" | "8"
  readonly row: string
  readonly sentence: RegExp
}> = [
  { section: "7", row: "too many requests are 429", sentence: /429|too many|rate limit|more than/i },
  { section: "7", row: "Test failed with details", sentence: /test failed|wrong settings/i },
  { section: "7", row: "a URL not starting with https://", sentence: /https/i },
  {
    section: "7",
    row: "both or neither of template and templateFields",
    sentence: /both|neither|exactly one/i,
  },
  { section: "7", row: "a custom payload that is not JSON", sentence: /json/i },
  { section: "7", row: "an invalid digest or signature", sentence: /digest|signature/i },
  {
    section: "8",
    row: "10 requests per second to the list of SLOs",
    sentence: /(?=.*(?:slos|list))(?=.*(?:\b10\b|\bten|eleven|second|rate|429|window))/is,
  },
  {
    section: "8",
    row: "1 request per 3 seconds to the access token",
    sentence: /(?=.*token)(?=.*(?:\b3\b|three|second|rate|429|window))/is,
  },
  {
    section: "8",
    row: "access token lifetime of 1 hour",
    sentence: /(?=.*token)(?=.*(?:hour|lifetime|3,?600|expire))/is,
  },
  { section: "8", row: "page size (limit) of 500", sentence: /page|\b50[01]\b|(?<!rate )\blimit\b/i },
  { section: "8", row: "sloName of 63 characters", sentence: /sloName|slo.*name|name.*slo|\b63\b/is },
  { section: "8", row: "data range of 7 days", sentence: /range|(?:\b7|seven) days/i },
  { section: "8", row: "description of 1,050 characters", sentence: /description|1,?050/i },
  { section: "8", row: "webhook URL with https://", sentence: /https/i },
]

describe("the names of the tests", () => {
  it("name every decision from 0101 on", () => {
    const missing = records
      .filter((record) => record.number >= "0101")
      .filter(({ number }) => {
        const point = pointOf(number)
        const byGroup = shownByGroup[point]
        return !testNames.some(
          ({ points, sentence }) =>
            points.includes(point) ||
            (byGroup !== undefined && points.includes(byGroup.group) && byGroup.sentence.test(sentence)),
        )
      })
      .map(({ number, file }) => `${pointOf(number)}: (${file})`)
    expect(missing).toEqual([])
  })

  it("name every row of the contract's sections 7 and 8", () => {
    const missing = contractRows
      .filter(
        (row) =>
          !testNames.some(
            ({ sections, sentence }) => sections.includes(row.section) && row.sentence.test(sentence),
          ),
      )
      .map(({ section, row }) => `contract ${section}: ${row}`)
    expect(missing).toEqual([])
  })
})
