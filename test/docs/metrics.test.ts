import { processMetrics } from "@tocsin/adapters-http/server"
import { metrics } from "@tocsin/domain/adapter"
import { fileURLToPath } from "node:url"
import { format, resolveConfig } from "prettier"
import { describe, expect, it } from "vitest"

const file = fileURLToPath(new URL("../../docs/spec/metrics.md", import.meta.url))

const rowsOf = (families: object): string =>
  Object.values(families as typeof metrics)
    .map(({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${labels.join(", ")} | ${help} |`)
    .join("\n")

const page = `# Metrics

Every metric of the server. \`npx vitest run test/docs/metrics.test.ts -u\` writes this page from the code. Unless the
description says otherwise, a value is of one process, since it started. Histograms have the series \`_bucket\`, \`_sum\` and
\`_count\`. A metric is exported from its first value on; counters that alerts watch, from the start, with 0.

| Metric | Type | Labels | Description |
| --- | --- | --- | --- |
${rowsOf(metrics)}

## The process

| Metric | Type | Labels | Description |
| --- | --- | --- | --- |
${rowsOf(processMetrics)}
`

describe("the page of metrics", () => {
  it("lists every metric", async () => {
    const options = await resolveConfig(file)
    await expect(await format(page, { ...options, parser: "markdown" })).toMatchFileSnapshot(file)
  })
})
