import * as Result from "effect/Result"
import { parseTemplate, renderTemplate, sampleVariableValues } from "@tocsin/domain/template"
import { compare, type Comparison, inProcess } from "./Compare.ts"
import { roundsOf } from "./Length.ts"

/** Rendering and parsing a template of 2 KiB, beside `JSON.stringify` of an object that gives the same text. */
export const run = async (): Promise<ReadonlyArray<Comparison>> => {
  const text = templateOf2KiB()
  const template = parseTemplate(text)
  if (Result.isFailure(template)) throw new Error("the template of the benchmark does not parse")
  const rendered = renderTemplate(template.success, sampleVariableValues)
  const object: unknown = JSON.parse(rendered)
  if (JSON.stringify(object) !== rendered) throw new Error("the two texts differ")
  let sink = 0
  const times = (once: () => number) => (operations: number) => {
    for (let i = 0; i < operations; i++) sink += once()
  }
  const comparison = await compare(
    `Rendering a template of ${text.length} characters`,
    [
      inProcess(
        "JSON.stringify of a ready object",
        times(() => JSON.stringify(object).length),
      ),
      inProcess(
        "renderTemplate",
        times(() => renderTemplate(template.success, sampleVariableValues).length),
      ),
      inProcess(
        "parseTemplate (once, when saved)",
        times(() => (Result.isSuccess(parseTemplate(text)) ? 1 : 0)),
      ),
    ],
    { time: "cpu", ...roundsOf(31, 3) },
  )
  if (sink === 0) throw new Error("nothing was rendered")
  return [comparison]
}

const templateOf2KiB = (): string => {
  const fields = [
    `"text":"SLO $slo_name of $project_name/$service_name: $alert_policy_conditions_text"`,
    `"conditions":$alert_policy_conditions[]`,
    `"severity":"$severity"`,
    `"link":"$slo_details_link"`,
    `"labels":"$slo_labels_text, $service_labels_text"`,
  ]
  for (let block = 0; fields.join(",").length < 1_900; block++)
    fields.push(
      `"block_${block}":{"type":"section","fields":["*Alert* $alert_id","at $iso_timestamp",${block}]}`,
    )
  return `{${fields.join(",")}}`
}
