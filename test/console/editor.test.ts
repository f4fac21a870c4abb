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

/** What JSON text can say: it has no -0. */
const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)))

it("a curl command quotes for a shell", () => {
  expect(
    curlCommand({ url: "http://127.0.0.1/a'b", headers: [{ name: "A", value: "it's" }], body: "{'x'}" }),
  ).toBe(`curl -i -X POST 'http://127.0.0.1/a'\\''b' \\\n  -H 'A: it'\\''s' \\\n  --data-raw '{'\\''x'\\''}'`)
})

const { rebase } = (await sourceOf("editor/Rebase.ts")) as {
  readonly rebase: (theirs: unknown, base: unknown, mine: unknown) => unknown
}
const { hideSecrets, restoreSecrets } = (await sourceOf("editor/Secrets.ts")) as {
  readonly hideSecrets: <D>(
    definition: D,
    isSecret: (path: string, parent: Readonly<Record<string, unknown>>) => boolean,
  ) => { readonly shown: D; readonly secrets: ReadonlyMap<string, string> }
  readonly restoreSecrets: <D>(definition: D, secrets: ReadonlyMap<string, string>) => D
}

describe("changes of what others have changed since", () => {
  const base = {
    description: "a",
    policies: ["fast"],
    rows: [
      { id: 1, name: "one", target: "99", note: "x" },
      { id: 2, name: "two", target: "95", note: "y" },
    ],
  }
  const [one, two] = base.rows

  it("leave the values that were not changed as they are now", () => {
    const theirs = { ...base, rows: [{ ...one, target: "99.9" }, two] }
    expect(rebase(theirs, base, { ...base, description: "b" })).toEqual({ ...theirs, description: "b" })
    expect(rebase(theirs, base, { ...base, rows: [{ ...one, note: "z" }, two] })).toEqual({
      ...theirs,
      rows: [{ ...one, target: "99.9", note: "z" }, two],
    })
    expect(rebase(theirs, base, { ...base, rows: [{ ...one, target: "98" }, two] })).toMatchObject({
      rows: [{ target: "98" }, two],
    })
  })

  it("add and remove items on both sides", () => {
    expect(rebase(["fast", "slow"], ["fast"], ["fast", "mine"])).toEqual(["fast", "mine", "slow"])
    expect(rebase(["fast", "slow"], ["fast"], ["fast", "slow"])).toEqual(["fast", "slow"])
    expect(rebase([], ["fast"], ["fast", "mine"])).toEqual(["mine"])
    expect(rebase(["fast", "slow"], ["fast"], [])).toEqual(["slow"])
    // Rows get other IDs when the form is filled in again.
    const theirs = [{ ...two, id: 1, target: "90" }]
    expect(rebase(theirs, base.rows, [one, { ...two, note: "z" }])).toMatchObject([
      { name: "two", target: "90", note: "z" },
    ])
    expect(rebase(theirs, base.rows, [{ ...one, note: "z" }, two])).toMatchObject([
      { name: "one", note: "z" },
      { name: "two", target: "90" },
    ])
  })

  it("are all of them if nobody else changed anything, and none if nothing was changed", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(rebase(before, before, after)).toEqual(after)
        expect(rebase(after, before, before)).toEqual(after)
      }),
      { numRuns: 200 },
    )
  })
})

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
