import { describe, expect, it } from "vitest"
import * as fc from "fast-check"

/** The types of the console's sources are checked in a project of their own. */
const sourceOf = (path: string): Promise<unknown> =>
  import(new URL(`../../apps/console/src/${path}`, import.meta.url).href)

const { curlCommand } = (await sourceOf("deliveries/ReceivedRequest.ts")) as {
  readonly curlCommand: (request: {
    readonly url: string
    readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
    readonly body: string
  }) => string
}

it("a curl command quotes for a shell", () => {
  expect(
    curlCommand({ url: "http://127.0.0.1/a'b", headers: [{ name: "A", value: "it's" }], body: "{'x'}" }),
  ).toBe(`curl -i -X POST 'http://127.0.0.1/a'\\''b' \\\n  -H 'A: it'\\''s' \\\n  --data-raw '{'\\''x'\\''}'`)
})

const { hideSecrets, restoreSecrets } = (await sourceOf("editor/Secrets.ts")) as {
  readonly hideSecrets: <D>(
    definition: D,
    isSecret: (path: string, parent: Readonly<Record<string, unknown>>) => boolean,
  ) => { readonly shown: D; readonly secrets: ReadonlyMap<string, string> }
  readonly restoreSecrets: <D>(definition: D, secrets: ReadonlyMap<string, string>) => D
}

const { labelList, labelsOf, labelTyping, labelText } = (await sourceOf("editor/Labels.ts")) as {
  readonly labelList: (text: string) => ReadonlyArray<string>
  readonly labelsOf: (text: string) => Readonly<Record<string, ReadonlyArray<string>>>
  readonly labelTyping: {
    readonly format: (labels: Readonly<Record<string, ReadonlyArray<string>>>) => string
  }
  readonly labelText: (label: string) => string
}

describe("labels as they are typed", () => {
  const key = fc.oneof(fc.stringMatching(/^[a-z](?:[a-z0-9_-]*[a-z0-9])?$/), fc.constant("constructor"))
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(",", '"', ":", "=", "\\", " ", "\n", "[", "]", "a") }),
  )

  it("are read as the labels that they were written from, whatever the values are", () => {
    fc.assert(
      fc.property(fc.dictionary(key, fc.uniqueArray(value, { maxLength: 3 })), (labels) => {
        const text = labelTyping.format(labels)
        expect(labelsOf(text)).toEqual({ ...labels })
        // What an input of one line does to its value.
        expect(text).toBe(text.replaceAll(/[\r\n]/g, "").trim())
      }),
      { numRuns: 500 },
    )
  })

  it("are kept in the address of the list of SLOs", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, value)), (pairs) => {
        const labels = [...new Set(pairs.map(([name, each]) => `${name}=${each}`))]
        expect(labelList(labels.map(labelText).join(",")).toSorted()).toEqual(labels.toSorted())
      }),
    )
  })

  it("need no quotes unless a value has a comma", () => {
    const labels = { team: ["payments", "a:b"], note: ["eu, us"], size: ['5" pipe'], plain: [""], none: [] }
    const text = 'team=payments, team=a:b, note="eu, us", size=5" pipe, plain, none=[]'
    expect(labelTyping.format(labels)).toBe(text)
    expect(labelsOf(text)).toEqual(labels)
    expect(labelsOf(' team = payments ,, note = "eu, us" ')).toEqual({ team: ["payments"], note: ["eu, us"] })
  })

  it("may have a colon in place of the equals sign, as labels in notifications have", () => {
    const labels = { team: ["payments", "a=b"], note: ["eu, us"], none: [] }
    expect(labelsOf('team:payments, team : a=b, note: "eu, us", none:[]')).toEqual(labels)
  })

  it.each(['note="eu, us', 'note:"eu" us', 'note="\\x"'])("are no labels with the quotes of %s", (text) => {
    expect(Object.keys(labelsOf(text))[0]).toContain('"')
  })
})

describe("the secrets of a definition", () => {
  const definition = {
    password: "p",
    headers: [
      { name: "A", value: "a", isSecret: true },
      { name: "B", value: "[hidden]", isSecret: true },
      { name: "C", value: "c" },
    ],
  }
  const isSecret = (path: string, parent: Readonly<Record<string, unknown>>): boolean =>
    path === "password" || (path.endsWith(".value") && parent["isSecret"] === true)

  it("are hidden, and restored wherever their place went", () => {
    const { shown, secrets } = hideSecrets(definition, isSecret)
    expect(JSON.stringify(shown)).not.toMatch(/"[pa]"/)
    expect(shown.headers[2]).toEqual({ name: "C", value: "c" })
    expect(secrets.size).toBe(2)
    expect(restoreSecrets(shown, secrets)).toEqual(definition)
    const moved = { ...shown, headers: shown.headers.toReversed() }
    expect(restoreSecrets(moved, secrets).headers).toEqual(definition.headers.toReversed())
  })
})
