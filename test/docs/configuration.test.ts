import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describeServerConfig } from "@tocsin/server/config/ServerConfig"
import { serverVariables, type Setting, settings, settingTopics } from "@tocsin/server/config/Settings"
import * as Result from "effect/Result"
import { format, resolveConfig } from "prettier"
import { describe, expect, it } from "vitest"

const file = join(import.meta.dirname, "../../docs/guides/configuration.md")

const defaults = new Map(
  Result.getOrThrow(describeServerConfig({})).map(({ variable, value }) => [variable, value]),
)

const defaultText = (variable: keyof typeof settings): string => {
  const { otherwise }: Setting<unknown> = settings[variable]
  const value = defaults.get(variable)
  return otherwise ?? (value === undefined ? "none" : `\`${value}\``)
}

const tables = settingTopics
  .map((topic) => {
    const rows = serverVariables
      .filter((variable) => settings[variable].topic === topic)
      .map((variable) => `| \`${variable}\` | ${defaultText(variable)} | ${settings[variable].description} |`)
    return `### ${topic}\n\n| Variable | Default | Description |\n| --- | --- | --- |\n${rows.join("\n")}\n`
  })
  .join("\n")

const [start, end] = ["<!-- The tables are generated from the settings. -->", "<!-- End of the tables. -->"]

describe("the page of the configuration", () => {
  it("lists each setting with its default and description", async () => {
    const page = readFileSync(file, "utf8")
    const [before = "", rest = ""] = page.split(start)
    const [, after] = rest.split(end)
    expect(after).toBeDefined()
    const written = `${before}${start}\n\n${tables}\n${end}${after}`
    const options = await resolveConfig(file)
    await expect(await format(written, { ...options, parser: "markdown" })).toMatchFileSnapshot(file)
    for (const variable of serverVariables) expect(page).toContain(`| \`${variable}\``)
  })
})
