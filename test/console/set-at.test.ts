import { expect, it } from "vitest"

const { getAt, setAt } = (await import(
  new URL("../../apps/console/src/editor/SetAt.ts", import.meta.url).href
)) as {
  readonly getAt: (document: unknown, path: string) => unknown
  readonly setAt: <D>(document: D, path: string, value: unknown) => D
}

it("puts a value at the path of an issue, and leaves everything else as it is", () => {
  const document = { spec: { then: [{ after: "1m" }, { after: "2m" }], webhook: { template: "{}" } } }
  expect(setAt(document, "spec.webhook.template", "[]")).toEqual({
    spec: { ...document.spec, webhook: { template: "[]" } },
  })
  expect(setAt(document, "spec.then[1].after", "5m").spec.then).toEqual([{ after: "1m" }, { after: "5m" }])
  expect(setAt({ a: { "b/c": 1 } }, 'a["b/c"]', 2)).toEqual({ a: { "b/c": 2 } })
  expect(setAt(document, "spec.description", "x")).toEqual({ spec: { ...document.spec, description: "x" } })
  expect(document.spec.webhook.template).toBe("{}")
})

it("removes a value, and what contains nothing else, but never the metadata or the spec", () => {
  const document = { spec: { prometheus: { url: "", tls: { ca: "x", key: undefined } } } }
  expect(setAt(document, "spec.prometheus.tls.ca", undefined)).toStrictEqual({
    spec: { prometheus: { url: "", tls: undefined } },
  })
  expect(setAt({ spec: { description: "x" } }, "spec.description", undefined)).toStrictEqual({
    spec: { description: undefined },
  })
})

it("finds the value at a path, if there is one", () => {
  const document = { spec: { then: [{ after: "1m" }] } }
  expect(getAt(document, "spec.then[0].after")).toBe("1m")
  expect(getAt(document, "spec.webhook.url")).toBe(undefined)
  expect(getAt(document, "spec.toString")).toBe(undefined)
})
