import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { textsOf } from "./message-source.ts"

const root = new URL("../../apps/console/src/", import.meta.url).pathname

const catalog = readFileSync(`${root}language/messages/de.json`, "utf8")
const german: Readonly<Record<string, string>> = JSON.parse(catalog)

/** Texts that are the same in every language: names, keys, code and examples of what to enter. */
const sameEverywhere: ReadonlyArray<RegExp> = [
  // The name of the product, and of formats.
  /^(Tocsin|JSON|CSV)$/,
  // Keys and commands.
  /^(Esc|⌘K|Ctrl K|curl|tocsin apply -f)$/,
  // Durations as definitions write them.
  /^\d+[smh]$/,
  // Examples of names, URLs, labels, headers and certificates.
  /^(https:\/\/|-----BEGIN |team[:=]|sig1=)/,
  /^(On call – payments|example\.com\/owner|payments|X-Team|THANOS-TENANT|shop|default\/checkout-latency)$/,
  // Lines of code, queries, names and time zones as definitions write them.
  /^(__name__$|organization: "|apiVersion: |version: |objective-|Europe\/|sum\(|histogram_quantile\(|http_request_duration_seconds\{)/,
]

const modules = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith("language"))
  .map((path) => ({ path, ...textsOf(path, readFileSync(join(root, path), "utf8")) }))

const messages = [...new Set(modules.flatMap((module) => module.messages.map(({ text }) => text)))]

/** The variables and tags of a message, each once. */
const argumentsOf = (elements: ReadonlyArray<MessageFormatElement>): ReadonlySet<string> =>
  new Set(
    elements.flatMap((element) => {
      if (element.type === TYPE.literal || element.type === TYPE.pound) return []
      if (element.type === TYPE.tag) return [`<${element.value}>`, ...argumentsOf(element.children)]
      if (element.type !== TYPE.select && element.type !== TYPE.plural) return [element.value]
      return [
        element.value,
        ...Object.values(element.options).flatMap(({ value }) => [...argumentsOf(value)]),
      ]
    }),
  )

describe("messages of the console", () => {
  it("are literals, so that they can be translated", () => {
    expect(
      modules.flatMap(({ path, computed }) => computed.map(({ text, line }) => `${path}:${line}: ${text}`)),
    ).toEqual([])
    expect(messages.length).toBeGreaterThan(1000)
  })

  it("leave no English outside the catalog", () => {
    const outside = modules.flatMap(({ path, untranslated }) =>
      untranslated
        .filter(({ text }) => !sameEverywhere.some((pattern) => pattern.test(text)))
        .map(({ text, line }) => `${path}:${line}: ${text}`),
    )
    expect(outside).toEqual([])
  })

  it("are valid, as are their translations, which have the same variables and tags", () => {
    const wrong = messages.filter((message) => {
      const translation = german[message]
      const expected = argumentsOf(parse(message))
      const given = translation === undefined ? expected : argumentsOf(parse(translation))
      return [...expected].toSorted().join() !== [...given].toSorted().join()
    })
    expect(wrong).toEqual([])
  })

  it("are all translated to German", () => {
    expect(messages.filter((message) => german[message] === undefined)).toEqual([])
  })

  it("are translated once each", () => {
    expect(catalog.match(/^  "/gm)).toHaveLength(Object.keys(german).length)
  })

  it("have no translations of messages that nothing says any more", () => {
    const known = new Set(messages)
    expect(Object.keys(german).filter((message) => !known.has(message))).toEqual([])
  })

  it("are in the languages of status pages", () => {
    const languagesIn = (file: string): string | undefined =>
      /languages = (\{.*?\}) as const/i.exec(readFileSync(file, "utf8"))?.[1]
    const ofConsole = languagesIn(`${root}language/Language.ts`)
    expect(ofConsole).toContain('de: "Deutsch"')
    const texts = new URL("../../packages/adapters-http/src/status-pages/StatusPageTexts.ts", import.meta.url)
    expect(languagesIn(texts.pathname)).toBe(ofConsole)
  })
})
