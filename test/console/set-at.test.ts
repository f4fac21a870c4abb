import { expect, it } from "vitest"

const { setAt } = (await import(new URL("../../apps/console/src/editor/SetAt.ts", import.meta.url).href)) as {
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
