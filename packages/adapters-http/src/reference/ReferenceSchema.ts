import { escaped } from "../frame/Escaped.ts"
import { anchor, prose } from "./Html.ts"

/** The keywords of JSON Schema that OpenAPI documents of this server have. */
export interface ReferenceSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly items?: ReferenceSchema
  readonly properties?: Readonly<Record<string, ReferenceSchema>>
  readonly additionalProperties?: boolean | ReferenceSchema
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<ReferenceSchema>
  readonly oneOf?: ReadonlyArray<ReferenceSchema>
  readonly allOf?: ReadonlyArray<ReferenceSchema>
  readonly [limit: string]: unknown
}

/** A schema as a list of its properties; one without properties as one line. */
export const schemaHtml = (schema: ReferenceSchema): string => {
  const note = schema.description === undefined ? "" : `<p>${prose(schema.description)}</p>`
  return `<div class="schema">${note}<p class="type">${typeHtml(schema)}${limitsHtml(schema)}</p>${partsHtml(schema)}</div>`
}

/** The type of a value in a line, with links to the named schemas. */
export const typeHtml = (schema: ReferenceSchema): string => {
  const { $ref, type, items, enum: values, format } = schema
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1)
    return `<a href="#schema-${anchor(name)}">${escaped(name)}</a>`
  }
  const variants = variantsOf(schema)
  if (variants.length > 0) return [...new Set(variants.map(typeHtml))].join(" or ")
  if (items !== undefined) return `array of ${typeHtml(items)}`
  if (values !== undefined)
    return values.map((value) => `<code>${escaped(JSON.stringify(value))}</code>`).join(" or ")
  const name = type === undefined ? "any" : [type].flat().join(" or ")
  return escaped(format === undefined ? name : `${name} (${format})`)
}

const partsHtml = (schema: ReferenceSchema): string => {
  const { properties = {}, required = [], items, additionalProperties } = schema
  const rows = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? ' <span class="required">required</span>' : ""
    const note = property.description === undefined ? "" : `<p>${prose(property.description)}</p>`
    return `<li><code class="name">${escaped(name)}</code> <span class="type">${typeHtml(property)}${limitsHtml(property)}</span>${mark}${note}${nestedHtml(property)}</li>`
  })
  const list = rows.length === 0 ? "" : `<ul class="properties">${rows.join("")}</ul>`
  const others =
    typeof additionalProperties === "object"
      ? `<p>Values: <span class="type">${typeHtml(additionalProperties)}</span></p>${nestedHtml(additionalProperties)}`
      : ""
  return (
    list + others + (items === undefined ? "" : partsHtml(items)) + variantsOf(schema).map(partsHtml).join("")
  )
}

const nestedHtml = (schema: ReferenceSchema): string => {
  const parts = partsHtml(schema)
  return parts === "" ? "" : `<details><summary>Properties</summary>${parts}</details>`
}

const variantsOf = ({ anyOf, oneOf }: ReferenceSchema): ReadonlyArray<ReferenceSchema> => anyOf ?? oneOf ?? []

const limitsHtml = (schema: ReferenceSchema): string => {
  const all: ReferenceSchema = Object.assign({}, schema, ...(schema.allOf ?? []))
  const limits = Object.entries(limitTexts).flatMap(([keyword, text]) =>
    all[keyword] === undefined ? [] : [`${text} ${escaped(String(all[keyword]))}`],
  )
  return limits.length === 0 ? "" : `<span class="limits">, ${limits.join(", ")}</span>`
}

const limitTexts: Readonly<Record<string, string>> = {
  minimum: "at least",
  maximum: "at most",
  exclusiveMinimum: "more than",
  exclusiveMaximum: "less than",
  minLength: "minimum length",
  maxLength: "maximum length",
  minItems: "minimum items",
  maxItems: "maximum items",
  maxProperties: "maximum properties",
  pattern: "pattern",
}
