import { join } from "node:path"
import { type Limit, limits, type LimitUnit } from "@tocsin/domain/limits"
import { format, resolveConfig } from "prettier"
import { describe, expect, it } from "vitest"

const file = join(import.meta.dirname, "../../docs/spec/limits.md")

const sizes = ["bytes", "KiB", "MiB", "GiB"]

const seconds = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const

const counted = (value: number, thing: string): string =>
  `${value.toLocaleString("en-US")} ${thing}${value === 1 ? "" : "s"}`

const lasting = (all: number): string => {
  const [length, name] = seconds.find(([each]) => all % each === 0) ?? [1, "second"]
  return counted(all / length, name)
}

const written: Readonly<Record<LimitUnit, (value: number) => string>> = {
  bytes: (value) => {
    const power = sizes.findLastIndex((_, index) => value % 1_024 ** index === 0)
    return `${value / 1_024 ** power} ${sizes[power]}`
  },
  characters: (value) => counted(value, "character"),
  days: (value) => counted(value, "day"),
  ms: (value) => lasting(value / 1_000),
  seconds: lasting,
}

const textOf = ({ value, unit }: Limit): string =>
  unit === undefined ? value.toLocaleString("en-US") : written[unit](value)

const topics = [...new Set(limits.map(({ topic }) => topic))]

const page = `# Limits

The limits for users. A limit is the accepted maximum unless stated otherwise. \`limits\` of \`@tocsin/domain/limits\` has the
values; \`npx vitest run test/docs/limits.test.ts -u\` writes this page from it.

${topics
  .map((topic) => {
    const rows = limits
      .filter((limit) => limit.topic === topic)
      .map((limit) => `| ${limit.what} | ${textOf(limit)} |`)
    return `## ${topic}\n\n| Limit | Value |\n| --- | --- |\n${rows.join("\n")}\n`
  })
  .join("\n")}`

describe("the page of limits", () => {
  it("lists each limit once, with its value", async () => {
    expect(limits.length).toBeGreaterThan(50)
    expect(new Set(limits.map(({ topic, what }) => `${topic}: ${what}`)).size).toBe(limits.length)
    const options = await resolveConfig(file)
    await expect(await format(page, { ...options, parser: "markdown" })).toMatchFileSnapshot(file)
  })
})
