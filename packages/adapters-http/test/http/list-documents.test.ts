import { jsonFormat, writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { acceptedFormat } from "../../src/documents/AcceptedFormat.ts"
import { listResponse } from "../../src/documents/ListResponse.ts"

describe("a list of documents", () => {
  it("is written with a pause for others after every 20 documents, in either format", async () => {
    const documents = Array.from({ length: 101 }, (_, index) => ({ index }))
    for (const format of [jsonFormat, yamlFormat]) {
      let pauses = 0
      let isWriting = true
      const count = (): void => {
        pauses += 1
        if (isWriting) setImmediate(count)
      }
      setImmediate(count)
      const { body } = await Effect.runPromise(listResponse(format, documents))
      isWriting = false
      expect(pauses).toBeGreaterThanOrEqual(4)
      expect(body).toBe(writeDocuments(format, documents))
    }
  })

  it.each([
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/json; version=v1alpha", "application/json"],
    ["application/yaml", "application/yaml"],
    ["text/yaml; q=0.5, */*", "application/yaml"],
    ["application/x-yaml;q=0.4, application/json;q=0.5", "application/json"],
    ["application/yaml;q=0", "application/json"],
    ["APPLICATION/YAML", "application/yaml"],
    ["image/png", "application/json"],
  ])("spec/definitions §12: Accept %s returns %s", (accept, contentType) => {
    expect(acceptedFormat(accept).contentType).toBe(contentType)
  })
})
